"""References: what an object names, read by its kind's row. Nothing here raises on odd data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.kinds import labels
from spokerender.kinds.delegation import ROUTE, delegated
from spokerender.kinds.edits import read
from spokerender.kinds.kind import SECTIONS, Kind, NamespaceRule, ReferencePath, Role, Targetless
from spokerender.kinds.paths import found, segments
from spokerender.kinds.reference import Reference
from spokerender.kinds.selectors import TargetSelector
from spokerender.kinds.table import find_row, is_cluster_scoped
from spokerender.model import GATEWAY_API, FieldPath, Ref
from spokerender.model.selectors import LabelSelector

_CORE = "core"


def spelled_group(group: str) -> str:
    """An API group; the core group, which has no name, is called `core` in manifests too.

    Most controllers take it so (NGINX Gateway Fabric, Kong, kgateway, Traefik), for texts of the
    Gateway API call it that.
    """
    return "" if group == _CORE else group


def is_of_gateway_api(kind: str) -> bool:
    """Whether a kind is the Gateway API's, and no core one."""
    return find_row(GATEWAY_API, kind) is not None and find_row("", kind) is None


def references(kind: Kind, data: Mapping[str, Any], namespace: str) -> tuple[Reference, ...]:
    """What the object names, in the order of its kind's row, then of the document.

    `namespace` is the object's own. Entries that can't be understood are passed over;
    `malformed` tells of them.
    """
    found_here = tuple(link for row in kind.references for link in _read(row, data, namespace))
    if kind.is_route:
        found_here += tuple(_of_scope(data, namespace))
    if not found_here and kind.targetless is Targetless.NAMESPACE and not _selects(kind, data):
        return (_of_namespace(namespace),)
    return found_here


def _selects(kind: Kind, data: Mapping[str, Any]) -> bool:
    """Whether there is anything where such a policy says what it is for, whatever it is."""
    fields = {segments(row.path)[:2] for row in kind.references}
    return any(read(data, field) is not None for field in fields)


WHOLE_NAMESPACE = ReferencePath("metadata.namespace", Role.SELECTOR)
"""What a policy without a target is for, where that means everything in its namespace."""
ROOT_NAMESPACE = "istio-system"
"""Where that is everything there is (Istio, `rootNamespace`, its default)."""


def _of_namespace(own: str) -> Reference:
    """The Gateways that a policy without a target is for."""
    source = "All" if own == ROOT_NAMESPACE else "Same"
    gateways = Ref(GATEWAY_API, "Gateway", own, "")
    selector = TargetSelector(LabelSelector(), source)
    return Reference(segments(WHOLE_NAMESPACE.path), WHOLE_NAMESPACE, gateways, selector=selector)


DEFAULT_GATEWAYS = ReferencePath("spec.useDefaultGateways", Role.PARENT)
"""The parents of a route that wants default Gateways (GEP-3793, experimental)."""
NO_SCOPE = "None"


def _of_scope(data: Mapping[str, Any], own: str) -> Iterator[Reference]:
    """All Gateways whose `defaultScope` is the one that a route wants, wherever they are."""
    path = segments(DEFAULT_GATEWAYS.path)
    scope = read(data, path)
    if isinstance(scope, str) and scope not in ("", NO_SCOPE):
        selector = TargetSelector(LabelSelector(), "All", scope=scope)
        gateways = Ref(GATEWAY_API, "Gateway", own, "")
        yield Reference(path, DEFAULT_GATEWAYS, gateways, selector=selector)


def _read(row: ReferencePath, data: Mapping[str, Any], own: str) -> Iterator[Reference]:
    for path, entry in found(data, row.path):
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
    if row.role is Role.BACKEND and (selector := delegated(group, kind, explicit, name)):
        yield Reference(path, row, Ref(*ROUTE, explicit or own, ""), selector=selector)
        return
    clusterwide = is_cluster_scoped(group, kind)
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
    )


def _by_selector(
    row: ReferencePath, path: FieldPath, entry: Mapping[str, Any], own: str
) -> Iterator[Reference]:
    group, kind = _group_kind(row, entry)
    if group is None or not kind:
        return
    namespaces = entry.get("namespaces")
    selector = TargetSelector(
        labels=LabelSelector.read(entry),
        source=str(read(namespaces, ("from",)) or "Same"),
        namespaces=LabelSelector.read(read(namespaces, ("selector",))),
    )
    target = Ref(group, kind, own, "")
    yield Reference(path, row, target, _sections(entry, row), selector=selector)


def _group_kind(row: ReferencePath, entry: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Group and kind by the CRD's defaults; of an assumed shape, only those that are written."""
    group = _text(entry, "group", None if row.assumed else row.default_group)
    kind = _text(entry, "kind", None if row.assumed else row.default_kind)
    if row.infers_group and not group and kind and is_of_gateway_api(kind):
        return GATEWAY_API, kind
    return spelled_group(group) if group is not None else None, kind


def _text(entry: Mapping[str, Any], key: str, default: str | None) -> str | None:
    """The text at the key, or the default where it is absent or null; None if it is no text."""
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
    for named in labels.gateways(data, path, entry, can_add=row.role is Role.PEER):
        yield Reference(
            path=named.path,
            row=row,
            ref=Ref(*labels.GATEWAY, named.namespace or own, named.name),
            explicit_namespace=bool(named.namespace),
            selector=named.selector,
            label=named.label,
            name_path=named.name_path,
            namespace_path=named.namespace_path,
        )
