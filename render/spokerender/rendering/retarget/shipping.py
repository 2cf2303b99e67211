"""Which objects ship where some gateways are placed, and in which namespace they are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model import PlacedGateway, Ref
from spokerender.rendering.retarget.landing import Landing, Placed
from spokerender.rendering.retarget.links import Link, links
from spokerender.topology import GATEWAY_CLASS, Node, Topology


class GatewaySync(Struct, frozen=True):
    """What the sync list says of one hub Gateway: kinds that go with it, its class on a spoke."""

    kinds: frozenset[tuple[str, str]]
    spoke_class: str


class Shipping:
    """Answers for the objects of a hub whether they ship; `sync` has an entry for each Gateway."""

    def __init__(self, hub: Topology, sync: Mapping[Ref, GatewaySync]) -> None:
        """Nothing in either may change from then on."""
        self._hub = hub
        self._sync = sync
        self._landing = Landing(hub, {})
        self._known: dict[Ref, tuple[PlacedGateway, ...]] = {}

    def landing(self, placed: Placed) -> Landing:
        """Where things are on the spoke; kept for as long as the same spoke is asked about."""
        if self._landing.placed is not placed:
            self._landing = Landing(self._hub, placed)
            self._known = {}
        return self._landing

    def links(self, node: Node, placed: Placed) -> tuple[Link, ...]:
        """The references of an object; one to what is carried counts as far as carriers ship."""
        return tuple(
            self._counted(link, placed) for link in links(node.references, self._hub, placed)
        )

    def _counted(self, link: Link, placed: Placed) -> Link:
        target = self._carried_target(link)
        if target is None:
            return link
        through = self._carried(target, placed)
        return replace(link, on=tuple(place for place in link.on if place in through))

    def _carried_target(self, link: Link) -> Ref | None:
        """What a reference names, if that is of use for gateways by those alone that name it."""
        ref = link.reference.ref.whole
        node = self._hub.nodes.get(ref)
        is_door = node is not None and (node.is_route or node.is_gateway)
        is_carried = link.reference.selector is None and bool(self._hub.carriers(ref))
        return ref if is_carried and not is_door else None

    def here(self, ref: Ref, found: Iterable[Link], placed: Placed) -> tuple[PlacedGateway, ...]:
        """The placed gateways that an object ships with: by its links, and by its carriers."""
        named = [gateway for link in found for gateway in link.on]
        return tuple(dict.fromkeys((*named, *self._carried(ref, placed))))

    def _carried(self, ref: Ref, placed: Placed) -> tuple[PlacedGateway, ...]:
        """The gateways that what names an object ships with, if it ships at all."""
        self.landing(placed)
        if ref not in self._known:
            self._known[ref] = tuple(sorted(self._above(ref, placed), key=_hub_ref))
        return self._known[ref]

    def _above(self, start: Ref, placed: Placed) -> set[PlacedGateway]:
        """Walk up from what names an object; what names each other leads in circles."""
        found: set[PlacedGateway] = set()
        seen, ahead = {start}, [start]
        while ahead:
            ref = ahead.pop()
            more = set()
            for carrier in self._hub.carriers(ref):
                node = self._hub.nodes[carrier]
                if node.is_gateway:
                    found.update(_naming(placed.get(carrier), ref))
                elif self._may_ship(carrier, placed):
                    more.add(carrier)
                    for link in links(node.references, self._hub, placed):
                        target = self._carried_target(link)
                        more.update(() if target is None else (target,))
                        found.update(link.on if target is None else ())
            ahead += more - seen
            seen |= more
        return found

    def _may_ship(self, ref: Ref, placed: Placed) -> bool:
        """Whether its kind is listed for a gateway that it ships with; a class is there anyway."""
        kind = (ref.group, ref.kind)
        return kind == GATEWAY_CLASS or any(
            kind in self._sync[gateway].kinds
            for gateway in self._hub.ships_with(ref)
            if gateway in placed
        )

    def is_listed(self, ref: Ref, here: tuple[PlacedGateway, ...]) -> bool:
        """Whether the object's kind is listed to go with one of the gateways."""
        kind = (ref.group, ref.kind)
        return any(kind in self._sync[place.hub].kinds for place in here)

    def lands(self, node: Node, placed: Placed) -> str | None:
        """The namespace of an object on the spoke, or None where it does not ship."""
        if node.is_gateway:
            place = placed.get(node.ref)
            return place.ref.namespace if place is not None else None
        if not self.is_listed(node.ref, self.here(node.ref, self.links(node, placed), placed)):
            return None
        return self.landing(placed).of(node.ref)


def _naming(place: PlacedGateway | None, ref: Ref) -> tuple[PlacedGateway, ...]:
    """The gateway, if it names that on the spoke; of its own ones nobody knows but the class."""
    is_class = (ref.group, ref.kind) == GATEWAY_CLASS
    return () if place is None or (place.existing and not is_class) else (place,)


def _hub_ref(place: PlacedGateway) -> Ref:
    return place.hub
