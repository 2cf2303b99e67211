"""The objects that ship to a spoke where some gateways are placed."""

from collections.abc import Iterable, Mapping
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model import PlacedGateway, Ref
from spokerender.rendering.retarget.links import Landing, Link, Placed, links
from spokerender.topology.graph import Topology
from spokerender.topology.node import GATEWAY_CLASS, Node


class GatewaySync(Struct, frozen=True):
    """The sync list of one hub Gateway: the kinds that go with it, and its class on a spoke."""

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
        """Return the namespaces on a spoke, kept until another spoke is asked about."""
        if self._landing.placed is not placed:
            self._landing = Landing(self._hub, placed)
            self._carried = {}
        return self._landing

    def links(self, node: Node, placed: Placed) -> tuple[Link, ...]:
        """Return the references of an object; carriers limit the gateways of what they carry."""
        return tuple(
            self._limit_to_carriers(link, placed)
            for link in links(node.references, self._hub, placed)
        )

    def _limit_to_carriers(self, link: Link, placed: Placed) -> Link:
        target = self._carried_target(link)
        if target is None:
            return link
        gateways = self._carrier_gateways(target, placed)
        return replace(link, on=tuple(place for place in link.on if place in gateways))

    def _carried_target(self, link: Link) -> Ref | None:
        """Return the target of a reference if gateways use it only because other objects name it.

        Such are backends, filters and objects that something needs.
        """
        ref = link.reference.ref.whole
        node = self._hub.nodes.get(ref)
        takes_requests = node is not None and (node.is_route or node.is_gateway)
        is_carried = link.reference.selector is None and bool(self._hub.carriers(ref))
        return ref if is_carried and not takes_requests else None

    def gateways(
        self, ref: Ref, linked: Iterable[Link], placed: Placed
    ) -> tuple[PlacedGateway, ...]:
        """Return the placed gateways that an object ships with: by its links, and its carriers."""
        named = [gateway for link in linked for gateway in link.on]
        return tuple(dict.fromkeys((*named, *self._carrier_gateways(ref, placed))))

    def _carrier_gateways(self, ref: Ref, placed: Placed) -> tuple[PlacedGateway, ...]:
        """Return the placed gateways that the objects which name an object ship with."""
        self.landing(placed)
        if ref not in self._carried:
            self._carried[ref] = tuple(sorted(self._find_above(ref, placed), key=attrgetter("hub")))
        return self._carried[ref]

    def _find_above(self, start: Ref, placed: Placed) -> set[PlacedGateway]:
        """Walk up through the carriers of an object, which may name each other in circles."""
        gateways: set[PlacedGateway] = set()
        # With a list in place of recursion: a chain in a hostile hub may be longer than Python's
        # stack.
        seen, ahead = {start}, [start]
        while ahead:
            ref = ahead.pop()
            above = set[Ref]()
            for carrier in self._hub.carriers(ref):
                node, place = self._hub.nodes[carrier], placed.get(carrier)
                if node.is_gateway:
                    # Of a gateway that the spoke has of its own, only the class is known.
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
        """Return whether the object is a GatewayClass, or one of its gateways lists its kind."""
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
        """Return the namespace of an object on the spoke, or None where it does not ship."""
        if node.is_gateway:
            place = placed.get(node.ref)
            return place.ref.namespace if place is not None else None
        if not self.is_listed(node.ref, self.gateways(node.ref, self.links(node, placed), placed)):
            return None
        return self.landing(placed).of(node.ref)
