"""The hostnames that requests are served under in one state, whichever route serves them."""

from collections.abc import Iterable

from spokerender.model import Ref
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import Way
from spokerender.topology.hostnames import is_covered

_EVERY_NAME = "*"


def list_served(ways: Iterable[Way]) -> frozenset[str]:
    """Return the hostnames that paths serve by name: who takes every name serves none."""
    names = (name for way in ways if not way.is_nameless for name in way.hostnames)
    return frozenset(name for name in names if name != _EVERY_NAME)


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
