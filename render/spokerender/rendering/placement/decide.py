"""The gateways and spokes that rules and overrides select."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from spokerender.findings.budget import InputBudget
from spokerender.findings.causes import UNREADABLE_HUB, missing
from spokerender.findings.codes.placement import (
    EMPTY_SELECTION,
    NO_GATEWAY,
    NO_SPOKE,
    TOO_MUCH_PLACED,
    UNPLACED_GATEWAY,
)
from spokerender.findings.phrasing import did_you_mean, listed
from spokerender.findings.results import Result
from spokerender.model import Origin, Ref, Spoke
from spokerender.model.selectors import EVERYTHING, LabelSelector, SpokeSelection
from spokerender.rendering.values.placement import Decision, Declarations, Override, Rule
from spokerender.topology.graph import Topology

Item = TypeVar("Item")


def decide(declared: Declarations, hub: Topology) -> Decision:
    """Resolve every name and selector; what resolves to nothing is in the results."""
    results: list[Result] = []
    gateways = tuple(_gateways(rule, hub, results) for rule in declared.rules)
    choosing = Choosing(declared.spokes)
    rule_spokes = [_spokes(rule, choosing, results) for rule in declared.rules]
    _spend_places(len(declared.spokes), gateways, rule_spokes)
    override_spokes = [_spokes(override, choosing, results) for override in declared.overrides]
    return Decision(
        spokes=declared.spokes,
        rules=declared.rules,
        overrides=declared.overrides,
        gateways_of_rule=gateways,
        rules_of_spoke=_by_spoke(declared.rules, rule_spokes),
        overrides_of_spoke=_by_spoke(declared.overrides, override_spokes),
        results=tuple(results),
    )


def _spend_places(
    spokes: int, gateways: Sequence[Sequence[Ref]], rule_spokes: Sequence[Sequence[str]]
) -> None:
    """Refuse rules that place more gateways than the largest fleets have, or each one repeatedly.

    Every place takes about 1 KB and 50 µs; 5,000 spokes with 100 gateways are half a million.
    """
    distinct = len({gateway for gateways_of_rule in gateways for gateway in gateways_of_rule})
    once = distinct * spokes
    limit = min(once + 10_000, 500_000 + 50 * (distinct + spokes))
    places = sum(len(refs) * len(names) for refs, names in zip(gateways, rule_spokes, strict=True))
    cure = "place each gateway on a spoke by one rule, or split the placement"
    work = f"placing {distinct:,} gateways on {spokes:,} spokes {places:,} times"
    InputBudget(limit, TOO_MUCH_PLACED, cure).spend(places, work)


def _by_spoke(
    items: Iterable[Item], spokes: Iterable[tuple[str, ...]]
) -> dict[str, tuple[Item, ...]]:
    """The items of each spoke; those that have the same ones share them."""
    items_of: dict[str, list[Item]] = {}
    for item, names in zip(items, spokes, strict=True):
        for name in names:
            items_of.setdefault(name, []).append(item)
    shared: dict[tuple[Item, ...], tuple[Item, ...]] = {}
    return {
        name: shared.setdefault(chosen, chosen)
        for name, chosen in ((name, tuple(found)) for name, found in items_of.items())
    }


def _gateways(rule: Rule, hub: Topology, results: list[Result]) -> tuple[Ref, ...]:
    wanted = rule.gateways
    if wanted.selector is not None:
        selector = wanted.selector
        selected = [g for g in hub.gateways if selector.matches(dict(hub.nodes[g].labels))]
        if not selected and not rule.optional:
            results.append(_no_gateway(rule, "the selector matches no Gateway of the hub", hub))
        return tuple(selected)
    named = []
    for ref in wanted.names:
        if ref in hub.nodes:
            named.append(ref)
        elif not rule.optional:
            message = f'no Gateway "{ref.full_name}" in the hub'
            results.append(_no_gateway(rule, message, hub, ref))
    return tuple(dict.fromkeys(named))


def _no_gateway(rule: Rule, message: str, hub: Topology, ref: Ref | None = None) -> Result:
    name = ref.full_name if ref is not None else ""
    names = [ref.full_name for ref in hub.gateways]
    return NO_GATEWAY.result(
        message,
        cure=did_you_mean(name, names, "the hub has") or "set `optional: true` if that is intended",
        field=f"{rule.field}.gateways",
        origin=rule.origin,
        causes=(*([missing(ref)] if ref is not None else ()), UNREADABLE_HUB),
    )


def _spokes(owner: Rule | Override, choosing: Choosing, results: list[Result]) -> tuple[str, ...]:
    wanted, place = owner.spokes, f"{owner.field}.spokes"
    declared = choosing.names
    key = "names" if wanted.names is not None else "except"
    results += [
        NO_SPOKE.result(
            f'no spoke "{name}" is declared',
            cure=did_you_mean(name, sorted(declared), "declared are"),
            field=f"{place}.{key}",
            origin=owner.origin,
            causes=(f"spoke {name} is not declared",),
        )
        for name in wanted.names or wanted.but
        if name not in declared and not owner.optional
    ]
    chosen = choosing.of(wanted)
    is_said = wanted.names is not None or owner.optional or wanted.selector == EVERYTHING
    if not chosen and not is_said:
        results.append(_nobody(place, owner.origin, wanted.selector, choosing))
    return chosen


def _nobody(place: str, origin: Origin, selector: LabelSelector, choosing: Choosing) -> Result:
    hints = (_hint(key, value, choosing.labels) for key, value in selector.labels)
    hint = next((each for each in hints if each), "mend the selector")
    return EMPTY_SELECTION.result(
        "the selector selects no spoke today",
        cure=f"{hint}; set `optional: true` if that is intended",
        field=f"{place}.selector",
        origin=origin,
    )


def _hint(key: str, value: str, labels: Mapping[str, Collection[str]]) -> str:
    """Why no spoke has such a label; empty where one has it."""
    values = labels.get(key, ())
    if value in values:
        return ""
    if values:
        there = listed(f"{key}={each}" for each in sorted(values))
        return f"no spoke has {key}={value}; they have {there}"
    have = f"they have {listed(sorted(labels))}" if labels else "none has any"
    return f"no spoke has the label {key}; {have}"


def unplaced(decision: Decision, hub: Topology, origins: dict[Ref, Origin]) -> list[Result]:
    """A warning for every Gateway of the hub that is on no spoke."""
    placed = {
        gateway for spoke in decision.spokes for gateway, _ in decision.gateways_on(spoke.name)
    }
    return [
        UNPLACED_GATEWAY.result(
            "the Gateway is placed on no spoke",
            cure="name it in a rule of the placement, or take it out of the hub",
            resource=gateway,
            origin=origins.get(gateway),
        )
        for gateway in hub.gateways
        if gateway not in placed
    ]


class Choosing:
    """The spokes there are; `names` are theirs, `labels` the values that each label has."""

    def __init__(self, spokes: Iterable[Spoke]) -> None:
        """Index them by what selectors ask for."""
        self._spokes = tuple(spokes)
        self.names = frozenset(spoke.name for spoke in self._spokes)
        self._having: dict[tuple[str, str], list[Spoke]] = {}
        labels: dict[str, set[str]] = {}
        for spoke in self._spokes:
            for key, value in spoke.labels.items():
                self._having.setdefault((key, value), []).append(spoke)
                labels.setdefault(key, set()).add(value)
        self.labels: Mapping[str, frozenset[str]] = {
            key: frozenset(values) for key, values in labels.items()
        }
        self._known: dict[SpokeSelection, tuple[str, ...]] = {}

    def of(self, wanted: SpokeSelection) -> tuple[str, ...]:
        """The names of those that are meant: as they are named, else in the spokes' order."""
        if wanted not in self._known:
            self._known[wanted] = self._of(wanted)
        return self._known[wanted]

    def _of(self, wanted: SpokeSelection) -> tuple[str, ...]:
        if wanted.names is not None:
            return tuple(dict.fromkeys(name for name in wanted.names if name in self.names))
        but = frozenset(wanted.but)
        candidates = min(
            (self._having.get(label, []) for label in wanted.selector.labels),
            key=len,
            default=self._spokes,
        )
        return tuple(
            spoke.name
            for spoke in candidates
            if spoke.name not in but and wanted.selector.matches(spoke.labels)
        )
