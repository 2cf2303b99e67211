"""ReferenceGrants: the hub's own follow the gateways that they are given to; none is invented.

A grant stands in the namespace of what may be referred to and names the namespace of who
may refer (GEP-709): `spec.from[].namespace` follows who moves and, where Gateways may be
referred to (Envoy Gateway's selectors), `spec.to[].name` and the grant itself follow them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spokerender.kinds.edits import edited, read
from spokerender.model import GATEWAY_API, Ref
from spokerender.model.shapes import as_list

Landings = Callable[[str, str, str], tuple[str, ...] | None]
Landed = Callable[[str, str, str], Sequence[Ref | None] | None]


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
    data: Mapping[str, Any], namespace: str, landed: Landed
) -> tuple[list[Any], tuple[str, ...]]:
    """`spec.to` on the spoke, and the namespaces that its entries are about there.

    `landed` tells what the hub's objects of a kind in the grant's own namespace, or the one of a
    name, are on the spoke, None for one that is not there; None where the hub has none that could
    move. An entry of which nothing is there is dropped, or it could open a stranger.
    """
    entries = read(data, ("spec", "to"))
    kept: list[Any] = []
    places: dict[str, None] = {}
    for entry in as_list(entries):
        meant = landed(*_referent(entry)) if isinstance(entry, Mapping) else None
        if meant is None:
            kept.append(entry)
            places[namespace] = None
            continue
        there = [ref for ref in meant if ref is not None]
        places.update((ref.namespace, None) for ref in there)
        name = there[0].name if there and entry.get("name") else entry.get("name")
        if there:
            kept.append(entry if name == entry.get("name") else {**entry, "name": name})
    return kept, tuple(places)


def _referent(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    group, kind, name = (str(entry.get(key) or "") for key in ("group", "kind", "name"))
    return group, kind, name


def _referrer(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    group, kind, namespace = (str(entry.get(key) or "") for key in ("group", "kind", "namespace"))
    return group, kind, namespace
