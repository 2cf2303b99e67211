"""Combines conditions for several orders of creation (worlds) into one that lists the outcomes."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec.structs import replace

from spokerender.findings.phrasing import joined, listed
from spokerender.judging.attachment.statuses import (
    DECIDED_BY_AGE,
    AgedOutcome,
    Condition,
    DecidedByAge,
    Truth,
)
from spokerender.judging.fleet.worlds import World
from spokerender.judging.routing.values import HolderStatus, ListenerStatus, ParentStatus, Routing
from spokerender.model import Ref

_PAIR = 2
_NAMED = 10
"""How many objects and outcomes a message names at most."""


def combine_conditions(
    worlds: Sequence[World], about: Ref, each: Sequence[Iterable[Condition]]
) -> tuple[Condition, ...]:
    """Return the combined conditions of one status entry of the object `about`.

    `each` has the entry's conditions for each of `worlds` (possible orders of creation), empty if
    the entry does not exist in that world.
    """
    by_type = [{item.type: item for item in conditions} for conditions in each]
    types = dict.fromkeys(name for conditions in by_type for name in conditions)
    return tuple(
        _combine(worlds, about, [conditions.get(name) for conditions in by_type]) for name in types
    )


def combine_routing(by_world: Mapping[World, Routing]) -> Routing:
    """Return the statuses of routes and listeners, combined for all worlds (orders of creation)."""
    worlds, each = list(by_world), list(by_world.values())
    return Routing(
        {
            ref: tuple(
                _combine_parents(worlds, ref, parents)
                for parents in zip(*(one.routes[ref] for one in each), strict=True)
            )
            for ref in each[0].routes
        },
        {
            ref: _combine_holders(worlds, ref, [one.holders[ref] for one in each])
            for ref in each[0].holders
        },
    )


def _combine_parents(
    worlds: Sequence[World], route: Ref, each: Sequence[ParentStatus]
) -> ParentStatus:
    is_silent = all(item.silent for item in each)
    conditions = combine_conditions(worlds, route, [item.conditions for item in each])
    # An entry that is written in one world is an entry, with an uncertain condition.
    return replace(each[0], conditions=conditions, silent=each[0].silent if is_silent else "")


def _combine_holders(
    worlds: Sequence[World], holder: Ref, each: Sequence[HolderStatus]
) -> HolderStatus:
    return HolderStatus(
        combine_conditions(worlds, holder, [item.conditions for item in each]),
        tuple(
            _combine_listeners(worlds, holder, listeners)
            for listeners in zip(*(item.listeners for item in each), strict=True)
        ),
        # Only ListenerSets that are attached in every world are certainly attached.
        min(item.sets for item in each),
    )


def _combine_listeners(
    worlds: Sequence[World], holder: Ref, each: Sequence[ListenerStatus]
) -> ListenerStatus:
    fewest = min(item.attached for item in each)
    return replace(
        each[0],
        attached=fewest,
        # The difference between the fewest and the most routes in any world.
        may_attach=max(item.attached + item.may_attach for item in each) - fewest,
        conditions=combine_conditions(worlds, holder, [item.conditions for item in each]),
    )


def _combine(worlds: Sequence[World], about: Ref, each: Sequence[Condition | None]) -> Condition:
    """Return `each`, the condition in each world or None if there is none, combined into one."""
    first_one = next(item for item in each if item is not None)
    if all(item == first_one for item in each):
        return first_one
    words = [(item.status, item.reason) if item is not None else (None, "") for item in each]
    messages = [item.message if item is not None else "" for item in each]
    # Outcomes that differ only in their messages are one outcome, unless all differ only so.
    is_told_apart = len(set(words)) > 1
    answers: Sequence[Hashable] = words if is_told_apart else messages
    deciding = _find_deciding(worlds, about, answers)
    by, ends = _find_ends(worlds, deciding, answers)
    outcomes = []
    for answer in dict.fromkeys(answers):
        own = [number for number, other in enumerate(answers) if other == answer]
        message = listed(dict.fromkeys(messages[number] for number in own), _PAIR, ", or ")
        first = tuple(ref for ref in ends.get(answer, ()) if ref is not None)
        status, reason = words[own[0]]
        outcomes.append(AgedOutcome(status, reason, message, first, None in ends.get(answer, ())))
    groups = (world[place] for world in worlds for place in deciding)
    among = tuple(dict.fromkeys(ref for group in groups for ref in group))
    by_age = DecidedByAge(among, by, tuple(outcomes))
    return Condition(
        first_one.type,
        first_one.status if len({status for status, _ in words}) == 1 else Truth.UNKNOWN,
        first_one.reason if len({reason for _, reason in words}) == 1 else DECIDED_BY_AGE,
        _explain(first_one.type, by_age, is_told_apart=is_told_apart),
        by_age,
    )


def _find_deciding(
    worlds: Sequence[World], about: Ref, answers: Sequence[Hashable]
) -> tuple[int, ...]:
    """Return the indexes of the groups whose orders decide the `answers`; as few as possible."""
    own = {place for world in worlds for place, group in enumerate(world) if about in group}
    # The object's own group first: its age is the likeliest to decide about it.
    places = sorted(range(len(worlds[0])), key=lambda place: place not in own)
    for place in places:
        if _gives([world[place] for world in worlds], answers):
            return (place,)
    left = places
    # Groups are left out only if all combinations were tried; else nothing follows from their
    # absence.
    for place in reversed(places) if len(worlds) > len(places) else ():
        rest = [other for other in left if other != place]
        if _gives([tuple(world[other] for other in rest) for world in worlds], answers):
            left = rest
    return tuple(left)


def _gives(causes: Sequence[Hashable], answers: Sequence[Hashable]) -> bool:
    return len(set(zip(causes, answers, strict=True))) == len(set(causes))


_Ends = Mapping[Hashable, tuple[Ref | None, ...]]
"""By outcome, the objects that cause it by being the oldest or newest (None: equal ages)."""


def _find_ends(
    worlds: Sequence[World], deciding: tuple[int, ...], answers: Sequence[Hashable]
) -> tuple[Literal["oldest", "newest", ""], _Ends]:
    """Return which end of a group decides ("" if neither does), and by answer the objects there."""
    ways: tuple[tuple[Literal["oldest", "newest"], int], ...] = (("oldest", 0), ("newest", -1))
    for name, end in ways if len(deciding) == 1 else ():
        refs = [group[end] if (group := world[deciding[0]]) else None for world in worlds]
        if _gives(refs, answers):
            ends: dict[Hashable, dict[Ref | None, None]] = {}
            for ref, answer in zip(refs, answers, strict=True):
                ends.setdefault(answer, {})[ref] = None
            return name, {answer: tuple(of) for answer, of in ends.items()}
    return "", {}


def _explain(name: str, by_age: DecidedByAge, *, is_told_apart: bool) -> str:
    """Return the message of the condition `name`: each outcome, and the ages that lead to it."""
    names, is_pair = joined(by_age.among, _NAMED), len(by_age.among) == _PAIR
    texts = []
    for outcome in by_age.outcomes:
        words = f"{outcome.status} ({outcome.reason}): " if is_told_apart else ""
        text = f"{words}{outcome.message}" if outcome.status else f"there is no {name}"
        texts.append(f"{_describe_when(outcome)}, {text}" if by_age.by else text)
    if not by_age.by:
        either = listed(texts, _NAMED, "; or ")
        return f"only the cluster knows the ages of {names}: either {either}"
    order = "older" if is_pair else by_age.by
    return f"only the cluster knows which of {names} is {order}: {listed(texts, _NAMED, '; ')}"


def _describe_when(outcome: AgedOutcome) -> str:
    refs = " or ".join(map(str, outcome.first[:_NAMED]))
    whens = [*([f"{refs} is"] if refs else []), *(["all are of one age"] if outcome.ties else [])]
    return f"if {' or '.join(whens)}"
