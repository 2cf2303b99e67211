"""Labels by which other objects find what a Gateway generates.

GEP-1762 has every generated object carry `gateway.networking.k8s.io/gateway-name`, and
`gateway-class-name` with the class; Istio's label is what it had before that, and Envoy Gateway
has a pair of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.edits import read
from spokerender.kinds.selectors import TargetSelector
from spokerender.model import GATEWAY_API, FieldPath
from spokerender.model.selectors import EVERYTHING
from spokerender.model.shapes import as_list

GATEWAY = (GATEWAY_API, "Gateway")
GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name"
GATEWAY_CLASS_NAME = "gateway.networking.k8s.io/gateway-class-name"
_OWNING = "gateway.envoyproxy.io/owning-gateway-"
_NAMESPACE_OF = {
    GATEWAY_NAME: "",
    "istio.io/gateway-name": "",
    f"{_OWNING}name": f"{_OWNING}namespace",
}
"""The label with a Gateway's name, and the one with its namespace where there is such a label."""

_BY_NAME = ("matchLabels", "kubernetes.io/metadata.name")
"""Where a `namespaceSelector` names one namespace, by the label that every Namespace has."""


_EVERY_NAMESPACE: tuple[Any, ...] = ({}, {"any": True})
"""The `namespaceSelector` that looks into all of them: of Kubernetes, and of Prometheus."""


class NamedGateway(Struct, frozen=True):
    """A Gateway that a selector names; the namespace is empty where it is the object's own.

    `path` leads to the mapping of labels, or to the one value of an expression, `name_path` to
    the name. With `selector` it is all Gateways of a class, and `name_path` leads to the class.
    """

    label: str
    name: str
    path: FieldPath
    name_path: FieldPath
    namespace: str = ""
    namespace_path: FieldPath | None = None
    selector: TargetSelector | None = None


def gateways(
    data: Mapping[str, Any], path: FieldPath, entry: Mapping[str, Any], *, can_add: bool = False
) -> Iterator[NamedGateway]:
    """The Gateways that a mapping of labels, or one of `matchExpressions`, at `path` names.

    With `can_add` a `namespaceSelector` may be put beside a selector that has none (the peers of
    a NetworkPolicy). Of a selector that looks into several namespaces, or into some that only a
    cluster knows, nothing is told but a class: which Gateway it means can't be known from files.
    """
    is_expression = isinstance(path[-1], int)
    holder = path[: -2 if is_expression else -1]
    beside = (*holder[:-1], "namespaceSelector")
    scope = read(data, beside)
    namespace, place = _namespace(scope)
    names = _expression_names(path, entry) if is_expression else _label_names(path, entry)
    for named in (*names, *_of_class(path, entry, is_expression, _names(read(data, holder)))):
        own_label = _NAMESPACE_OF.get(named.label, "")
        if own_label and isinstance(own := entry.get(own_label), str) and own:
            yield replace(named, namespace=own, namespace_path=(*path, own_label))
        elif namespace:
            yield replace(named, namespace=namespace, namespace_path=(*beside, *place))
        elif scope is None:
            yield replace(named, namespace_path=(*beside, *_BY_NAME) if can_add else None)
        elif named.selector is not None and scope in _EVERY_NAMESPACE:
            yield replace(named, selector=replace(named.selector, source="All"))


def _label_names(path: FieldPath, labels: Mapping[str, Any]) -> Iterator[NamedGateway]:
    for label in _NAMESPACE_OF:
        if isinstance(name := labels.get(label), str) and name:
            yield NamedGateway(label, name, path, (*path, label))


def _expression_names(path: FieldPath, expression: Mapping[str, Any]) -> Iterator[NamedGateway]:
    label = expression.get("key")
    if isinstance(label, str) and label in _NAMESPACE_OF:
        for index, name in _values(expression):
            place = (*path, "values", index)
            yield NamedGateway(label, name, place, place)


def _of_class(
    path: FieldPath, entry: Mapping[str, Any], is_expression: bool, names: tuple[str, ...]
) -> Iterator[NamedGateway]:
    """What the class's label means: the Gateways of that class, of those that are named beside."""
    places: list[tuple[FieldPath, str]] = []
    if is_expression and entry.get("key") == GATEWAY_CLASS_NAME:
        places = [((*path, "values", index), name) for index, name in _values(entry)]
    elif not is_expression and isinstance(name := entry.get(GATEWAY_CLASS_NAME), str) and name:
        places = [((*path, GATEWAY_CLASS_NAME), name)]
    for place, name in places:
        selector = TargetSelector(EVERYTHING, gateway_class=name, names=names)
        yield NamedGateway(
            GATEWAY_CLASS_NAME, "", place if is_expression else path, place, selector=selector
        )


def _names(selector: Any) -> tuple[str, ...]:  # noqa: ANN401  (JSON of any shape)
    """The Gateways that a whole selector, labels and expressions, names."""
    labels, expressions = (read(selector, (key,)) for key in ("matchLabels", "matchExpressions"))
    named = [*_label_names((), labels)] if isinstance(labels, Mapping) else []
    for entry in as_list(expressions):
        named += _expression_names((), entry) if isinstance(entry, Mapping) else ()
    return tuple(dict.fromkeys(each.name for each in named))


def _values(expression: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """The texts of `values` with their places, if it takes one of them."""
    values = expression.get("values")
    if expression.get("operator") == "In" and isinstance(values, list):
        yield from ((index, name) for index, name in enumerate(values) if _is_text(name))


def _is_text(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, str) and bool(value)


def _namespace(selector: Any) -> tuple[str, FieldPath]:  # noqa: ANN401  (JSON of any shape)
    """The one namespace that a `namespaceSelector` names, and where in it; empty if not one.

    Known are the name's label (Kubernetes sets it on every Namespace) and Prometheus'
    `matchNames`.
    """
    if isinstance(selector, Mapping) and len(selector) == 1:
        for path in (_BY_NAME, ("matchNames", 0)):
            holder, name = read(selector, path[:1]), read(selector, path)
            if isinstance(name, str) and len(holder) == 1:
                return name, path
    return "", ()
