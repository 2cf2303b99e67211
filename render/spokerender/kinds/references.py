"""Reads the references in an object according to its kind's row; malformed data raises nothing."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.fields import find_values, read_value, split_pattern
from spokerender.kinds.kind import SECTIONS, Kind, NamespaceRule, ReferencePath, Role, Targetless
from spokerender.kinds.reference import Reference, TargetSelector
from spokerender.kinds.table import find_row, is_cluster_scoped
from spokerender.model import GATEWAY
from spokerender.model.refs import GATEWAY_API, FieldPath, Ref
from spokerender.model.selectors import EVERYTHING, Selector
from spokerender.model.shapes import Json, as_list, as_mapping

ROUTE = (GATEWAY_API, "HTTPRoute")
"""The kind of routes that delegate and of the routes that they delegate to."""

_LABELS = {
    (f"delegation.{vendor}", "label"): f"delegation.{vendor}/label"
    for vendor in ("kgateway.dev", "gateway.solo.io")
}
"""Group and kind of a backend reference that selects routes by a label, with that label's key."""

PRIORITY = "kgateway.dev/inherited-policy-priority"
"""The annotation of a parent route by which its own policies override its children's, or not.

kgateway 48460f7, api/annotations/policy.go; it is read from HTTPRoutes only.
"""
PREFERS_PARENT = ("ShallowMergePreferParent", "DeepMergePreferParent")
MERGES_DEEP = ("DeepMergePreferParent", "DeepMergePreferChild")

# kgateway and Gloo: a rule may delegate to every route of a namespace, or to those with a label.
_EVERY_ROUTE = "*"
_EVERY_NAMESPACE = "all"


def select_children(group: str, kind: str, namespace: str, name: str) -> TargetSelector | None:
    """Return the selector of a backend reference that means several routes; otherwise None."""
    label = _LABELS.get((group, kind))
    if label is not None:
        source = "All" if namespace == _EVERY_NAMESPACE else "Same"
        return TargetSelector(Selector(((label, name),)), source)
    if (group, kind) == ROUTE and name == _EVERY_ROUTE:
        return TargetSelector(Selector())
    return None


GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name"
GATEWAY_CLASS_NAME = "gateway.networking.k8s.io/gateway-class-name"
_OWNING = "gateway.envoyproxy.io/owning-gateway-"
_NAMESPACE_OF = {
    GATEWAY_NAME: "",
    "istio.io/gateway-name": "",
    f"{_OWNING}name": f"{_OWNING}namespace",
}
"""Labels with a Gateway's name, each with the label that has the namespace, or empty."""

_BY_NAME = ("matchLabels", "kubernetes.io/metadata.name")
"""The label with a namespace's name, as a path in a `namespaceSelector`: every Namespace has it."""


_EVERY_NAMESPACE_SELECTORS: tuple[Any, ...] = ({}, {"any": True})
"""The values of `namespaceSelector` that mean all namespaces, of Kubernetes and Prometheus."""


class NamedGateway(Struct, frozen=True):
    """A Gateway that a label selector names; if the namespace is empty, it is the object's own.

    `path` leads to the mapping of labels or to the value in an expression, `name_path` to the name.
    If `selector` is set, it selects all Gateways of a class (`name_path` then leads to the class),
    or those of a name in every namespace.
    """

    label: str
    name: str
    path: FieldPath
    name_path: FieldPath
    namespace: str = ""
    namespace_path: FieldPath | None = None
    selector: TargetSelector | None = None


def _labelled_gateways(
    data: Mapping[str, Any], path: FieldPath, entry: Mapping[str, Any], *, can_add: bool = False
) -> Iterator[NamedGateway]:
    """Yield the Gateways that the labels, or the expression, at `path` name.

    If `can_add`, a `namespaceSelector` may be added beside a selector that has none (for the peers
    of a NetworkPolicy). If several namespaces are selected, or namespaces that only a cluster
    knows, only a Gateway's class is yielded: files don't show which Gateway the selector means.
    """
    is_expression = isinstance(path[-1], int)
    holder = path[: -2 if is_expression else -1]
    beside = (*holder[:-1], "namespaceSelector")
    scope = read_value(data, beside)
    namespace, place = _namespace(scope)
    names = _expression_names(path, entry) if is_expression else _label_names(path, entry)
    for named in (*names, *_of_class(path, entry, is_expression, _names(read_value(data, holder)))):
        own_label = _NAMESPACE_OF.get(named.label, "")
        # Envoy Gateway also labels generated objects with the namespace, as all are in one
        # namespace.
        if own_label and isinstance(own := entry.get(own_label), str) and own:
            yield replace(named, namespace=own, namespace_path=(*path, own_label))
        elif namespace:
            yield replace(named, namespace=namespace, namespace_path=(*beside, *place))
        # Without a `namespaceSelector` the selector is for the object's own namespace.
        elif scope is None:
            yield replace(named, namespace_path=(*beside, *_BY_NAME) if can_add else None)
        elif named.selector is not None and scope in _EVERY_NAMESPACE_SELECTORS:
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


