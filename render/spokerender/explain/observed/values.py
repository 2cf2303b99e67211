"""Conditions of policies as clusters report them, beside the expected ones; and GEP-713's sum."""

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

    `expected` is None where files do not tell. What is Unknown has its reason. `since` is the time
    of the last transition, in nanoseconds.
    """

    type: str
    expected: Truth | None
    observed: Truth
    reason: str
    since: int | None = None

    @property
    def differs(self) -> bool:
        """Tell whether both are known, and are not the same."""
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
"""A policy with its conditions for one of its ancestors, on one spoke."""


class ObservedSpoke(Struct, frozen=True, eq=False):
    """A spoke beside what was expected: the conditions of its policies, and what is otherwise.

    An export that is not `is_whole` is absent, or has nothing of a whole kind of the tree.
    """

    name: str
    conditions: tuple[ConditionsOfPolicy, ...]
    results: tuple[Result, ...]
    is_whole: bool


class ObservedStatus(Struct, frozen=True, eq=False):
    """The conditions of a hub policy for one of its ancestors, each with the spokes that have it.

    The conditions have no times.
    """

    policy: PolicyAncestor
    spokes_of: dict[ObservedCondition, list[str]]

    @property
    def types(self) -> tuple[str, ...]:
        """Return the types of its conditions, in their order."""
        return tuple(dict.fromkeys(condition.type for condition in self.spokes_of))

    def list_by_spoke(self) -> Iterator[tuple[str, ObservedCondition]]:
        """Yield each spoke with each of its conditions, by the names of the spokes."""
        each = ((name, item) for item, spokes in self.spokes_of.items() for name in spokes)
        yield from sorted(each, key=itemgetter(0))

    def summary(self, type_: str) -> Condition:
        """Return one condition for all spokes: False where one is, else Unknown, else True."""
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
