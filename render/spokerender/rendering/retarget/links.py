"""The references of a hub object on one spoke, and the objects that ship because of them.

A reference is rewritten, unchanged, or dropped.
"""

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.fields import REMOVE, Edits
from spokerender.kinds.kind import SECTIONS, Role
from spokerender.kinds.reference import Reference
from spokerender.model import GATEWAY, GATEWAY_CLASS, FieldPath, PlacedGateway, Ref
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node

Placed = Mapping[Ref, PlacedGateway]
"""The gateways of a spoke, by their identities on the hub."""
Classes = Mapping[Ref, str]
"""The class of each placed Gateway on the spoke, by the Gateway's identity on the hub."""


class Neighbour(Struct, frozen=True):
    """A target that has to be in an object's namespace; `namespace` is the target's on a spoke."""

    reference: Reference
    target: Ref
    namespace: str


class Landing:
    """The namespace of each hub object on a spoke with the gateways `placed`.

    Rules move only gateways, and with `routes: follow` the routes in a gateway's namespace. Another
    object moves with the objects whose namespace it has to share, or else with the objects that
    name it without a namespace, if all of these move to the same one.
    """

    def __init__(self, hub: Topology, placed: Placed) -> None:
        """Prepare; neither argument may change afterwards."""
        self.placed = placed
        self._hub = hub
        # If no gateway moves, nothing does: for most fleets no reference has to be read.
        self._is_still = all(place.ref.namespace == ref.namespace for ref, place in placed.items())
        self._namespaces: dict[Ref, str] = {}

    def of(self, ref: Ref) -> str:
        """Return the namespace of an object on the spoke, whether it is rendered there or not."""
        if self._is_still or not ref.namespace:
            return ref.namespace
        if ref not in self._namespaces:
            self._namespaces[ref] = ref.namespace  # objects that name each other in a circle stay
            self._namespaces[ref] = self._find(ref)
        return self._namespaces[ref]

    def _find(self, ref: Ref) -> str:
        if ref in self.placed:
            return self.placed[ref].ref.namespace
        # Otherwise it moves to where the objects that name it expect it.
        namespaces = set(self.required(ref)) or {
            self.of(carrier) if self._hub.is_beside(carrier, link) else ref.namespace
            for carrier, link in self._hub.carrying(ref)
            if not self._hub.ships_with(carrier).isdisjoint(self.placed)
        }
        return namespaces.pop() if len(namespaces) == 1 else ref.namespace

    def required(self, ref: Ref) -> dict[str, Neighbour]:
        """Return the namespaces that an object must be in, each with a target that is there."""
        required: dict[str, Neighbour] = {}
        if self._is_still or ref not in self._hub.nodes:
            return required
        for reference, target in self._hub.moves_with(ref):
            gateways = self._hub.ships_with(target)
            if not gateways or not gateways.isdisjoint(self.placed):
                namespace = self.of(target)
                required.setdefault(namespace, Neighbour(reference, target, namespace))
        for parent in self._followed(ref):
            required.setdefault(parent.namespace, parent)
        return required

    def _followed(self, ref: Ref) -> Iterator[Neighbour]:
        """Yield the parents that a route or a ListenerSet follows into another namespace."""
        for link in self._hub.nodes[ref].references:
            if link.row.role is not Role.PARENT:
                continue
            for parent in (link.ref.whole,) if link.selector is None else self._hub.parents(link):
                place = self.placed.get(parent)
                follows = parent.namespace == ref.namespace and (
                    place.routes_follow if place is not None else self._follows(parent)
                )
                if follows:
                    yield Neighbour(link, parent, self.of(parent))

    def _follows(self, ref: Ref) -> bool:
        return ref in self._hub.nodes and any(True for _ in self._followed(ref))


class Link(Struct, frozen=True):
    """A reference of a hub object, as seen from one spoke.

    `gateway` is set if the reference names a Gateway of the hub, or a Service that rules place. The
    gateways to which it leads are in `on` if they are placed on this spoke, otherwise in `off`.
    """

    reference: Reference
    gateway: Ref | None
    on: tuple[PlacedGateway, ...]
    off: tuple[Ref, ...]

    @property
    def dropped(self) -> bool:
        """Return whether all hub gateways to which the reference leads are absent on this spoke.

        If the reference remained, it could bind to an unrelated gateway of the spoke.
        """
        return bool(self.off) and not self.on

    @property
    def removed(self) -> bool:
        """Return whether the reference is a list item that is dropped."""
        return self.dropped and isinstance(self.reference.path[-1], int)


def links(references: tuple[Reference, ...], hub: Topology, placed: Placed) -> tuple[Link, ...]:
    """Return the attaching references of an object, each with the gateways it leads to."""
    linked = []
    for reference in references:
        if not reference.row.role.ships:
            continue
        reached = sorted(hub.reached(reference))
        target = reference.ref.whole
        is_root = target in hub.nodes and hub.nodes[target].is_root
        linked.append(
            Link(
                reference=reference,
                gateway=target if is_root and reference.selector is None else None,
                on=tuple(placed[gateway] for gateway in reached if gateway in placed),
                off=tuple(gateway for gateway in reached if gateway not in placed),
            )
        )
    return tuple(linked)