def _names(selector: Json) -> tuple[str, ...]:
    labels, expressions = (
        read_value(selector, (key,)) for key in ("matchLabels", "matchExpressions")
    )
    named = [*_label_names((), labels)] if isinstance(labels, Mapping) else []
    for entry in as_list(expressions):
        named += _expression_names((), entry) if isinstance(entry, Mapping) else ()
    return tuple(dict.fromkeys(gateway.name for gateway in named))


def read_other_labels(data: Mapping[str, Any], path: FieldPath) -> Selector:
    """Return the label selector at `path`, without the labels that name Gateways."""
    holder = read_value(data, path[: -4 if isinstance(path[-1], int) else -1])
    labels = as_mapping(holder.get("matchLabels", holder.get(path[-1])))
    selector = Selector.read({**holder, "matchLabels": labels})
    own = {*_NAMESPACE_OF, *_NAMESPACE_OF.values(), GATEWAY_CLASS_NAME}
    return Selector(
        tuple(label for label in selector.labels if label[0] not in own),
        tuple(item for item in selector.expressions if item.key not in own),
    )


def _values(expression: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield the index and text of each item of `values`, if the operator is `In`."""
    values = expression.get("values")
    if expression.get("operator") == "In" and isinstance(values, list):
        named = enumerate(values)
        yield from ((at, name) for at, name in named if isinstance(name, str) and name)


def _namespace(selector: Json) -> tuple[str, FieldPath]:
    """Return the single namespace that a `namespaceSelector` names, and its path; else empty.

    Recognized are the label that Kubernetes sets on every Namespace, and Prometheus' `matchNames`.
    """
    if isinstance(selector, Mapping) and len(selector) == 1:
        for path in (_BY_NAME, ("matchNames", 0)):
            holder, name = read_value(selector, path[:1]), read_value(selector, path)
            # With a second label or name it is not this one namespace.
            if isinstance(name, str) and len(holder) == 1:
                return name, path
    return "", ()


_CORE = "core"


def normalize_group(group: str) -> str:
    """Return an API group; `core` means the core group, which is empty.

    Most controllers treat `core` so (NGINX Gateway Fabric, Kong, kgateway, Traefik), as texts of
    the Gateway API use that name.
    """
    return "" if group == _CORE else group


def is_of_gateway_api(kind: str) -> bool:
    """Return whether the Gateway API has a kind of this name, and the core group has none."""
    return find_row(GATEWAY_API, kind) is not None and find_row("", kind) is None


def read_references(kind: Kind, data: Mapping[str, Any], namespace: str) -> tuple[Reference, ...]:
    """Return an object's references, in the order of its kind's fields, then of the document.

    `namespace` is the object's namespace. Malformed entries are skipped; `malformed` reports them.
    """
    found_here = tuple(link for row in kind.references for link in _read(row, data, namespace))
    if kind.is_route:
        found_here += tuple(_of_scope(data, namespace))
    # A selector that names no Gateway selects other workloads.
    if not found_here and kind.targetless is Targetless.NAMESPACE and not _selects(kind, data):
        return (_of_namespace(namespace),)
    return found_here


def _selects(kind: Kind, data: Mapping[str, Any]) -> bool:
    fields = {split_pattern(row.path)[:2] for row in kind.references}
    return any(_has_content(read_value(data, field)) for field in fields)


def _has_content(value: object) -> bool:
    """Return whether a value is not empty; a mapping of empty values counts as empty."""
    if isinstance(value, Mapping):
        return any(map(_has_content, value.values()))
    return bool(value) if isinstance(value, list) else value is not None


WHOLE_NAMESPACE = ReferencePath("metadata.namespace", Role.SELECTOR)
"""The reference of a policy that has no target and so applies to its whole namespace."""
ROOT_NAMESPACE = "istio-system"
"""The namespace whose policies apply to the whole mesh (Istio's default `rootNamespace`)."""


def _of_namespace(own: str) -> Reference:
    """Return a reference to the Gateways that a policy in `own` without a target applies to."""
    source = "All" if own == ROOT_NAMESPACE else "Same"
    gateways = Ref(*GATEWAY, own, "")
    selector = TargetSelector(Selector(), source)
    return Reference(
        split_pattern(WHOLE_NAMESPACE.path), WHOLE_NAMESPACE, gateways, selector=selector
    )


DEFAULT_GATEWAYS = ReferencePath("spec.useDefaultGateways", Role.PARENT)
"""The reference of a route that asks for default Gateways (GEP-3793, experimental)."""
NO_SCOPE = "None"


def _of_scope(data: Mapping[str, Any], own: str) -> Iterator[Reference]:
    path = split_pattern(DEFAULT_GATEWAYS.path)
    scope = read_value(data, path)
    if isinstance(scope, str) and scope not in ("", NO_SCOPE):
        selector = TargetSelector(Selector(), "All", scope=scope)
        gateways = Ref(*GATEWAY, own, "")
        yield Reference(path, DEFAULT_GATEWAYS, gateways, selector=selector)


def _read(row: ReferencePath, data: Mapping[str, Any], own: str) -> Iterator[Reference]:
    for path, entry in find_values(data, row.path):
        if not isinstance(entry, Mapping):
            continue
        if row.role in (Role.LABEL, Role.PEER):
            yield from _by_label(row, data, path, entry, own)
        elif row.role is Role.SELECTOR:
            yield from _by_selector(row, path, entry, own)
        else:
            yield from _by_name(row, path, entry, own)


def _by_name(
    row: ReferencePath, path: FieldPath, entry: Mapping[str, Any], own: str
) -> Iterator[Reference]:
    group, kind = _group_kind(row, entry)
    name, explicit = _text(entry, "name", ""), _text(entry, "namespace", "")
    if group is None or not kind or not name or explicit is None:
        return
    if row.role is Role.BACKEND and (selector := select_children(group, kind, explicit, name)):
        yield Reference(path, row, Ref(*ROUTE, explicit or own, ""), selector=selector)
        return
    clusterwide = is_cluster_scoped(group, kind)
    # No namespace is added if the kind has no such field, or must not use it: API servers drop or
    # refuse it (Istio's has to be empty, AWS' the object's own).
    says_namespace = explicit or row.namespace is NamespaceRule.ANY
    port = entry.get("port")
    yield Reference(
        path=path,
        row=row,
        ref=Ref(group, kind, "" if clusterwide else explicit or own, name),
        sections=_sections(entry, row),
        explicit_namespace=bool(explicit) and not clusterwide,
        port=port if isinstance(port, int) and not isinstance(port, bool) else None,
        name_path=(*path, "name"),
        namespace_path=(*path, "namespace") if says_namespace else None,
        # Without a weight it is 1 (`BackendRef.weight`).
        is_idle=row.role is Role.BACKEND and entry.get("weight") == 0,
    )


def _by_selector(
    row: ReferencePath, path: FieldPath, entry: Mapping[str, Any], own: str
) -> Iterator[Reference]:
    group, kind = _group_kind(row, entry)
    if group is None or not kind:
        return
    namespaces = entry.get("namespaces")
    selector = TargetSelector(
        labels=Selector.read(entry),
        source=str(read_value(namespaces, ("from",)) or "Same"),
        namespaces=Selector.read(read_value(namespaces, ("selector",))),
    )
    yield Reference(path, row, Ref(group, kind, own, ""), _sections(entry, row), selector=selector)


def _group_kind(row: ReferencePath, entry: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return a reference's group and kind, by default the CRD's; assumed fields have no default."""
    group = _text(entry, "group", None if row.assumed else row.default_group)
    kind = _text(entry, "kind", None if row.assumed else row.default_kind)
    # Controllers that require no group infer it from the kind; a core kind of that name has
    # priority.
    if row.infers_group and not group and kind and is_of_gateway_api(kind):
        return GATEWAY_API, kind
    return normalize_group(group) if group is not None else None, kind


def _text(entry: Mapping[str, Any], key: str, default: str | None) -> str | None:
    """Return the text at `key`: `default` if absent or null; None if it is not a text."""
    value = entry.get(key)
    if value is None:
        return default
    return value if isinstance(value, str) else None


def _sections(entry: Mapping[str, Any], row: ReferencePath) -> tuple[str, ...]:
    value = entry.get(row.section) if row.section else None
    texts = value if isinstance(value, list) and row.section == SECTIONS else [value]
    return tuple(text for text in texts if text and isinstance(text, str))


def _by_label(
    row: ReferencePath,
    data: Mapping[str, Any],
    path: FieldPath,
    entry: Mapping[str, Any],
    own: str,
) -> Iterator[Reference]:
    for named in _labelled_gateways(data, path, entry, can_add=row.role is Role.PEER):
        # In the root namespace a selector applies to the whole mesh.
        if row.from_root and own == ROOT_NAMESPACE and not named.namespace and named.name:
            everywhere = TargetSelector(EVERYTHING, source="All", names=(named.name,))
            named = replace(named, name="", selector=everywhere)  # noqa: PLW2901  (one more case)
        yield Reference(
            path=named.path,
            row=row,
            ref=Ref(*GATEWAY, named.namespace or own, named.name),
            explicit_namespace=bool(named.namespace),
            selector=named.selector,
            label=named.label,
            name_path=named.name_path,
            namespace_path=named.namespace_path,
        )
