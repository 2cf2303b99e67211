"""What becomes of one thing that a policy protects, and how to say it of many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto

from msgspec import Struct

from spokerender.model import Ref
from spokerender.review.guard.protection import Levels
from spokerender.review.guard.targets import Target


class Fate(Enum):
    """What becomes of something that is protected."""

    KEPT = auto()
    """It is protected as before, or by something new that takes the place of the old."""
    LOST = auto()
    """It is still there, and no policy of the kind protects it, or only a weaker one."""
    GONE = auto()
    """It is not there any more."""


class End(Struct, frozen=True):
    """What becomes of one thing that a policy protects by one of its targets.

    `way` is None where the target is on no way through a gateway. `is_rule` tells whether the way
    ends at a rule of a route; else it ends at a listener.
    """

    target: Target
    way: Levels | None
    fate: Fate
    is_rule: bool = False


def words(ends: Iterable[End], fate: Fate) -> tuple[str, ...]:
    """What has this fate: a target as a whole, or else the places below it.

    What is gone is left out of account, unless it is asked for.
    """
    by_target: dict[Target, list[End]] = {}
    for end in ends:
        if end.fate is not Fate.GONE or fate is Fate.GONE:
            by_target.setdefault(end.target, []).append(end)
    lines: dict[str, None] = {}
    for target, left in by_target.items():
        if all(end.fate is fate for end in left):
            lines[str(target)] = None
        else:
            lines.update(dict.fromkeys(_places(left, fate)))
    return tuple(lines)


def _places(ends: Sequence[End], fate: Fate) -> Iterator[str]:
    """The listeners, and the routes or rules below other ones, that have such a fate."""
    ways = [(end.way, end.is_rule, end.fate is fate) for end in ends if end.way is not None]
    listeners = {way for way, is_rule, is_told in ways if is_told and not is_rule}
    yield from (str(way[-1]) for way in sorted(listeners))
    routes: dict[Ref, dict[Levels, bool]] = {}
    for way, is_rule, is_told in ways:
        if is_rule and way[:-2] not in listeners:
            routes.setdefault(way[-2], {})[way] = is_told
    for route, rules in routes.items():
        if all(rules.values()):
            yield str(route)
            continue
        elsewhere = {way[-1] for way, is_told in rules.items() if not is_told}
        for way in (way for way, is_told in rules.items() if is_told):
            yield f"{way[-1]} by way of {way[-3]}" if way[-1] in elsewhere else str(way[-1])
