"""Conditions of policies as clusters report them, and their summary (GEP-713)."""

from collections import Counter
from collections.abc import Iterator
from operator import itemgetter

from msgspec import Struct

from spokerender.findings.phrasing import count, listed
from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.model import Origin, Ref

_LISTED = 5


class ObservedCondition(Struct, frozen=True):
    """One condition of a policy on a spoke, as expected and as its cluster reports it.

    `expected` is None if files do not decide it. `reason` says why an Unknown condition is unknown.
    `since` is the time of the last transition, in nanoseconds.
    """

    type: str
    expected: Truth | None
    observed: Truth
    reason: str
    since: int | None = None

    @property
    def differs(self) -> bool:
        """Return whether the expected and the observed status are known and differ."""
        certain = {Truth.TRUE, Truth.FALSE}
        both = {self.expected, self.observed}
        return both == certain


class PolicyAncestor(Struct, frozen=True):
    """A hub policy and one of its ancestors on the hub."""

    hub: Ref
    version: str
    origin: Origin
    ancestor: Ref
    has_ancestors: bool


ConditionsOfPolicy = tuple[PolicyAncestor, tuple[ObservedCondition, ...]]
"""A policy with its conditions for one ancestor, on one spoke."""


class ObservedSpoke(Struct, frozen=True, eq=False):
    """The observed conditions of a spoke's policies, and the findings about its export.

    `is_whole` is False without an export, or if the export lacks all objects of a kind in the tree.
    """

    name: str
    conditions: tuple[ConditionsOfPolicy, ...]
    results: tuple[Result, ...]
    is_whole: bool


class ObservedStatus(Struct, frozen=True, eq=False):
    """The conditions of a hub policy for one ancestor, without times, each with its spokes."""

    policy: PolicyAncestor
    spokes_of: dict[ObservedCondition, list[str]]

    @property
    def types(self) -> tuple[str, ...]:
        """Return the types of the conditions, in order."""
        return tuple(dict.fromkeys(condition.type for condition in self.spokes_of))

    def list_by_spoke(self) -> Iterator[tuple[str, ObservedCondition]]:
        """Yield each spoke with each of its conditions, sorted by spoke."""
        each = ((name, item) for item, spokes in self.spokes_of.items() for name in spokes)
        yield from sorted(each, key=itemgetter(0))

    def summary(self, type_: str) -> Condition:
        """Return one condition for all spokes; False counts before Unknown, Unknown before True."""
        own = {item: names for item, names in self.spokes_of.items() if item.type == type_}
        total = count(sum(map(len, own.values())), "spoke")
        for truth in (Truth.FALSE, Truth.UNKNOWN):
            such = {item: names for item, names in own.items() if item.observed is truth}
            if such:
                reasons = Counter[str]()
                for item, names in such.items():
                    reasons[item.reason] += len(names)
                spokes = sorted(name for names in such.values() for name in names)
                message = f"{truth} on {len(spokes):,} of {total}: {listed(spokes, _LISTED)}"
                return Condition(type_, truth, reasons.most_common(1)[0][0], message)
        return Condition(type_, Truth.TRUE, next(iter(own)).reason, f"True on {total}")
