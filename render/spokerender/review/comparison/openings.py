"""The requests that are served after a change and were not before it."""

from collections.abc import Iterable

from msgspec import Struct

from spokerender.model import Ref, grouped
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import Way
from spokerender.topology.hostnames import is_covered


class FurtherWay(Struct, frozen=True):
    """A path with hostnames under which it takes requests that nothing took before a change.

    `example` is one of the requests, as people write it.
    """

    way: Way
    hostnames: tuple[str, ...]
    example: str


def list_further_ways(successors: Successors) -> tuple[FurtherWay, ...]:
    """Return the paths that take further requests, of which none was answered before."""
    return successors.once(list_further_ways, lambda: _list_further_ways(successors))


def _list_further_ways(successors: Successors) -> tuple[FurtherWay, ...]:
    cells = grouped(
        (way.levels, cell)
        for cell in successors.cells
        for way in (() if cell.before else cell.after)
    )
    return tuple(
        FurtherWay(
            successors.new.rules[levels],
            tuple(dict.fromkeys(cell.hostname for cell in own)),
            str(own[0].witness),
        )
        for levels, own in cells.items()
    )


def list_served(ways: Iterable[Way]) -> frozenset[str]:
    """Return the hostnames that paths serve by name: who takes every name serves none."""
    names = (name for way in ways if not way.is_nameless for name in way.hostnames)
    return frozenset(name for name in names if name != "*")


class ServedRequests:
    """The requests that some path takes after a change."""

    def __init__(self, successors: Successors) -> None:
        self._successors = successors
        self._ways = tuple(successors.new.rules.values())
        self._anywhere = list_served(self._ways)
        self._by_gateway: dict[Ref, set[str]] = {}
        for way in self._ways:
            if not way.is_nameless:
                self._by_gateway.setdefault(way.levels[0], set()).update(way.hostnames)

    def has(self, way: Way, name: str) -> bool:
        """Tell whether some path takes requests under a hostname that a path served before.

        Who takes every request on one gateway takes none that are for another.
        """
        gateway = self._successors.name(way.levels[0])
        if way.is_nameless:
            address = gateway, *way.address[1:]
            return any((other.levels[0], *other.address[1:]) == address for other in self._ways)
        served = (self._anywhere, self._by_gateway.get(gateway, ()))
        return any(is_covered(name, names) for names in served)
