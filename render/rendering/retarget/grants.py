"""ReferenceGrants: the hub's own follow the gateways that they are given to; none is invented.

A grant stands in the namespace of what may be referred to and names the namespace of who
may refer (GEP-709): `spec.from[].namespace` follows who moves and, where Gateways may be
referred to (Envoy Gateway's selectors), `spec.to[].name` and the grant itself follow them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from render.kinds.edits import edited, read
from render.model import GATEWAY_API, PlacedGateway, Ref
from render.topology import GATEWAY

Landings = Callable[[str, str, str], tuple[str, ...] | None]


def is_grant(ref: Ref) -> bool:
    """Whether this is a ReferenceGrant."""
    return (ref.group, ref.kind) == (GATEWAY_API, "ReferenceGrant")


def spoke_grant(data: dict[str, Any], landings: Landings) -> dict[str, Any] | None:
    """The grant as the spoke needs it, or None where nobody there is given anything.

    `landings` tells in which namespaces the objects of a kind and hub namespace are on the
    spoke; None where the hub has no such object, and then the entry stays as it is.
    """
    entries = read(data, ("spec", "from"))
    if not isinstance(entries, list):
        return None
    kept: list[Any] = []
    given = False
    for entry in entries:
        landed = landings(*_referrer(entry)) if isinstance(entry, Mapping) else None
        if landed is None:
            kept.append(entry)
            continue
        given = given or bool(landed)
        kept += [
            entry if entry.get("namespace") == namespace else {**entry, "namespace": namespace}
            for namespace in landed
        ]
    return edited(data, {("spec", "from"): kept}) if given else None


def referents(
    data: Mapping[str, Any], namespace: str, gateways: Mapping[str, PlacedGateway | None]
) -> tuple[list[Any], tuple[str, ...]]:
    """`spec.to` on the spoke, and the namespaces that its entries are about there.

    `gateways` are the hub's in the grant's own namespace, by name, None where one is not
    placed: an entry that names such a one is dropped, or it could open a stranger.
    """
    entries = read(data, ("spec", "to"))
    kept: list[Any] = []
    places: dict[str, None] = {}
    for entry in entries if isinstance(entries, list) else []:
        meant = _gateways_of(entry, gateways)
        if meant is None:
            kept.append(entry)
            places[namespace] = None
            continue
        placed = [place for place in meant if place is not None]
        places.update((place.ref.namespace, None) for place in placed)
        name = placed[0].ref.name if placed and entry.get("name") else entry.get("name")
        if placed:
            kept.append(entry if name == entry.get("name") else {**entry, "name": name})
    return kept, tuple(places)


def _gateways_of(
    entry: Any,  # noqa: ANN401  (JSON of any shape)
    gateways: Mapping[str, PlacedGateway | None],
) -> list[PlacedGateway | None] | None:
    """The hub's Gateways that an entry of `spec.to` means; None where it means none of them."""
    if not isinstance(entry, Mapping) or (entry.get("group"), entry.get("kind")) != GATEWAY:
        return None
    name = entry.get("name")
    if not name:
        return list(gateways.values()) or None
    return [gateways[name]] if name in gateways else None


def _referrer(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    group, kind, namespace = (str(entry.get(key) or "") for key in ("group", "kind", "namespace"))
    return group, kind, namespace
