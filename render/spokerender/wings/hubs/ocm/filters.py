"""The filters of OCM's scheduler, one row each: predicates, then taints and tolerations.

Source: OCM `pkg/placement/plugins/predicate`, `plugins/tainttoleration`, `helpers`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from msgspec import Struct

from spokerender.wings.hubs.ocm import inventory
from spokerender.wings.hubs.ocm.matching import AttributeMatcher, read_matcher
from spokerender.wings.hubs.ocm.objects import ManagedCluster, Predicate, Taint, Toleration

_Item = TypeVar("_Item")


class Filter(Struct, frozen=True):
    """A filter: its name in OCM, and a function that prepares it for a Placement.

    `prepare` returns None if every cluster passes, and may raise `MisconfiguredError`.
    """

    name: str
    prepare: Callable[[inventory.Question], inventory.ClusterMatch | None]


def _finds(wanted: bool, items: Iterable[_Item], ask: Callable[[_Item], bool]) -> bool:
    """Return whether `ask` returns `wanted` for at least one item.

    If `ask` raises `TimeNeededError` or `NotEvaluableError` for an item, the error is raised only
    if `ask` returns `wanted` for no other item.
    """
    doubt: Exception | None = None
    for item in items:
        try:
            if ask(item) is wanted:
                return True
        except (inventory.TimeNeededError, inventory.NotEvaluableError) as error:
            doubt = error
    if doubt is not None:
        raise doubt
    return False


def _list_all(items: Iterable[_Item], ask: Callable[[_Item], list[str]]) -> list[str]:
    """Return the lists of `ask` for all items, joined; if empty, raise its last error, if any."""
    reasons: list[str] = []
    doubt: Exception | None = None
    for item in items:
        try:
            reasons += ask(item)
        except (inventory.TimeNeededError, inventory.NotEvaluableError) as error:
            doubt = error
    if doubt is not None and not reasons:
        raise doubt
    return reasons


class _Predicates(Struct, frozen=True):
    """Predicates of which one must match; `list_unmet` explains the one that is closest to it."""

    predicates: Sequence[inventory.ClusterMatch]

    def matches(self, cluster: ManagedCluster) -> bool:
        return _finds(True, self.predicates, lambda one: one.matches(cluster))

    def list_unmet(self, cluster: ManagedCluster) -> list[str]:
        # Of several ways in, the one that lacks least tells most.
        return min((predicate.list_unmet(cluster) for predicate in self.predicates), key=len)


class _WithExpressions(Struct, frozen=True):
    """Selectors and expressions, all of which must hold."""

    attributes: AttributeMatcher
    expressions: Sequence[inventory.ClusterMatch]

    def matches(self, cluster: ManagedCluster) -> bool:
        return self.attributes.matches(cluster) and not _finds(
            False, self.expressions, lambda one: one.matches(cluster)
        )

    def list_unmet(self, cluster: ManagedCluster) -> list[str]:
        parts: list[inventory.ClusterMatch] = [self.attributes, *self.expressions]
        return _list_all(parts, lambda part: part.list_unmet(cluster))


def _prepare_predicates(question: inventory.Question) -> inventory.ClusterMatch | None:
    predicates = question.request.spec.predicates
    # Every cluster passes, and no expression is looked at, not even a wrong one.
    if not predicates:
        return None
    # All of them are read first: a wrong one counts although an earlier one may match.
    return _Predicates([_prepare_predicate(one, n, question) for n, one in enumerate(predicates)])


def _prepare_predicate(
    predicate: Predicate, number: int, question: inventory.Question
) -> inventory.ClusterMatch:
    field = f"spec.predicates[{number}].requiredClusterSelector"
    selector = predicate.required_cluster_selector
    try:
        attributes = read_matcher(selector)
    except ValueError as error:
        raise inventory.MisconfiguredError(str(error), inventory.PREDICATE, field) from None
    sources = selector.cel_selector.cel_expressions
    if not sources:
        return attributes
    from spokerender.wings.hubs.ocm.expressions import (  # noqa: PLC0415  (loads CEL: few predicates have expressions)
        prepare_expressions,
    )

    return _WithExpressions(attributes, prepare_expressions(sources, question.inventory, field))


class _Tolerations(Struct, frozen=True):
    tolerations: Sequence[Toleration]
    current: frozenset[str]
    clock: inventory.Clock

    def matches(self, cluster: ManagedCluster) -> bool:
        return not _finds(False, cluster.taints, lambda taint: self._is_passed(taint, cluster.name))

    def list_unmet(self, cluster: ManagedCluster) -> list[str]:
        def describe(taint: Taint) -> list[str]:
            name = f"{taint.key}{'=' * bool(taint.value)}{taint.value}:{taint.effect}"
            is_passed = self._is_passed(taint, cluster.name)
            return [] if is_passed else [f"taint {name}: nothing tolerates it"]

        return _list_all(cluster.taints, describe)

    def _is_passed(self, taint: Taint, name: str) -> bool:
        # OCM makes no preference of it either.
        if taint.effect == "PreferNoSelect":
            return True
        # Of what is selected already no toleration is asked.
        if taint.effect == "NoSelectIfNew" and name in self.current:
            return True
        return any(self._tolerates(toleration, taint, name) for toleration in self.tolerations)

    def _tolerates(self, toleration: Toleration, taint: Taint, name: str) -> bool:
        if toleration.effect not in {"", taint.effect} or toleration.key not in {"", taint.key}:
            return False
        match toleration.operator:
            case "Exists":
                pass
            case "" | "Equal":
                if toleration.value != taint.value:
                    return False
            case _:
                return False
        seconds = toleration.toleration_seconds
        if seconds is None:
            return True
        if not taint.time_added:  # the year 1: over, whenever now is
            return False
        what = f"the toleration of {taint.key} for {seconds} s on {name}"
        # At the very second it is over; a negative number is over from the start.
        return self.clock.seconds_since(taint.time_added, what) < seconds


def _prepare_tolerations(question: inventory.Question) -> inventory.ClusterMatch | None:
    for number, toleration in enumerate(question.request.spec.tolerations):
        field = f"spec.tolerations[{number}]"
        if not toleration.key and toleration.operator != "Exists":
            message = "If the key is empty, operator must be Exists."
            raise inventory.MisconfiguredError(message, inventory.TAINTS, field)
        if toleration.operator == "Exists" and toleration.value:
            message = "If the operator is Exists, the value should be empty."
            raise inventory.MisconfiguredError(message, inventory.TAINTS, field)
    # Any toleration is enough, so one without an end spares the question what time it is.
    timeless_first = sorted(
        question.request.spec.tolerations, key=lambda one: one.toleration_seconds is not None
    )
    return _Tolerations(timeless_first, question.current, question.clock)


FILTERS = (
    Filter(inventory.PREDICATE, _prepare_predicates),
    Filter(inventory.TAINTS, _prepare_tolerations),
)
"""The filters in the order in which they run; a filter does not run if no cluster is left."""
