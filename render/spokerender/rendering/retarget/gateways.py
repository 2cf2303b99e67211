"""The Gateways of a spoke, the listeners of Gateways and ListenerSets, and the ReferenceGrants.

ReferenceGrants of the hub follow the gateways they are about; none is generated. A grant is in the
namespace of its referents and names the namespaces of its referrers (GEP-709):
`spec.from[].namespace` follows referrers that move. If Gateways are referents (Envoy Gateway's
selectors), `spec.to[].name` and the grant itself follow them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spokerender.formats.patching import merge
from spokerender.kinds.fields import REMOVE, Edits, apply_edits, read_value
from spokerender.kinds.reference import GRANT
from spokerender.model import PlacedGateway, Ref
from spokerender.model.shapes import Json, as_list, as_mapping
from spokerender.rendering.retarget.hostnames import HostnameMap, annotation_edits, mapped

_NAMESPACES = ("allowedRoutes", "namespaces")


def spoke_gateway(
    data: Mapping[str, Any], placed: PlacedGateway, gateway_class: str
) -> tuple[dict[str, Any], Edits]:
    """Return the hub's Gateway as its rule changes it, and the edits of its fields.

    `data` is cleaned already. The edits don't include listeners that the rule declares.
    """
    edits: Edits = {
        ("metadata", "name"): placed.ref.name,
        ("metadata", "namespace"): placed.ref.namespace,
        **({("spec", "gatewayClassName"): gateway_class} if gateway_class else {}),
        **map_hostnames(data, placed.hostnames),
        **marks(placed),
    }
    # First, as the listeners that a rule declares have the spoke's hostnames already.
    result: dict[str, Any] = apply_edits(data, edits)
    declared: Sequence[Mapping[str, Any]] = placed.listeners.data
    allowed = placed.allowed_routes.data
    if not allowed and not declared:
        return result, edits
    listeners = as_list(read_value(result, ("spec", "listeners")))
    if allowed:
        listeners = [_admitting(entry, allowed) for entry in listeners]
        declared = [
            # A declared listener with its own namespaces is an exception from the rule's.
            entry if read_value(entry, _NAMESPACES) else _admitting(entry, allowed)
            for entry in declared
        ]
    merged = merged_listeners(listeners, declared)
    return dict(apply_edits(result, {("spec", "listeners"): merged})), edits


def _admitting(listener: Json, allowed: Mapping[str, Any]) -> Json:
    """Return a listener that allows routes as in `allowed`; allowed kinds are unchanged."""
    if not isinstance(listener, Mapping):
        return listener
    routes = {**as_mapping(listener.get("allowedRoutes")), **allowed}
    return {**listener, "allowedRoutes": routes}


def marks(placed: PlacedGateway) -> Edits:
    """Return the edits of labels and annotations that a rule sets, or removes with null."""
    return {
        ("metadata", field, key): REMOVE if value is None else value
        for field, pairs in (("labels", placed.labels), ("annotations", placed.annotations))
        for key, value in pairs
    }


def merged_listeners(
    hub: Json,
    declared: Sequence[Mapping[str, Any]],
) -> list[Any]:
    """Return the hub's listeners with the declared ones merged by name; new names come last."""
    by_name = {entry["name"]: entry for entry in declared}
    merged = [
        merge(entry, by_name.pop(str(entry.get("name")), {}))
        if isinstance(entry, Mapping)
        else entry
        for entry in as_list(hub)
    ]
    return merged + list(by_name.values())


def move_edits(data: Mapping[str, Any], ref: Ref) -> Edits:
    """Return the edits that give an object the namespace and the name of `ref`."""
    # Also if the hub's object has no namespace: otherwise the one who applies it would choose it.
    pairs = (("namespace", ref.namespace), ("name", ref.name))
    return {
        ("metadata", key): name for key, name in pairs if name and data["metadata"].get(key) != name
    }


def map_hostnames(data: Mapping[str, Any], rules: HostnameMap) -> Edits:
    """Return the edits that map hostnames in annotations and listeners (also of ListenerSets)."""
    if not rules:
        return {}
    listeners = read_value(data, ("spec", "listeners"))
    return annotation_edits(data, lambda hostname: mapped(hostname, rules)) | {
        ("spec", "listeners", index, "hostname"): hostname
        for index, entry in enumerate(as_list(listeners))
        if isinstance(entry, Mapping)
        and isinstance(entry.get("hostname"), str)
        and (hostname := mapped(entry["hostname"], rules)) is not None
    }


FindNamespaces = Callable[[str, str, str], tuple[str, ...] | None]
FindRefs = Callable[[str, str, str], Sequence[Ref | None] | None]


def is_grant(ref: Ref) -> bool:
    """Return whether the object is a ReferenceGrant."""
    return (ref.group, ref.kind) == GRANT


def spoke_grant(data: dict[str, Any], find_namespaces: FindNamespaces) -> dict[str, Any] | None:
    """Return the grant with its referrers as on the spoke; None if the spoke has none of them.

    `find_namespaces` returns the spoke namespaces of the objects of a kind in a namespace of the
    hub. It returns None if the hub has no such object: then the entry is unchanged.
    """
    entries = read_value(data, ("spec", "from"))
    if not isinstance(entries, list):
        return None
    spoke_entries: list[Any] = []
    has_referrer = False
    for entry in entries:
        is_entry = isinstance(entry, Mapping)
        namespaces = find_namespaces(*_fields(entry, "namespace")) if is_entry else None
        # The hub does not know the namespaces of objects that only the spoke has.
        if namespaces is None:
            spoke_entries.append(entry)
            continue
        has_referrer = has_referrer or bool(namespaces)
        spoke_entries += [
            entry if entry.get("namespace") == namespace else {**entry, "namespace": namespace}
            for namespace in namespaces
        ]
    # Without any of its referrers, a grant would open a namespace to objects that come later.
    return apply_edits(data, {("spec", "from"): spoke_entries}) if has_referrer else None


def referents(
    data: Mapping[str, Any], namespace: str, find_refs: FindRefs
) -> tuple[list[Any], tuple[str, ...]]:
    """Return `spec.to` as on the spoke, and the spoke namespaces of the objects in its entries.

    `find_refs` returns the identities on the spoke of objects of a kind in the grant's hub
    namespace (all, or those of one name), with None for an object that is not on the spoke. It
    returns None if the hub has no such object that could move. An entry is dropped if none of its
    objects is on the spoke, as it might open an unrelated object.
    """
    entries = read_value(data, ("spec", "to"))
    spoke_entries: list[Any] = []
    namespaces: dict[str, None] = {}
    for entry in as_list(entries):
        all_refs = find_refs(*_fields(entry, "name")) if isinstance(entry, Mapping) else None
        if all_refs is None:
            spoke_entries.append(entry)
            namespaces[namespace] = None
            continue
        refs = [ref for ref in all_refs if ref is not None]
        namespaces.update((ref.namespace, None) for ref in refs)
        name = refs[0].name if refs and entry.get("name") else entry.get("name")
        new = entry if name == entry.get("name") else {**entry, "name": name}
        # Two gateways of the hub may become one on the spoke, which needs one entry.
        if refs and new not in spoke_entries:
            spoke_entries.append(new)
    return spoke_entries, tuple(namespaces)


def _fields(entry: Mapping[str, Any], key: str) -> tuple[str, str, str]:
    group, kind, value = (str(entry.get(each) or "") for each in ("group", "kind", key))
    return group, kind, value
