"""The hostnames that are served after a change, the paths that serve further ones, and open ones.

A rule serves none where an equal one comes first: its policies decide who may call.
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import Way
from spokerender.topology.equals import RequestKey, list_requests
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import is_covered
from spokerender.topology.paths import Levels

_Equal = tuple[Levels, str, tuple[tuple[Ref, ...], ...]]
"""A path to a rule, a hostname, and for each match there the other rules that are for the same."""


def _find_preceded(successors: Successors) -> Iterator[tuple[Levels, str]]:
    """Yield the paths to rules, each with a hostname under which no request comes to the rule.

    Of equal matches of a route the first one is taken, and of those of several routes the oldest
    route's (HTTPRoute, `matches`): a route that is new is younger than one that was there.
    """
    old, new = successors.old, successors.new
    names = {ref: successors.name(ref) for ref in old.nodes}
    lasting = {ref for ref, name in names.items() if ref == name}
    earlier = set(names.values())

    def precedes(rule: Ref, own: Ref) -> bool:
        if rule.whole == own.whole:
            order = [*new.matches(own.whole)]
            return order.index(rule.section_name) < order.index(own.section_name)
        return rule.whole in lasting and own.whole not in earlier

    for levels, hostname, equals in new.fill(_list_equals(new.topology)):
        if all(any(precedes(rule, levels[-1]) for rule in rules) for rules in equals):
            yield levels, hostname


def list_further_ways(successors: Successors) -> tuple[tuple[Way, tuple[str, ...]], ...]:
    """Return each path that serves hostnames under which its requests were not served before."""
    return successors.once(list_further_ways, lambda: tuple(_list_further_ways(successors)))


def _list_further_ways(successors: Successors) -> Iterator[tuple[Way, tuple[str, ...]]]:
    preceded = {*_find_preceded(successors)}
    predecessors: dict[Levels, set[str]] = {}
    for old, new in successors.pairs:
        if successors.name(old.levels[0]) == new.levels[0]:
            predecessors.setdefault(new.levels, set()).update(old.hostnames)
    for way in successors.new.rules.values():
        before = predecessors.get(way.levels, set())
        further = tuple(
            name
            for name in way.hostnames
            if not is_covered(name, before) and (way.levels, name) not in preceded
        )
        if further:
            yield way, further


class Opening(Struct, frozen=True):
    """A path with further hostnames under which anybody may call it.

    `exposed` are those of them that every path guarded before the change, and none does after it,
    each with the policies that guarded it.
    """

    way: Way
    hostnames: tuple[str, ...]
    exposed: Mapping[str, tuple[Ref, ...]]


def list_openings(successors: Successors) -> Iterator[Opening]:
    """Yield each path that serves further hostnames and that nothing guards after a change."""
    old, new = successors.old, successors.new
    further = list_further_ways(successors)
    openings = [(way, names) for way, names in further if not new.is_guarded(way)]
    before, after = (
        _group_by_hostname(view.rules.values() if openings else ()) for view in (old, new)
    )
    for way, names in openings:
        exposed = {
            name: tuple(guard for one in before[name] for guard in old.list_guards(one))
            for name in names
            if name in before
            and all(map(old.is_guarded, before[name]))
            and not any(map(new.is_guarded, after[name]))
        }
        yield Opening(way, names, exposed)


def _group_by_hostname(ways: Iterable[Way]) -> Mapping[str, list[Way]]:
    return grouped((name, way) for way in ways for name in way.hostnames)


@memoised
def _list_equals(topology: Topology) -> tuple[_Equal, ...]:
    rules: dict[RequestKey, dict[Ref, None]] = {}
    for path, keys in list_requests(topology):
        for key in keys:
            rules.setdefault(key, {})[path.levels[-1]] = None
    return tuple(
        (path.levels[1:], hostname, equals)
        for path, keys in list_requests(topology)
        for hostname in dict.fromkeys(key[2] for key in keys)
        if all(
            equals := tuple(
                tuple(rule for rule in rules[key] if rule != path.levels[-1])
                for key in keys
                if key[2] == hostname
            )
        )
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
