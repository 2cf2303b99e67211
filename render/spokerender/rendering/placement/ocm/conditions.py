"""The conditions of a Placement, with OCM's messages (`newSatisfiedCondition`)."""

from collections.abc import Callable, Sequence

from msgspec import Struct


class Tally(Struct, frozen=True):
    """The result of a decision, as far as its conditions depend on it."""

    asked: tuple[str, ...]
    eligible: tuple[str, ...]
    bindings: int
    available: int
    selected: int
    unscheduled: int


class Satisfied(Struct, frozen=True):
    """The condition `PlacementSatisfied`."""

    is_true: bool
    reason: str
    message: str


def _listed(names: Sequence[str]) -> str:
    return f"[{','.join(names)}]"


class _Row(Struct, frozen=True):
    reason: str
    holds: Callable[[Tally], bool]
    write: Callable[[Tally], str]
    is_true: bool = False


_ROWS = (
    _Row(
        "NoManagedClusterSetBindings",
        lambda tally: not tally.bindings,
        lambda _: "No valid ManagedClusterSetBindings found in placement namespace",
    ),
    _Row(
        "NoIntersection",
        lambda tally: not tally.eligible,
        lambda tally: (
            f"None of ManagedClusterSets {_listed(tally.asked)} is bound to placement namespace"
        ),
    ),
    _Row(
        "AllManagedClusterSetsEmpty",
        lambda tally: not tally.available,
        lambda tally: (
            f"All ManagedClusterSets {_listed(tally.eligible)} have no member ManagedCluster"
        ),
    ),
    _Row(
        "NoManagedClusterMatched",
        lambda tally: not tally.selected,
        lambda _: "No ManagedCluster matches any of the cluster predicate",
    ),
    _Row(
        "AllDecisionsScheduled",
        lambda tally: not tally.unscheduled,
        lambda _: "All cluster decisions scheduled",
        is_true=True,
    ),
    _Row(
        "NotAllDecisionsScheduled",
        lambda _: True,
        lambda tally: f"{tally.unscheduled} cluster decisions unscheduled",
    ),
)
REFUSED = frozenset({"NoManagedClusterSetBindings", "NoIntersection"})
"""The reasons that empty a decision because something is not set up."""


def judge_tally(tally: Tally) -> Satisfied:
    """Return the first condition that holds."""
    row = next(row for row in _ROWS if row.holds(tally))
    return Satisfied(row.is_true, row.reason, row.write(tally))