class _SpokeTarget(Struct, frozen=True):
    """The name and namespaces to write into a reference; each empty if it does not change."""

    name: str
    namespaces: frozenset[str] = frozenset()


def edits(
    linked: tuple[Link, ...], namespace: str, classes: Classes, landing: Landing
) -> tuple[Edits, tuple[Reference, ...]]:
    """Return the edits for all links of an object that moves to `namespace`, and bad references.

    A bad reference can't express the namespace of its target on the spoke: its kind has no field
    for the namespace, or one field for targets in several namespaces.
    """
    # References that are removed are not edited.
    changes: Edits = {link.reference.path: REMOVE for link in linked if link.removed}
    targets = {link: _spoke_target(link, classes, landing) for link in linked if not link.dropped}
    # The values of a label selector share one field for the namespace, so all of them decide.
    namespaces_at: dict[FieldPath, set[str]] = {}
    for link, target in targets.items():
        if link.reference.namespace_path is not None:
            namespaces_at.setdefault(link.reference.namespace_path, set()).update(target.namespaces)
    inexpressible: list[Reference] = []
    for link, target in targets.items():
        reference = link.reference
        if target.name and reference.name_path is not None:
            changes[reference.name_path] = target.name
        current = reference.ref.namespace if reference.explicit_namespace else namespace
        if target.namespaces <= {current}:
            continue
        path = reference.namespace_path
        if path is None or len(namespaces_at[path]) > 1:
            inexpressible.append(reference)
        else:
            changes[path] = next(iter(target.namespaces))
    return changes, tuple(inexpressible)


def _spoke_target(link: Link, classes: Classes, landing: Landing) -> _SpokeTarget:
    reference = link.reference
    if reference.selector is not None:
        if reference.name_path is None:
            return _SpokeTarget("")
        if not reference.selector.gateway_class:
            names = {place.ref.name for place in link.on}
            return _SpokeTarget(names.pop() if len(names) == 1 else "")
        # It selects by a label with the name of a class.
        is_anywhere = reference.selector.source == "All"
        places = () if is_anywhere else (place.ref.namespace for place in link.on)
        return _SpokeTarget(_class_name(link, classes), frozenset(places))
    if (reference.ref.group, reference.ref.kind) == GATEWAY_CLASS:
        return _SpokeTarget(_class_name(link, classes))
    # A Service may be a backend of gateways, to which the reference leads as well.
    target = next((it.ref for it in link.on if it.hub == link.gateway), reference.ref)
    name = target.name if target.name != reference.ref.name else ""
    namespace = landing.of(reference.ref.whole)
    return _SpokeTarget(name, frozenset({namespace} if namespace else ()))


def _class_name(link: Link, classes: Classes) -> str:
    """Return the class that all gateways of a link have on the spoke; empty if they differ."""
    names = {classes[place.hub] for place in link.on}
    return names.pop() if len(names) == 1 else ""


def section_edits(links: Iterable[Link]) -> tuple[Edits, tuple[tuple[Reference, str], ...]]:
    """Return the edits that name the spoke's listeners, and the references that can't name them.

    Each of these references comes with the name of a section for which the spoke has no listener,
    or which has different names on several gateways of a selector.
    """
    changes: Edits = {}
    faults: list[tuple[Reference, str]] = []
    for link in links:
        reference = link.reference
        if not link.on or (reference.ref.group, reference.ref.kind) != GATEWAY:
            continue
        faults += ((reference, name) for name in reference.sections if _has_no_one_name(name, link))
        sections = tuple(map(link.on[0].section, reference.sections))
        if sections != reference.sections:
            key = reference.row.section
            # Two listeners of the hub may become one on the spoke.
            value = list(dict.fromkeys(sections)) if key == SECTIONS else sections[0]
            changes[(*reference.path, key)] = value
    return changes, tuple(faults)


def _has_no_one_name(section: str, link: Link) -> bool:
    names = {place.section(section) for place in link.on}
    # The listener with that name on the spoke may only stand for other listeners of the hub.
    return len(names) > 1 or any(
        section not in place.hub_sections(place.section(section)) for place in link.on
    )


def backend_edits(route: Node, namespace: str, placed: Placed) -> Edits:
    """Return the edits of a route's backends, for its namespace on the spoke.

    A backend that rules place gets its name and namespace on the spoke. If the reference to another
    backend names the route's own namespace, it gets the route's namespace on the spoke.
    """
    changes: Edits = {}
    for link in route.references:
        ref, place = link.ref, placed.get(link.ref.whole)
        if not link.row.role.carries or link.namespace_path is None:
            continue
        if place is not None and link.name_path is not None:
            changes.update({link.name_path: place.ref.name} if ref.name != place.ref.name else {})
            if (ref.namespace if link.explicit_namespace else namespace) != place.ref.namespace:
                changes[link.namespace_path] = place.ref.namespace
        elif link.explicit_namespace and ref.namespace == route.ref.namespace != namespace:
            changes[link.namespace_path] = namespace
    return changes


