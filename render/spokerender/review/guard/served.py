"""The hostnames that the routes of a cluster are served under, before and after a change."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from spokerender.model import Ref
from spokerender.review.guard.losses import LostObject, Removal
from spokerender.topology.doors import Door, find_doors
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import is_covered, is_within

_ANY = "*"


def list_served(topology: Topology) -> Mapping[str, tuple[Ref, ...]]:
    """Return each hostname that listeners serve, with its routes."""
    routes: dict[str, dict[Ref, None]] = {}
    for door in find_doors(topology):
        for name in _served_by(door):
            routes.setdefault(name, {})[door.route.ref] = None
    return {name: tuple(refs) for name, refs in routes.items()}


def _served_by(door: Door) -> Iterator[str]:
    """Yield the narrower of the listener's hostname and each of the route's."""
    listener = door.listener.hostname or _ANY
    for name in door.hostnames or (listener,):
        yield name if is_within(name, listener) else listener


def add_unserved(
    lost: Iterable[LostObject], old: Topology, new: Topology
) -> tuple[LostObject, ...]:
    """Return the losses, with the hostnames that each route is served under no more.

    The name of every host is none: without a hostname there is nothing to acknowledge.
    """
    served = list_served(new)
    names_by_route: dict[Ref, list[str]] = {}
    for name, routes in list_served(old).items():
        if name != _ANY and not is_covered(name, served):
            for route in routes:
                names_by_route.setdefault(route, []).append(name)
    items = [replace(item, unserved=_take(names_by_route, item.ref)) for item in lost]
    staying = (
        LostObject(ref, stays=True, unserved=tuple(names))
        for ref, names in sorted(names_by_route.items())
    )
    return (*items, *staying)


def _take(names_by_route: dict[Ref, list[str]], route: Ref) -> tuple[str, ...]:
    return tuple(names_by_route.pop(route, ()))


def without_served(removals: Iterable[Removal], served: Collection[str]) -> Iterator[Removal]:
    """Yield the removals, without the hostnames that any spoke serves after the change."""
    for removal in removals:
        lost: list[LostObject] = []
        for item in removal.lost:
            names = tuple(name for name in item.unserved if not is_covered(name, served))
            if names or not (item.stays and item.unserved):
                lost.append(replace(item, unserved=names))
        yield replace(removal, lost=tuple(lost))
