"""Pairs of paths of two states, as values, and answers about pairs that spokes have in common."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.formats.comparing import Change, changes, fingerprint, is_same_json
from spokerender.judging.effective.outcomes import EffectivePolicy, PolicyOutcome
from spokerender.kinds.table import list_maps
from spokerender.model import Ref
from spokerender.model.memo import remembered
from spokerender.topology.matches import Request
from spokerender.topology.paths import Levels

_Values = tuple[str, ...]
"""Texts that two outcomes share if they are the same, whatever their policies are called."""


class PolicyPair(Struct, frozen=True, eq=False):
    """The policies of one kind on a path before a change, and on one that has its requests after.

    `earlier` are the levels of the first path, by their names before the change. `taken` is its
    rule, as it is called after the change, where the second path is to another one.
    """

    earlier: Levels
    levels: Levels
    hostnames: tuple[str, ...]
    before: EffectivePolicy | None
    after: EffectivePolicy | None
    taken: Ref | None = None
    example: Request | None = None
    """One of the requests; None where the pair is of no rules."""
    lent: Ref | None = None
    """The other rule whose policies Kuadrant's plugin finds for the requests after the change."""

    @property
    def policies(self) -> tuple[Ref, ...]:
        """Return the policies on the path before the change."""
        return self.before.stack if self.before is not None else ()

    def was_replaced(self, policy: Ref) -> bool:
        """Tell whether others replaced a policy on the path, whatever the ages of all."""
        if self.before is None:
            return True
        return all(
            not item.unknown
            and policy not in item.policies
            and any(lost.policy == policy for lost in item.overruled)
            for item in (self.before.likely, *self.before.others)
        )


is_same = remembered(is_same_json)
"""Tells whether two objects are the same."""


@remembered
def list_fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the fields in which two objects differ."""
    return changes(old, new, list_maps(new))


@remembered
def describe_outcome(outcome: PolicyOutcome) -> _Values:
    """Return what tells whether two outcomes are the same."""
    rules = outcome.asked
    values = sorted(f"{rule.key}={fingerprint(rule.value)}" for rule in rules)
    # Rules that are entries of a list and have names may count in their order.
    placed = [(rule.field[-1], rule.key) for rule in rules if isinstance(rule.field[-1], int)]
    order = ",".join(key for _, key in sorted(placed))
    return (outcome.unknown and "unknown", outcome.failing, order, *values)
