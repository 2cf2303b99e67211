"""A placed Gateway as the spoke shall have it, and listeners wherever they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spokerender.formats.patching import merge
from spokerender.kinds.edits import REMOVE, Edits, edited, read
from spokerender.model import PlacedGateway
from spokerender.model.shapes import as_list, as_mapping
from spokerender.rendering.retarget.hostnames import HostnameMap, mapped

_NAMESPACES = ("allowedRoutes", "namespaces")


def spoke_gateway(
    data: Mapping[str, Any], placed: PlacedGateway, gateway_class: str
) -> dict[str, Any]:
    """The hub's Gateway (already cleaned) with the placement's name, class, listeners and marks."""
    edits: Edits = {
        ("metadata", "name"): placed.ref.name,
        ("metadata", "namespace"): placed.ref.namespace,
        **({("spec", "gatewayClassName"): gateway_class} if gateway_class else {}),
        **marks(placed),
        **listener_hostnames(data, placed.hostnames),
    }
    result: dict[str, Any] = edited(data, edits)
    declared: Sequence[Mapping[str, Any]] = placed.listeners.entries
    allowed = placed.allowed_routes.data
    if not allowed and not declared:
        return result
    listeners = as_list(read(result, ("spec", "listeners")))
    if allowed:
        listeners = [_admitting(entry, allowed) for entry in listeners]
        declared = [
            entry if read(entry, _NAMESPACES) else _admitting(entry, allowed) for entry in declared
        ]
    merged = merged_listeners(listeners, declared)
    return dict(edited(result, {("spec", "listeners"): merged}))


def _admitting(listener: Any, allowed: Mapping[str, Any]) -> Any:  # noqa: ANN401  (JSON of any shape)
    """A listener that takes the routes of these namespaces, of the kinds that it takes anyway."""
    if not isinstance(listener, Mapping):
        return listener
    routes = {**as_mapping(listener.get("allowedRoutes")), **allowed}
    return {**listener, "allowedRoutes": routes}


def marks(placed: PlacedGateway) -> Edits:
    """Labels and annotations that the rule sets, or takes away where its value is null."""
    return {
        ("metadata", field, key): REMOVE if value is None else value
        for field, pairs in (("labels", placed.labels), ("annotations", placed.annotations))
        for key, value in pairs
    }


def merged_listeners(
    hub: Any,  # noqa: ANN401  (JSON of any shape)
    declared: Sequence[Mapping[str, Any]],
) -> list[Any]:
    """The hub's listeners with the declared ones merged in by name; new names come last."""
    by_name = {entry["name"]: entry for entry in declared}
    kept = [
        merge(entry, by_name.pop(str(entry.get("name")), {}))
        if isinstance(entry, Mapping)
        else entry
        for entry in as_list(hub)
    ]
    return kept + list(by_name.values())


def listener_hostnames(data: Mapping[str, Any], rules: HostnameMap) -> Edits:
    """The edits that map the hostnames under `spec.listeners` (a Gateway's or a ListenerSet's)."""
    listeners = read(data, ("spec", "listeners")) if rules else None
    return {
        ("spec", "listeners", index, "hostname"): hostname
        for index, entry in enumerate(as_list(listeners))
        if isinstance(entry, Mapping)
        and isinstance(entry.get("hostname"), str)
        and (hostname := mapped(entry["hostname"], rules)) is not None
    }
