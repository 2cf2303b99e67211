"""Paths to rules that get further requests after a change, or none, as equal ones come first."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import Way
from spokerender.topology.equals import RequestKey, list_requests
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import is_covered
from spokerender.topology.paths import Levels

_Equal = tuple[Levels, str, tuple[tuple[Ref, ...], ...]]
"""A path to a rule, a hostname, and for each match there the other rules that are for the same."""


def _find_idle(successors: Successors) -> Iterator[tuple[Levels, str]]:
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
    idle = {*_find_idle(successors)}
    predecessors: dict[Levels, set[str]] = {}
    for old, new in successors.pairs:
        if successors.name(old.levels[0]) == new.levels[0]:
            predecessors.setdefault(new.levels, set()).update(old.hostnames)
    for way in successors.new.rules.values():
        before = predecessors.get(way.levels, set())
        further = tuple(
            name
            for name in way.hostnames
            if not is_covered(name, before) and (way.levels, name) not in idle
        )
        if further:
            yield way, further


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
