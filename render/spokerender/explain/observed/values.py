"""Conditions of policies as clusters report them, beside the foretold ones; and GEP-713's sum."""

from collections import Counter

from msgspec import Struct

from spokerender.findings.phrasing import count, listed
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.model import Origin, Ref

_LISTED = 5


class ObservedCondition(Struct, frozen=True):
    """One condition of a policy on one spoke, as foretold and as its cluster reports it.

    `foretold` is None where files do not tell. What is Unknown has its reason. `since` is the time
    of the last transition, in nanoseconds.
    """

    spoke: str
    type: str
    foretold: Truth | None
    observed: Truth
    reason: str
    since: int | None = None

    @property
    def differs(self) -> bool:
        """Tell whether both are known, and are not the same."""
        known = {Truth.TRUE, Truth.FALSE}
        both = {self.foretold, self.observed}
        return both == known


class ObservedStatus(Struct, frozen=True):
    """A hub policy and one of its ancestors on the hub, with its conditions on every spoke."""

    hub: Ref
    version: str
    origin: Origin
    ancestor: Ref
    has_ancestors: bool
    conditions: tuple[ObservedCondition, ...]

    @property
    def types(self) -> tuple[str, ...]:
        """Return the types of its conditions, in their order."""
        return tuple(dict.fromkeys(condition.type for condition in self.conditions))

    def summary(self, type_: str) -> Condition:
        """Return one condition for all spokes: False where one is, else Unknown, else True."""
        own = [condition for condition in self.conditions if condition.type == type_]
        for truth in (Truth.FALSE, Truth.UNKNOWN):
            such = [condition for condition in own if condition.observed is truth]
            if such:
                reason = Counter(item.reason for item in such).most_common(1)[0][0]
                names = listed((item.spoke for item in such), _LISTED)
                message = f"{truth} on {len(such):,} of {count(len(own), 'spoke')}: {names}"
                return Condition(type_, truth, reason, message)
        message = f"True on {count(len(own), 'spoke')}"
        return Condition(type_, Truth.TRUE, own[0].reason, message)
