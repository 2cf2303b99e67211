"""What a spoke must have besides what is rendered: Secrets, Services, classes, namespaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.kinds import Catalogue, needs, references
from spokerender.model import PlacedGateway, Ref

SpokeObject = tuple[Ref, Mapping[str, Any]]
"""An object of a spoke's tree with its identity there, without slots."""


class Required(Struct, frozen=True):
    """An object that has to be there, or what a selector has to find.

    The name of `ref` is empty where `selector` has to find it (as `kubectl get -l` takes it;
    empty: any). `note` says in words where it is looked for, if not in its namespace.
    `needed_by` are rendered objects.
    """

    ref: Ref
    selector: str
    note: str
    needed_by: tuple[Ref, ...]


class RequiredGateway(Struct, frozen=True):
    """A Gateway that the spoke has of its own, with the listeners that the placement declares."""

    ref: Ref
    listeners: tuple[str, ...]
    needed_by: tuple[Ref, ...]


class Requirements(Struct, frozen=True):
    """All that one spoke has to have, sorted; what several objects need is told once."""

    namespaces: tuple[str, ...]
    gateways: tuple[RequiredGateway, ...]
    objects: tuple[Required, ...]


def requirements(
    objects: Iterable[SpokeObject],
    placed: Iterable[PlacedGateway],
    catalogue: Catalogue,
    *,
    rendered_namespaces: Iterable[str] = (),
) -> Requirements:
    """Tell what a spoke needs for the objects that are rendered for it.

    Args:
        objects: what is rendered.
        placed: the spoke's gateways, without slots.
        catalogue: what is known of the kinds.
        rendered_namespaces: the namespaces that are rendered as well.

    """
    rendered = dict(objects)
    users: dict[tuple[Ref, str, str], set[Ref]] = {}
    for ref, data in rendered.items():
        for needed in _needs(ref, data, catalogue):
            users.setdefault(needed, set()).add(ref)
    existing = {place.ref: place for place in placed if place.existing}
    of_manifests = tuple(
        Required(*needed, tuple(sorted(by)))
        for needed, by in sorted(users.items())
        if needed[0] not in rendered and needed[0] not in existing
    )
    gateways = tuple(
        RequiredGateway(ref, place.listeners.names, tuple(sorted(users.get((ref, "", ""), ()))))
        for ref, place in sorted(existing.items())
    )
    used = [*rendered, *existing, *(required.ref for required in of_manifests)]
    namespaces = {ref.namespace for ref in used if ref.namespace} - set(rendered_namespaces)
    return Requirements(tuple(sorted(namespaces)), gateways, of_manifests)


def _needs(
    ref: Ref, data: Mapping[str, Any], catalogue: Catalogue
) -> Iterator[tuple[Ref, str, str]]:
    """What one object names, as identity, selector and note."""
    kind = catalogue.kind(ref.group, ref.kind)
    for need in needs(kind, data, ref.namespace):
        yield need.ref.whole, str(need.selector or ""), need.note
    for link in references(kind, data, ref.namespace):
        if link.row.role.ships and link.selector is None:
            yield link.ref.whole, "", ""
