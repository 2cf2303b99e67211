"""Label selectors, as Kubernetes reads them, and the target selectors that policies have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Expression:
    """One of `matchExpressions`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    @classmethod
    def read(cls, data: Any) -> Self:  # noqa: ANN401  (JSON of any shape)
        """Read one entry; with a wrong type in it, it is never met."""
        entry = data if isinstance(data, Mapping) else {}
        key, operator, values = (entry.get(name) for name in ("key", "operator", "values"))
        if isinstance(key, str) and isinstance(operator, str) and isinstance(values or [], list):
            return cls(key, operator, tuple(text for text in values or () if isinstance(text, str)))
        return cls("", "In")

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels meet it; an operator that Kubernetes does not have is never met."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        return False

    def __str__(self) -> str:
        """As kubectl writes it: `tier in (gold,silver)`, `!canary`."""
        match self.operator:
            case "Exists":
                return self.key
            case "DoesNotExist":
                return f"!{self.key}"
        return f"{self.key} {self.operator.lower()} ({','.join(self.values)})"


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """`metav1.LabelSelector`: all of its labels and all of its expressions have to hold.

    One that is empty matches everything (apimachinery, `LabelSelectorAsSelector`).
    """

    labels: tuple[tuple[str, str], ...] = ()
    expressions: tuple[Expression, ...] = ()

    @classmethod
    def read(cls, data: Any) -> Self:  # noqa: ANN401  (JSON of any shape)
        """Read `matchLabels` and `matchExpressions`; with a wrong type in it, it never matches."""
        if not isinstance(data, Mapping):
            return cls(expressions=(_NEVER,))
        labels = data.get("matchLabels") or {}
        expressions = data.get("matchExpressions") or []
        if not (isinstance(labels, Mapping) and isinstance(expressions, list)):
            return cls(expressions=(_NEVER,))
        if not all(isinstance(text, str) for pair in labels.items() for text in pair):
            return cls(expressions=(_NEVER,))
        return cls(tuple(sorted(labels.items())), tuple(map(Expression.read, expressions)))

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected."""
        return all(labels.get(key) == value for key, value in self.labels) and all(
            expression.holds(labels) for expression in self.expressions
        )

    def __str__(self) -> str:
        """As `kubectl get -l` takes it; empty for one that matches everything."""
        return ",".join(
            [*(f"{key}={value}" for key, value in self.labels), *map(str, self.expressions)]
        )


_NEVER = Expression("", "In")
EVERYTHING = LabelSelector()


@dataclass(frozen=True, slots=True)
class TargetSelector:
    """One of `targetSelectors[]`: the labels of the targets, and the namespaces they are in.

    `source` is `Same` (the default), `All` or `Selector` (`namespaces.from` of Envoy Gateway).
    With `gateway_class` it selects what the Gateways of a class generate, by the label that has
    the class's name; of these only those of `names`, if there are any.
    """

    labels: LabelSelector
    source: str = "Same"
    namespaces: LabelSelector = EVERYTHING
    gateway_class: str = ""
    names: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str], name: str = "", gateway_class: str = "") -> bool:
        """Whether a target with these labels, that name and (a Gateway) that class is selected."""
        return (
            self.labels.matches(labels)
            and self.gateway_class in ("", gateway_class)
            and (not self.names or name in self.names)
        )

    def admits_namespace(self, own: str, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether the policy of namespace `own` looks into `namespace`, which has `labels`."""
        match self.source:
            case "All":
                return True
            case "Selector":
                return self.namespaces.matches(labels)
        return self.source == "Same" and namespace == own
