"""Paths of two states of which the later one has requests of the earlier one, as values."""

from msgspec import Struct

from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.model import Ref
from spokerender.review.comparison.views import Way
from spokerender.topology.paths import Levels


class Takeover(Struct, frozen=True, eq=False):
    """Requests that `old` took before the change, and `new` takes after it.

    With `is_new`, nothing was where `new` is; what `old` took apart from these it may take still.
    With `is_elsewhere`, they come to another route, and to none of the backends that they came to.
    Among equals, both are for these in both states, and `new` may come first now: it precedes `old`
    in their route, or the route of `old` has another name, which makes it the younger one.
    """

    old: Way
    new: Way
    is_new: bool = False
    is_elsewhere: bool = False
    is_among_equals: bool = False


class PolicyPair(Struct, frozen=True, eq=False):
    """The policies of one kind on a path before a change, and on one that has its requests after.

    `earlier` are the levels of the first path, by their names before the change. With `takeover`
    the second path has some of the requests only.
    """

    earlier: Levels
    levels: Levels
    hostnames: tuple[str, ...]
    before: EffectivePolicy | None
    after: EffectivePolicy | None
    takeover: Takeover | None = None

    @property
    def is_of_others(self) -> bool:
        """Tell whether the later path is of a new rule, or of one that had its own requests.

        Of these the rule itself is told: what was behind the earlier path is not opened.
        """
        return self.takeover is not None and (self.takeover.is_new or self.takeover.is_elsewhere)

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
