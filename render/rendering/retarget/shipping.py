"""Which objects ship where some gateways are placed, and in which namespace they are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from render.model import PlacedGateway, Ref
from render.rendering.retarget.links import Link, Placed, links, required_namespaces
from render.topology import Node, Topology


@dataclass(frozen=True, slots=True)
class GatewaySync:
    """What the sync list says of one hub Gateway: kinds that go with it, its class on a spoke."""

    kinds: frozenset[tuple[str, str]]
    spoke_class: str


class Shipping:
    """Answers for the objects of a hub whether they ship; `sync` has an entry for each Gateway."""

    def __init__(self, hub: Topology, sync: Mapping[Ref, GatewaySync]) -> None:
        """Nothing in either may change from then on."""
        self._hub = hub
        self._sync = sync

    def links(self, node: Node, placed: Placed) -> tuple[Link, ...]:
        """The references of an object; one to a backend counts as far as routes to it ship."""
        return tuple(
            replace(link, on=self._through(link.reference.ref, link.on))
            if link.reference.selector is None and self._is_backend(link.reference.ref)
            else link
            for link in links(node.references, self._hub, placed)
        )

    def _is_backend(self, ref: Ref) -> bool:
        """Whether something is of use for gateways by the routes to it alone."""
        node = self._hub.nodes.get(ref.whole)
        is_route = node is not None and node.is_route
        return not is_route and bool(self._hub.carriers(ref))

    def here(self, ref: Ref, links: tuple[Link, ...], placed: Placed) -> tuple[PlacedGateway, ...]:
        """The placed gateways that an object ships with: by its links, and by its carriers."""
        named = [gateway for link in links for gateway in link.on]
        if self._hub.carriers(ref):
            named += self._through(ref, tuple(placed[gateway] for gateway in sorted(placed)))
        return tuple(dict.fromkeys(named))

    def _through(self, ref: Ref, places: tuple[PlacedGateway, ...]) -> tuple[PlacedGateway, ...]:
        """The gateways among `places` that a route to it ships with, if it ships at all."""
        reached = [
            gateways
            for route in self._hub.carriers(ref)
            if any(
                place.hub in (gateways := self._hub.ships_with(route))
                and (route.group, route.kind) in self._sync[place.hub].kinds
                for place in places
            )
        ]
        return tuple(place for place in places if any(place.hub in on for on in reached))

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
        required = required_namespaces(node.ref, self._hub, placed)
        return next(iter(required)) if len(required) == 1 else node.ref.namespace
