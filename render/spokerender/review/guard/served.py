"""The hostnames that the routes of a cluster are served under, before and after a change."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from spokerender.model import Ref
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.review.guard.losses import LostObject, Removal
from spokerender.topology.hostnames import is_covered

_ANY = "*"


def list_served(ways: Iterable[Way]) -> Mapping[str, tuple[Ref, ...]]:
    """Return each hostname that requests are served under, with its routes."""
    routes: dict[str, dict[Ref, None]] = {}
    for way in ways:
        for name in way.hostnames:
            routes.setdefault(name, {})[way.levels[-2]] = None
    return {name: tuple(refs) for name, refs in routes.items()}


def add_unserved(
    lost: Iterable[LostObject], old: SpokeView, new: SpokeView
) -> tuple[LostObject, ...]:
    """Return the losses, with the hostnames that each route is served under no more.

    The name of every host is none: without a hostname there is nothing to acknowledge.
    """
    served = list_served(new.rules.values())
    names_by_route: dict[Ref, list[str]] = {}
    for name, routes in list_served(old.rules.values()).items():
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