class GatewaySync(Struct, frozen=True):
    """The sync list of one hub Gateway: the kinds that ship with it, and its class on a spoke."""

    kinds: frozenset[tuple[str, str]]
    spoke_class: str


class Shipping:
    """Decides which objects of a hub ship; `sync` has an entry for each Gateway."""

    def __init__(self, hub: Topology, sync: Mapping[Ref, GatewaySync]) -> None:
        """Prepare; neither argument may change afterwards."""
        self._hub = hub
        self._sync = sync
        self._landing = Landing(hub, {})
        self._carried: dict[Ref, tuple[PlacedGateway, ...]] = {}

    def landing(self, placed: Placed) -> Landing:
        """Return the namespaces of objects on a spoke; remembered for the last mapping `placed`."""
        if self._landing.placed is not placed:
            self._landing = Landing(self._hub, placed)
            self._carried = {}
        return self._landing

    def links(self, node: Node, placed: Placed) -> tuple[Link, ...]:
        """Return an object's links, each only with the gateways that use its target."""
        return tuple(
            self._limit_to_carriers(link, placed)
            for link in links(node.references, self._hub, placed)
        )

    def _limit_to_carriers(self, link: Link, placed: Placed) -> Link:
        target = self._carried_target(link)
        if target is None:
            return link
        own = [placed[target]] if target in placed else []
        gateways = (*own, *self._carrier_gateways(target, placed))
        return replace(link, on=tuple(place for place in link.on if place in gateways))

    def _carried_target(self, link: Link) -> Ref | None:
        """Return the target of a reference if gateways use it only because other objects name it.

        Such targets are backends, filters and objects that other objects need.
        """
        ref = link.reference.ref.whole
        node = self._hub.nodes.get(ref)
        takes_requests = node is not None and (node.is_route or node.is_gateway)
        is_carried = link.reference.selector is None and bool(self._hub.carriers(ref))
        return ref if is_carried and not takes_requests else None

    def gateways(
        self, ref: Ref, linked: Iterable[Link], placed: Placed
    ) -> tuple[PlacedGateway, ...]:
        """Return the placed gateways that an object ships with, by its links or its referrers."""
        named = [gateway for link in linked for gateway in link.on]
        # A Service that rules place may be in the files, and its kind may be listed.
        named += [placed[ref]] if ref in placed else []
        return tuple(dict.fromkeys((*named, *self._carrier_gateways(ref, placed))))

    def _carrier_gateways(self, ref: Ref, placed: Placed) -> tuple[PlacedGateway, ...]:
        """Return the placed gateways of the objects that name `ref`, also through other objects."""
        self.landing(placed)
        if ref not in self._carried:
            self._carried[ref] = tuple(sorted(self._find_above(ref, placed), key=attrgetter("hub")))
        return self._carried[ref]

    def _find_above(self, start: Ref, placed: Placed) -> set[PlacedGateway]:
        """Return the gateways that lead to `start` through objects that name it, also in cycles."""
        gateways: set[PlacedGateway] = set()
        # With a list instead of recursion: a chain in a hostile hub may be longer than Python's
        # stack.
        seen, ahead = {start}, [start]
        while ahead:
            ref = ahead.pop()
            above = set[Ref]()
            for carrier in self._hub.carriers(ref):
                node, place = self._hub.nodes[carrier], placed.get(carrier)
                if node.is_gateway:
                    # Of an existing gateway of the spoke, only the class is known.
                    is_class = (ref.group, ref.kind) == GATEWAY_CLASS
                    if place is not None and (is_class or not place.existing):
                        gateways.add(place)
                elif self._may_ship(carrier, placed):
                    above.add(carrier)
                    for link in links(node.references, self._hub, placed):
                        target = self._carried_target(link)
                        if target is None:
                            gateways.update(link.on)
                        else:  # others carry it
                            above.add(target)
            ahead += above - seen
            seen |= above
        return gateways

    def _may_ship(self, ref: Ref, placed: Placed) -> bool:
        """Return whether `ref` is a GatewayClass or of a kind that its placed gateways list."""
        kind = (ref.group, ref.kind)
        return kind == GATEWAY_CLASS or any(
            kind in self._sync[gateway].kinds
            for gateway in self._hub.ships_with(ref)
            if gateway in placed
        )

    def is_listed(self, ref: Ref, gateways: tuple[PlacedGateway, ...]) -> bool:
        """Return whether one of the gateways lists the kind of the object."""
        kind = (ref.group, ref.kind)
        return any(kind in self._sync[place.hub].kinds for place in gateways)

    def find_namespace(self, node: Node, placed: Placed) -> str | None:
        """Return the namespace of an object on the spoke; None if it does not ship."""
        if node.is_gateway:
            place = placed.get(node.ref)
            return place.ref.namespace if place is not None else None
        if not self.is_listed(node.ref, self.gateways(node.ref, self.links(node, placed), placed)):
            return None
        return self.landing(placed).of(node.ref)
