"""Requests under a hostname that a nearer one of another route keeps from a rule.

Proxies choose among the routes of a listener by hostname first, and look no further where no rule
of the nearest one matches (Envoy, `VirtualHost.domains`; NGINX, `server_name`).
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from spokerender.model import Ref
from spokerender.review.comparison.successors import ByHostname, Successors
from spokerender.review.comparison.views import Way
from spokerender.topology.hostnames import is_covered, split_suffixes
from spokerender.topology.matches import are_for_all
from spokerender.topology.taken import ENCRYPTED

"""The protocols of listeners that clients choose by a hostname before they send requests."""
_Entrance = tuple[Ref, int | str, str, Ref | None]
"""A proxy with a port and a protocol; and the listener, where TLS chooses it by its hostname."""


class Shadowed(Struct, frozen=True, eq=False):
    """Hostnames under which requests come to `way` no more, or newly, for the sake of `holders`."""

    way: Way
    hostnames: tuple[str, ...]
    holders: tuple[Ref, ...]
    is_new: bool


def find_shadowed(successors: Successors) -> tuple[Shadowed, ...]:
    """Return the hostnames that other routes keep from rules of both states, in one state only.

    Those of which the other routes take every request that the rule is for are takeovers.
    """
    return successors.once(find_shadowed, lambda: tuple(_find_shadowed(successors)))


def _find_shadowed(successors: Successors) -> Iterator[Shadowed]:
    old, new = (Entrances(view.rules.values()) for view in (successors.old, successors.new))
    for before, after in successors.pairs:
        sides = (old, before), (new, after)
        if not any(name.startswith("*") for _, way in sides for name in way.hostnames):
            continue
        names = {name for side, way in sides for name in side.list_names(way)}
        was, now = ({n: side.find_holders(way, n) for n in names} for side, way in sides)
        for here, there, way, is_new in ((now, was, after, True), (was, now, before, False)):
            lost = [n for n in sorted(names) if here[n] and there[n] == ()]
            lost = [n for n in lost if not _are_for_all(here[n], way)]
            if lost:
                routes = {holder.levels[-2]: None for name in lost for holder in here[name] or ()}
                yield Shadowed(after, tuple(lost), tuple(routes), is_new)


def _are_for_all(holders: tuple[Way, ...] | None, way: Way) -> bool:
    return are_for_all((holder.match for holder in holders or ()), way.match)


class Entrances:
    """The hostnames of the routes of one state, by where requests come in."""

    def __init__(self, ways: Iterable[Way]) -> None:
        self._ways = tuple(ways)

    @cached_property
    def _holders(self) -> Mapping[_Entrance, Mapping[str, list[Way]]]:
        holders: dict[_Entrance, dict[str, list[Way]]] = {}
        for way in self._ways:
            own = holders.setdefault(_find_entrance(way), {})
            for name in way.hostnames:
                own.setdefault(name, []).append(way)
        return holders

    @cached_property
    def _names(self) -> Mapping[_Entrance, ByHostname[str]]:
        return {
            entrance: ByHostname((name, name) for name in holders)
            for entrance, holders in self._holders.items()
        }

    def list_names(self, way: Way) -> Iterator[str]:
        """Yield the hostnames of routes beside a rule that are within its own."""
        for hostname in way.hostnames:
            for name in self._names[_find_entrance(way)].meet(hostname):
                if is_covered(name, (hostname,)):
                    yield name

    def find_holders(self, way: Way, name: str) -> tuple[Way, ...] | None:
        """Return the rules of other routes whose hostname is nearer to a name than a rule's own.

        Empty where requests under the name come to the rule's route, None where it has no such.
        """
        if not is_covered(name, way.hostnames):
            return None
        holders = self._holders[_find_entrance(way)]
        wildcards = (f"*{suffix}" for suffix in split_suffixes(name))
        nearest = next(one for one in (name, *wildcards, "*") if one in holders)
        of_routes = {holder.levels[-2] for holder in holders[nearest]}
        return () if way.levels[-2] in of_routes else tuple(holders[nearest])


def _find_entrance(way: Way) -> _Entrance:
    return *way.entrance, way.door[-1] if way.address[2] in ENCRYPTED else None


def is_narrower(way: Way, rule: Way) -> bool:
    """Tell whether a listener is for part of what the listener of a rule is for."""
    name, other = way.address[0], rule.address[0] or "*"
    return way.entrance == rule.entrance and name not in ("", other) and is_covered(name, (other,))
