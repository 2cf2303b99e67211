"""What becomes of one reference on one spoke: rewritten, kept as it is, or dropped."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from spokerender.kinds import Reference
from spokerender.kinds.edits import REMOVE, Edits
from spokerender.model import FieldPath, PlacedGateway, Ref
from spokerender.rendering.retarget.landing import Landing, Placed
from spokerender.topology import GATEWAY, GATEWAY_CLASS, Topology

Classes = Mapping[Ref, str]
"""The class that each placed Gateway, by its hub identity, has on the spoke."""


class Link(Struct, frozen=True):
    """A reference of a hub object, seen from one spoke.

    `gateway` is set where the reference names a Gateway of the hub itself. `on` are the
    placed gateways that it leads to, `off` those that are not on this spoke.
    """

    reference: Reference
    gateway: Ref | None
    on: tuple[PlacedGateway, ...]
    off: tuple[Ref, ...]

    @property
    def dropped(self) -> bool:
        """It leads to hub gateways, and none of them is here: left in, it could bind a stranger."""
        return bool(self.off) and not self.on

    @property
    def removed(self) -> bool:
        """It is an entry of a list, and dropped; what stands alone is kept with its object."""
        return self.dropped and isinstance(self.reference.path[-1], int)


def links(references: tuple[Reference, ...], hub: Topology, placed: Placed) -> tuple[Link, ...]:
    """The attaching references of an object, each with what it leads to on the spoke."""
    linked = []
    for reference in references:
        if not reference.row.role.ships:
            continue
        reached = sorted(hub.reached(reference))
        target = reference.ref.whole
        direct = (target.group, target.kind) == GATEWAY and target in hub.nodes
        linked.append(
            Link(
                reference=reference,
                gateway=target if direct and reference.selector is None else None,
                on=tuple(placed[gateway] for gateway in reached if gateway in placed),
                off=tuple(gateway for gateway in reached if gateway not in placed),
            )
        )
    return tuple(linked)


class _Target(Struct, frozen=True):
    """What a reference shall say on the spoke; an empty text where it stays as it is."""

    name: str
    namespaces: frozenset[str]


def edits(
    linked: tuple[Link, ...], namespace: str, classes: Classes, landing: Landing
) -> tuple[Edits, tuple[Reference, ...]]:
    """The edits for all links of an object that lands in `namespace`.

    The references beside them can't say the namespace of their target there: their kind has no
    field for it, or has one for several that are apart.
    """
    changes: Edits = {link.reference.path: REMOVE for link in linked if link.removed}
    targets = {link: _target(link, classes, landing) for link in linked if not link.dropped}
    said: dict[FieldPath, set[str]] = {}
    for link, target in targets.items():
        if link.reference.namespace_path is not None:
            said.setdefault(link.reference.namespace_path, set()).update(target.namespaces)
    unsayable: list[Reference] = []
    for link, target in targets.items():
        reference = link.reference
        if target.name and reference.name_path is not None:
            changes[reference.name_path] = target.name
        written = reference.ref.namespace if reference.explicit_namespace else namespace
        if target.namespaces <= {written}:
            continue
        place = reference.namespace_path
        if place is None or len(said[place]) > 1:
            unsayable.append(reference)
        else:
            changes[place] = next(iter(target.namespaces))
    return changes, tuple(unsayable)


def _target(link: Link, classes: Classes, landing: Landing) -> _Target:
    reference = link.reference
    if reference.selector is not None:
        return _of_class(link, classes) if reference.name_path is not None else _Target("", _NONE)
    if (reference.ref.group, reference.ref.kind) == GATEWAY_CLASS:
        return _Target(_class_name(link, classes), _NONE)
    target = link.on[0].ref if link.gateway is not None else reference.ref
    name = target.name if target.name != reference.ref.name else ""
    namespace = landing.of(reference.ref.whole)
    return _Target(name, frozenset({namespace} if namespace else ()))


def _class_name(link: Link, classes: Classes) -> str:
    """What a class is called on the spoke, or nothing where it stays as it is."""
    found = {classes[place.hub] for place in link.on}
    return found.pop() if len(found) == 1 else ""


def _of_class(link: Link, classes: Classes) -> _Target:
    """What a label with a class's name means on the spoke: one class, or it stays as it is."""
    name = _class_name(link, classes)
    is_anywhere = link.reference.selector is not None and link.reference.selector.source == "All"
    places = () if is_anywhere else (place.ref.namespace for place in link.on)
    return _Target(name, frozenset(places))


_NONE = frozenset[str]()


def can_say_namespace(reference: Reference) -> bool:
    """Whether the reference has a field for its target's namespace."""
    return reference.namespace_path is not None
