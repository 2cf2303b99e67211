"""The waves of a rollout: what its strategy releases, one after the other, when all goes well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from spokerender.findings.codes.rollout import BAD_GROUP
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.model import Origin, Spoke
from spokerender.model.rollout import REST, SUCCEEDED, RolloutStatus, StrategySettings, Wave
from spokerender.model.selectors import SpokeSelector
from spokerender.model.spokes import DecisionGroup
from spokerender.rendering.rollout.strategy import release
from spokerender.rendering.values.decisions import DecidedPlacement

if TYPE_CHECKING:  # the model of a file that its reader has
    from spokerender.config.rollout import GroupOfSpokes, Rollout

_FIELD = ("spec", "rollout")
_PER_WAVE = "wave"
"""Begins the name of a wave with spokes of several groups."""


def read_groups(
    rollout: Rollout,
    spokes: Sequence[Spoke],
    decided: Mapping[str, DecidedPlacement],
    at: Callable[..., Origin],
) -> tuple[tuple[DecisionGroup, ...], tuple[Result, ...]]:
    """Return the groups that fleet.yaml lists, and what is wrong with them.

    `decided` has the decisions of Placements, by namespace/name; `at` returns the line of a field
    of fleet.yaml.
    """
    results: list[Result] = []

    def refuse(message: str, cure: str, *path: str | int) -> None:
        field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        origin, name = at(*_FIELD, *path), ".".join(_FIELD)
        results.append(BAD_GROUP.result(message, cure=cure, field=f"{name}{field}", origin=origin))

    if rollout.placement is None:
        groups = _list_groups(rollout.groups, spokes, decided, refuse)
    else:
        decision = decided.get(rollout.placement)
        groups = [*decision.groups] if decision is not None else []
        if decision is None:
            _refuse_placement(rollout.placement, decided, refuse, "placement")
    members = {name for group in groups for name in group.clusters}
    left = sorted({spoke.name for spoke in spokes} - members)
    if left and not results:
        # A Placement's own rest takes the others, too, such as spokes that left.
        last = (
            groups.pop() if groups and not groups[-1].name else DecisionGroup(REST, len(groups), ())
        )
        groups.append(replace(last, clusters=tuple(sorted({*last.clusters, *left}))))
    if not results:
        _refuse_unknown_mandatory(rollout, groups, refuse)
    return tuple(groups), tuple(results)


def _list_groups(
    entries: Sequence[GroupOfSpokes],
    spokes: Sequence[Spoke],
    decided: Mapping[str, DecidedPlacement],
    refuse: Callable[..., None],
) -> list[DecisionGroup]:
    """Return the groups with their spokes, each in the first group that selects it."""
    names = {spoke.name for spoke in spokes}
    left = {spoke.name: spoke for spoke in spokes}
    groups: list[DecisionGroup] = []
    for index, entry in enumerate(entries):
        written = entry.spokes.value if entry.spokes is not None else SpokeSelector()
        unknown = [name for name in (*(written.names or ()), *written.but) if name not in names]
        for name in unknown:
            cure = did_you_mean(name, names, "there are") or "name a spoke of the placement"
            refuse(f'there is no spoke "{name}"', cure, "groups", index, "spokes")
        selector = _resolve_placement(written, decided, names)
        if selector is None:
            _refuse_placement(written.placement, decided, refuse, "groups", index, "spokes")
            continue
        chosen = [name for name, spoke in left.items() if selector.means(name, spoke.labels)]
        if not chosen and not unknown:
            cure = "take the group out, or select other spokes"
            is_taken = any(selector.means(spoke.name, spoke.labels) for spoke in spokes)
            why = "earlier groups have its spokes" if is_taken else "none is selected"
            refuse(f'group "{entry.name}" has no spoke: {why}', cure, "groups", index)
        for name in chosen:
            del left[name]
        groups.append(DecisionGroup(entry.name, index, tuple(sorted(chosen))))
    return groups


def _resolve_placement(
    selector: SpokeSelector, decided: Mapping[str, DecidedPlacement], names: Collection[str]
) -> SpokeSelector | None:
    """Return a selector by names where a Placement selects; None where there is no such one."""
    if not selector.placement:
        return selector
    decision = decided.get(selector.placement)
    if decision is None:
        return None
    members = {*decision.in_group(selector.group)} - {*selector.but}
    return SpokeSelector(names=tuple(sorted(members.intersection(names))))


def _refuse_placement(
    key: str,
    decided: Mapping[str, DecidedPlacement],
    refuse: Callable[..., None],
    *path: str | int,
) -> None:
    cure = did_you_mean(key, decided) or "add it to the hub, or list groups"
    refuse(f"no Placement {key} decides on spokes", cure, *path)


def _refuse_unknown_mandatory(
    rollout: Rollout, groups: Sequence[DecisionGroup], refuse: Callable[..., None]
) -> None:
    """Refuse mandatory groups that are not there, which OCM would pass over in silence."""
    names = [group.name for group in groups if group.name]
    kind = rollout.strategy.type[:1].lower() + rollout.strategy.type[1:]
    for index, entry in enumerate(rollout.strategy.value.mandatory):
        place = ("strategy", kind, "mandatoryDecisionGroups", index)
        if entry.name and entry.name not in names:
            cure = did_you_mean(entry.name, names, "there are") or "name a group"
            refuse(f'there is no group "{entry.name}"', cure, *place)
        elif not entry.name and entry.index >= len(groups):
            message = f"there is no group {entry.index}: they count from 0 to {len(groups) - 1}"
            refuse(message, "name the group by groupName", *place)


def plan_waves(strategy: StrategySettings, groups: Sequence[DecisionGroup]) -> tuple[Wave, ...]:
    """Return the waves, with names that tell of which groups they are.

    A wave is named like the group that all of its spokes are of, with a number where a group has
    several waves; one with spokes of several groups is `wave.2`, by its position.
    """
    waves = list(_release_all(strategy, groups))
    group_of = {name: group.name or REST for group in groups for name in group.clusters}
    names = []
    for position, wave in enumerate(waves, 1):
        of_groups = {group_of[name] for name in wave}
        names.append(of_groups.pop() if len(of_groups) == 1 else f"{_PER_WAVE}.{position}")
    return tuple(Wave(name, wave) for name, wave in zip(_numbered(names), waves, strict=True))


def _release_all(
    strategy: StrategySettings, groups: Sequence[DecisionGroup]
) -> Iterator[tuple[str, ...]]:
    """Yield what is released, each time with all that was released before having succeeded."""
    done: list[RolloutStatus] = []
    while True:
        # A soaking time after the last transition: nobody waits any more.
        answer = release(strategy, groups, done, strategy.soak)
        released = tuple(status.cluster for status in answer.rollout)
        if not released:
            return
        yield tuple(sorted(released))
        done += (RolloutStatus(name, SUCCEEDED, 0) for name in released)


def _numbered(names: Sequence[str]) -> Iterator[str]:
    """Yield the names, with numbers where several are equal; all of them are different."""
    counts, taken, number_of = Counter(names), set(names), dict[str, int]()
    for name in names:
        if counts[name] == 1:
            yield name
            continue
        while True:
            number_of[name] = number_of.get(name, 0) + 1
            numbered = f"{name}.{number_of[name]}"
            # A group may have such a name of its own.
            if numbered not in taken:
                break
        taken.add(numbered)
        yield numbered
