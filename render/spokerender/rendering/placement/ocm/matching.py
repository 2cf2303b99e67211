"""Selectors of labels and claims, refused as Kubernetes refuses them.

Source: apimachinery, `LabelSelectorAsSelector` and `labels.NewRequirement`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.model import names
from spokerender.model.selectors import EVERYTHING, Expression, Selector
from spokerender.rendering.placement.ocm.objects import ClusterPredicate, ManagedCluster

_SETS = ("In", "NotIn")
_OPERATORS = (*_SETS, "Exists", "DoesNotExist")


class AttributeMatcher(Struct, frozen=True):
    """The selectors of labels and claims of a predicate; both must match."""

    labels: Selector
    claims: Selector

    def matches(self, cluster: ManagedCluster) -> bool:
        """Tell whether a cluster has these labels and claims."""
        return self.labels.matches(cluster.labels) and self.claims.matches(cluster.claims)

    def list_unmet(self, cluster: ManagedCluster) -> list[str]:
        """Return the conditions that a cluster does not meet, each with the value that it has."""
        parts = (("label", self.labels, cluster.labels), ("claim", self.claims, cluster.claims))
        return [reason for part in parts for reason in _list_unmet(*part)]


def _list_unmet(sort: str, selector: Selector, texts: Mapping[str, str]) -> Iterator[str]:
    for key, value in selector.labels:
        if texts.get(key) != value:
            yield f"{sort} {key}={value}: it has {_describe(texts, key)}"
    for expression in selector.expressions:
        if not expression.holds(texts):
            yield f"{sort} {expression}: it has {_describe(texts, expression.key)}"


def read_matcher(predicate: ClusterPredicate) -> AttributeMatcher:
    """Read the selectors of a predicate. Raises ValueError with Kubernetes' message."""
    claims = {"matchExpressions": predicate.claim_selector.get("matchExpressions") or []}
    return AttributeMatcher(read_selector(predicate.label_selector), read_selector(claims))


def read_selector(data: Mapping[str, Any]) -> Selector:
    """Read a selector; an empty one matches everything. Raises ValueError."""
    selector = Selector.read(data) if data else EVERYTHING
    for key, value in selector.labels:
        _refuse(names.label_key_fault(key), "key", key)
        _refuse(names.label_value_fault(value), "values[0][" + key + "]", value)
    for expression in selector.expressions:
        _check(expression)
    return selector


def _check(expression: Expression) -> None:
    if expression.operator not in _OPERATORS:
        message = f'"{expression.operator}" is not a valid label selector operator'
        raise ValueError(message)
    _refuse(names.label_key_fault(expression.key), "key", expression.key)
    if expression.operator in _SETS and not expression.values:
        message = (
            "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
        )
        raise ValueError(message)
    if expression.operator not in _SETS and expression.values:
        values = ",".join(f'"{value}"' for value in expression.values)
        message = (
            f"values: Invalid value: [{values}]: "
            "values set must be empty for exists and does not exist"
        )
        raise ValueError(message)
    for index, value in enumerate(expression.values):
        _refuse(names.label_value_fault(value), f"values[{index}][{expression.key}]", value)


def _refuse(fault: str, field: str, value: str) -> None:
    if fault:
        message = f'{field}: Invalid value: "{value}": {fault}'
        raise ValueError(message)


def _describe(texts: Mapping[str, str], key: str) -> str:
    return f"{key}={texts[key]}" if key in texts else "none"
