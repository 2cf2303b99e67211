"""What becomes of one reference on one spoke: rewritten, kept as it is, or dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from render.kinds import Reference, Role
from render.kinds.edits import REMOVE, Edits
from render.model import PlacedGateway, Ref
from render.topology import GATEWAY, Topology

Placed = Mapping[Ref, PlacedGateway]


@dataclass(frozen=True, slots=True)
class Link:
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

    @property
    def follows(self) -> bool:
        """Whether a local object that has it moves with the gateway (a policy, not a route)."""
        return self.reference.rule.role is not Role.PARENT


def links(references: tuple[Reference, ...], hub: Topology, placed: Placed) -> tuple[Link, ...]:
    """The attaching references of an object, each with what it leads to on the spoke."""
    found = []
    for reference in references:
        if reference.rule.role is Role.BACKEND:
            continue
        reached = sorted(hub.reached(reference))
        target = reference.ref.whole
        direct = (target.group, target.kind) == GATEWAY and target in hub.nodes
        found.append(
            Link(
                reference=reference,
                gateway=target if direct and reference.selector is None else None,
                on=tuple(placed[gateway] for gateway in reached if gateway in placed),
                off=tuple(gateway for gateway in reached if gateway not in placed),
            )
        )
    return tuple(found)


def required_namespaces(found: tuple[Link, ...], namespace: str) -> dict[str, Reference]:
    """The namespaces that a local policy must be in on the spoke, each with a reference to it.

    A reference that crosses namespaces on the hub, or that may, requires none.
    """
    required: dict[str, Reference] = {}
    for link in found:
        reference = link.reference
        if link.dropped or not link.follows or reference.ref.namespace not in (namespace, ""):
            continue
        if reference.selector is not None:
            if reference.selector.source == "Same":
                for place in link.on:
                    required.setdefault(place.ref.namespace, reference)
        elif link.gateway is not None:
            required.setdefault(link.on[0].ref.namespace, reference)
        elif reference.ref.namespace == namespace:
            required.setdefault(namespace, reference)
    return required


def edits(link: Link, namespace: str) -> tuple[Edits, bool]:
    """The edits for one link of an object that lands in `namespace`.

    The second value is False where the kind has no field to say the target's namespace.
    """
    reference = link.reference
    if link.dropped:
        return ({reference.path: REMOVE} if link.removed else {}), True
    if reference.selector is not None or not reference.ref.namespace:
        return {}, True
    target = link.on[0].ref if link.gateway is not None else reference.ref
    found: Edits = {}
    if target.name != reference.ref.name and reference.name_path is not None:
        found[reference.name_path] = target.name
    written = reference.ref.namespace if reference.explicit_namespace else namespace
    if target.namespace == written:
        return found, True
    if reference.namespace_path is None:
        return found, False
    found[reference.namespace_path] = target.namespace
    return found, True


def can_say_namespace(reference: Reference) -> bool:
    """Whether the reference has a field for its target's namespace."""
    return reference.namespace_path is not None
