"""CEL expressions of predicates, evaluated over a cluster's typed object as OCM does.

Source: OCM `pkg/placement/helpers/cel.go`; the fields of `cluster/v1`, `types.go`, in JSON.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.formats.cel import NotCompiledError, UnevaluableError, clusters
from spokerender.model.budget import Budget, BudgetSpentError
from spokerender.model.memo import memoised
from spokerender.model.quantities import canonical_quantity
from spokerender.model.shapes import without_nulls
from spokerender.wings.hubs.ocm.inventory import (
    PREDICATE,
    Inventory,
    MisconfiguredError,
    NotEvaluableError,
)
from spokerender.wings.hubs.ocm.objects import ManagedCluster

# What is left of ObjectMeta in the map that OCM gives to CEL: no creationTimestamp, and of the
# object neither apiVersion nor kind.
_METADATA = frozenset({
    "name", "generateName", "uid", "resourceVersion", "generation", "deletionTimestamp", "labels",
    "deletionGracePeriodSeconds", "annotations", "ownerReferences", "finalizers", "managedFields",
})  # fmt: skip
_MOST_STEPS = 5_000_000
"""20 Placements over 20 claims of 1,000 clusters take 600,000 steps; this many take seconds."""
_SPEC = ("managedClusterClientConfigs", "leaseDurationSeconds")
_STATUS = ("clusterClaims", "managedNamespaces")
_CONDITION = {"type": "", "status": "", "lastTransitionTime": None, "reason": "", "message": ""}


class _ClusterExpression(Struct, frozen=True, eq=False):
    """A compiled CEL expression in a predicate of a Placement."""

    source: str
    program: clusters.ClusterProgram
    inventory: Inventory
    field: str

    def matches(self, cluster: ManagedCluster) -> bool:
        # helpers/cel.go: whatever is not true, an error too, is no match, without a word.
        return not self._answer(cluster)

    def list_unmet(self, cluster: ManagedCluster) -> list[str]:
        answer = self._answer(cluster)
        return [f"expression {self.source}: {answer}"] if answer else []

    def _answer(self, cluster: ManagedCluster) -> str:
        bound = _bind(self.inventory, cluster)
        try:
            _budget(self.inventory).spend(self.program.weigh(bound), "it, after all others,")
            return self.program.answer(bound, self._find_scores)
        except (UnevaluableError, BudgetSpentError) as error:
            raise NotEvaluableError(self.source, error, self.field) from None

    def _find_scores(self, namespace: str, name: str) -> list[dict[str, Any]] | None:
        status = self.inventory.scores.get((namespace, name))
        if status is None:
            return None
        # `validUntil` is not asked here, but by the prioritizer; and there is no `quantity`, which
        # the function's own comment promises.
        return [{"name": item.name, "value": item.value} for item in status.scores]


def prepare_expressions(
    sources: Sequence[str], inventory: Inventory, field: str = "spec"
) -> tuple[_ClusterExpression, ...]:
    """Compile the expressions of the selector at `field`.

    Raises `MisconfiguredError` if an expression does not compile in OCM, `NotEvaluableError` if it
    can't be compiled here, though it may in OCM.
    """
    place = f"{field}.celSelector.celExpressions"
    return tuple(
        _prepare(source, inventory, f"{place}[{number}]") for number, source in enumerate(sources)
    )


def _prepare(source: str, inventory: Inventory, field: str) -> _ClusterExpression:
    try:
        return _ClusterExpression(source, clusters.compile_predicate(source), inventory, field)
    except NotCompiledError as error:
        raise MisconfiguredError(f"compilation failed: {error}", PREDICATE, field) from None
    except UnevaluableError as error:
        raise NotEvaluableError(source, error, field) from None


@memoised
def _budget(_inventory: Inventory) -> Budget:
    """Return the budget of steps that all expressions of a hub share."""
    return Budget(_MOST_STEPS)


@memoised
def _bind(_inventory: Inventory, cluster: ManagedCluster) -> clusters.BoundCluster:
    return clusters.bind_cluster(typed_object(cluster))


def typed_object(cluster: ManagedCluster) -> dict[str, Any]:
    """Return a cluster as Go writes its type to JSON: empty fields, canonical quantities, nulls."""
    data = without_nulls(cluster.object)
    metadata = {key: value for key, value in data["metadata"].items() if key in _METADATA and value}
    # The hub's own label for the default set is among them (`inventory`).
    metadata["labels"] = dict(cluster.labels)
    spec, status = data.get("spec") or {}, data.get("status") or {}
    typed_spec = {"hubAcceptsClient": spec.get("hubAcceptsClient", False)}
    typed_spec.update((key, spec[key]) for key in _SPEC if spec.get(key))
    # The CRD's default, which no file has.
    typed_spec.setdefault("leaseDurationSeconds", 60)
    if taints := spec.get("taints"):
        typed_spec["taints"] = [_typed_taint(taint) for taint in taints]
    conditions = status.get("conditions")
    typed_status: dict[str, Any] = {
        # Without `omitempty` in its Go type: null and not absent where there are none.
        "conditions": [_typed_condition(one) for one in conditions] if conditions else None,
        "version": {key: text for key, text in (status.get("version") or {}).items() if text},
    }
    typed_status.update((key, status[key]) for key in _STATUS if status.get(key))
    for key in ("allocatable", "capacity"):
        if status.get(key):
            typed_status[key] = {
                # The JSON of a resource.Quantity is canonical: `0.5Gi` is read as `512Mi`.
                name: canonical_quantity(str(value))
                for name, value in status[key].items()
            }
    return {"metadata": metadata, "spec": typed_spec, "status": typed_status}


def _typed_taint(taint: Mapping[str, Any]) -> dict[str, Any]:
    value = {"value": taint["value"]} if taint.get("value") else {}
    # A zero metav1.Time is written as null.
    added = {"timeAdded": taint.get("timeAdded")}
    return {"key": taint.get("key", ""), **value, "effect": taint.get("effect", ""), **added}


def _typed_condition(condition: Mapping[str, Any]) -> dict[str, Any]:
    generation = condition.get("observedGeneration")
    more = {"observedGeneration": generation} if generation else {}
    return {**{key: condition.get(key, default) for key, default in _CONDITION.items()}, **more}
