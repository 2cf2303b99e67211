"""In which namespace each object of the hub is on a spoke where the gateways are placed so.

Only Gateways move on their own account. A rule may have the routes of a gateway's namespace follow
it. What has to be beside a thing that moves goes with it, and so does what is named without a
namespace by nobody but things that move together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from spokerender.kinds import Reference, Role
from spokerender.model import PlacedGateway, Ref
from spokerender.topology.graph import Topology

Placed = Mapping[Ref, PlacedGateway]


class Beside(Struct, frozen=True):
    """Something that an object has to be beside on the spoke, and where that is there."""

    reference: Reference
    target: Ref
    namespace: str


class Landing:
    """Answers for one way in which gateways are placed; nothing in it may change from then on."""

    def __init__(self, hub: Topology, placed: Placed) -> None:
        """`placed` are the spoke's gateways, by hub identity."""
        self.placed = placed
        self._hub = hub
        self._is_still = all(place.ref.namespace == ref.namespace for ref, place in placed.items())
        self._known: dict[Ref, str] = {}

    def of(self, ref: Ref) -> str:
        """The namespace of an object on the spoke, rendered there or not."""
        if self._is_still or not ref.namespace:
            return ref.namespace
        if ref not in self._known:
            self._known[ref] = ref.namespace  # of things that hang on each other, none moves
            self._known[ref] = self._found(ref)
        return self._known[ref]

    def _found(self, ref: Ref) -> str:
        if ref in self.placed:
            return self.placed[ref].ref.namespace
        required = set(self.required(ref)) or self._wanted(ref)
        return required.pop() if len(required) == 1 else ref.namespace

    def required(self, ref: Ref) -> dict[str, Beside]:
        """The namespaces that an object must be in there, each with something that says so."""
        required: dict[str, Beside] = {}
        if self._is_still or ref not in self._hub.nodes:
            return required
        for reference, target in self._hub.moves_with(ref):
            gateways = self._hub.ships_with(target)
            if not gateways or not gateways.isdisjoint(self.placed):
                namespace = self.of(target)
                required.setdefault(namespace, Beside(reference, target, namespace))
        for beside in self._followed(ref):
            required.setdefault(beside.namespace, beside)
        return required

    def _followed(self, ref: Ref) -> Iterator[Beside]:
        """The parents that a route, or a ListenerSet, follows where they go."""
        for link in self._hub.nodes[ref].references:
            parents = self._parents(link) if link.row.role is Role.PARENT else ()
            for parent in parents:
                place = self.placed.get(parent)
                follows = parent.namespace == ref.namespace and (
                    place.routes_follow if place is not None else self._follows(parent)
                )
                if follows:
                    yield Beside(link, parent, self.of(parent))

    def _parents(self, link: Reference) -> tuple[Ref, ...]:
        return (link.ref.whole,) if link.selector is None else self._hub.parents(link)

    def _follows(self, ref: Ref) -> bool:
        return ref in self._hub.nodes and any(True for _ in self._followed(ref))

    def _wanted(self, ref: Ref) -> set[str]:
        """The namespaces in which what is there looks for it."""
        wanted = set()
        for carrier, link in self._hub.carrying(ref):
            if self._hub.ships_with(carrier).isdisjoint(self.placed):
                continue
            wanted.add(self.of(carrier) if self._hub.is_beside(carrier, link) else ref.namespace)
        return wanted
