"""Labels by which other objects find what a Gateway generates.

GEP-1762 has every generated object carry `gateway.networking.k8s.io/gateway-name`; Istio's
label is what it had before that, and Envoy Gateway has a pair of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from render.kinds.edits import read
from render.model import GATEWAY_API, FieldPath

GATEWAY = (GATEWAY_API, "Gateway")
GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name"
_OWNING = "gateway.envoyproxy.io/owning-gateway-"
_NAMESPACE_OF = {
    GATEWAY_NAME: "",
    "istio.io/gateway-name": "",
    f"{_OWNING}name": f"{_OWNING}namespace",
}
"""The label with a Gateway's name, and the one with its namespace where there is such a label."""

_NAME_OF_NAMESPACE = "kubernetes.io/metadata.name"


@dataclass(frozen=True, slots=True)
class NamedGateway:
    """A Gateway that a selector names; the namespace is empty where it is the object's own.

    `path` leads to the mapping of labels, or to the one value of an expression.
    """

    label: str
    name: str
    path: FieldPath
    name_path: FieldPath
    namespace: str = ""
    namespace_path: FieldPath | None = None


def gateways(
    data: Mapping[str, Any], path: FieldPath, entry: Mapping[str, Any]
) -> Iterator[NamedGateway]:
    """The Gateways that a mapping of labels, or one of `matchExpressions`, at `path` names.

    Nothing is told of a selector that looks into several namespaces, or into some that only a
    cluster knows: which Gateway it means can't be known from files.
    """
    if isinstance(path[-1], int):
        beside, names = (*path[:-3], "namespaceSelector"), list(_expression_names(path, entry))
    else:
        beside, names = (*path[:-2], "namespaceSelector"), list(_label_names(path, entry))
    scope = read(data, beside)
    namespace, place = _namespace(scope)
    for named in names:
        own_label = _NAMESPACE_OF[named.label]
        if isinstance(own := entry.get(own_label), str) and own:
            yield replace(named, namespace=own, namespace_path=(*path, own_label))
        elif namespace:
            yield replace(named, namespace=namespace, namespace_path=(*beside, *place))
        elif scope is None:
            yield named


def _label_names(path: FieldPath, labels: Mapping[str, Any]) -> Iterator[NamedGateway]:
    for label in _NAMESPACE_OF:
        if isinstance(name := labels.get(label), str) and name:
            yield NamedGateway(label, name, path, (*path, label))


def _expression_names(path: FieldPath, expression: Mapping[str, Any]) -> Iterator[NamedGateway]:
    label, values = expression.get("key"), expression.get("values")
    if not (isinstance(label, str) and label in _NAMESPACE_OF and isinstance(values, list)):
        return
    if expression.get("operator") == "In":
        for index, name in enumerate(values):
            if isinstance(name, str) and name:
                place = (*path, "values", index)
                yield NamedGateway(label, name, place, place)


def _namespace(selector: Any) -> tuple[str, FieldPath]:  # noqa: ANN401  (JSON of any shape)
    """The one namespace that a `namespaceSelector` names, and where in it; empty if not one.

    Known are the name's label (Kubernetes sets it on every Namespace) and Prometheus'
    `matchNames`.
    """
    if isinstance(selector, Mapping) and len(selector) == 1:
        for path in (("matchLabels", _NAME_OF_NAMESPACE), ("matchNames", 0)):
            holder, name = read(selector, path[:1]), read(selector, path)
            if isinstance(name, str) and len(holder) == 1:
                return name, path
    return "", ()
