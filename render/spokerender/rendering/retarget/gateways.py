"""The Gateways of a spoke, and the listeners of Gateways and ListenerSets."""

from collections.abc import Mapping, Sequence
from typing import Any

from spokerender.formats.patching import merge
from spokerender.kinds.fields import REMOVE, Edits, apply_edits, read_value
from spokerender.model import PlacedGateway
from spokerender.model.shapes import Json, as_list, as_mapping
from spokerender.rendering.retarget.hostnames import HostnameMap, annotation_edits, mapped

_NAMESPACES = ("allowedRoutes", "namespaces")


def spoke_gateway(
    data: Mapping[str, Any], placed: PlacedGateway, gateway_class: str
) -> tuple[dict[str, Any], Edits]:
    """Return the hub's Gateway, already clean, as its rule has it, and the edits of its fields.

    Listeners that the rule declares are in none of the edits.
    """
    edits: Edits = {
        ("metadata", "name"): placed.ref.name,
        ("metadata", "namespace"): placed.ref.namespace,
        **({("spec", "gatewayClassName"): gateway_class} if gateway_class else {}),
        **map_hostnames(data, placed.hostnames),
        **marks(placed),
    }
    # First, because the listeners that a rule declares have the spoke's hostnames already.
    result: dict[str, Any] = apply_edits(data, edits)
    declared: Sequence[Mapping[str, Any]] = placed.listeners.data
    allowed = placed.allowed_routes.data
    if not allowed and not declared:
        return result, edits
    listeners = as_list(read_value(result, ("spec", "listeners")))
    if allowed:
        listeners = [_admitting(entry, allowed) for entry in listeners]
        declared = [
            # A declared listener that names namespaces itself is an exception from the rule's.
            entry if read_value(entry, _NAMESPACES) else _admitting(entry, allowed)
            for entry in declared
        ]
    merged = merged_listeners(listeners, declared)
    return dict(apply_edits(result, {("spec", "listeners"): merged})), edits


def _admitting(listener: Json, allowed: Mapping[str, Any]) -> Json:
    """Return a listener that allows the routes of these namespaces; the kinds stay."""
    if not isinstance(listener, Mapping):
        return listener
    routes = {**as_mapping(listener.get("allowedRoutes")), **allowed}
    return {**listener, "allowedRoutes": routes}


def marks(placed: PlacedGateway) -> Edits:
    """Return the edits of labels and annotations that a rule sets, or removes by null."""
    return {
        ("metadata", field, key): REMOVE if value is None else value
        for field, pairs in (("labels", placed.labels), ("annotations", placed.annotations))
        for key, value in pairs
    }


def merged_listeners(
    hub: Json,
    declared: Sequence[Mapping[str, Any]],
) -> list[Any]:
    """Merge declared listeners into those of the hub by name; new names come last."""
    by_name = {entry["name"]: entry for entry in declared}
    merged = [
        merge(entry, by_name.pop(str(entry.get("name")), {}))
        if isinstance(entry, Mapping)
        else entry
        for entry in as_list(hub)
    ]
    return merged + list(by_name.values())


def map_hostnames(data: Mapping[str, Any], rules: HostnameMap) -> Edits:
    """Return the edits that map hostnames in annotations and listeners, also of a ListenerSet."""
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
