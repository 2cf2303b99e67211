"""Requests that another rule takes after a change: by precedence, as far as both are there.

A new rule with a more specific match takes requests from one that stays as it is, and where a rule
goes, or asks for something else, a less specific one gets what it took.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property
from operator import attrgetter
from typing import Any

from msgspec import Struct

from spokerender.kinds.kind import Role
from spokerender.model import Ref, grouped
from spokerender.review.comparison.pairs import Takeover
from spokerender.review.comparison.successors import ByHostname, Successors
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.topology.hostnames import is_covered
from spokerender.topology.matches import is_wider, list_matches, may_meet, rank_match
from spokerender.topology.paths import Levels
from spokerender.topology.precedence import find_orders

_Entrance = tuple[Ref, int | str, str]
"""A proxy with a port and a protocol."""


class _Request(Struct, frozen=True, eq=False):
    """The requests of one match of a rule under one hostname."""

    way: Way
    match: Mapping[str, Any]
    hostname: str
    rank: tuple[Any, ...]

    @staticmethod
    def of(way: Way) -> "Iterator[_Request]":
        """Yield the requests that a rule is for."""
        for read in list_matches(way.match):
            for name in way.hostnames:
                listener = way.address[0] or "*"
                rank = (_rank_hostname(listener), _rank_hostname(name), *rank_match(read))
                yield _Request(way, read, name, rank)


class _Rules:
    """The rules of one state, found by the requests that they are for."""

    def __init__(self, requests: Iterable[_Request]) -> None:
        self._requests = ByHostname((item.hostname, item) for item in requests)

    def find_takers(self, asked: _Request, lasting: Container[Levels]) -> Iterator[Way]:
        """Yield the rules that take some of these requests, the first by precedence first.

        Of those in both states (`lasting`) the ones that go before have what they had.
        """
        met = self._requests.meet(asked.hostname)
        candidates = [item for item in met if may_meet(item.match, asked.match)]
        done: tuple[Any, ...] | None = None
        for item in sorted(candidates, key=attrgetter("rank"), reverse=True):
            if done is not None and item.rank < done:
                return
            if item.rank <= asked.rank or item.way.levels not in lasting:
                yield item.way
            is_all = is_covered(asked.hostname, (item.hostname,))
            if is_all and is_wider(item.match, asked.match):
                done = item.rank


def find_takeovers(successors: Successors) -> tuple[Takeover, ...]:
    """Return each pair of rules of which the later one takes requests of the earlier one."""
    return successors.once(find_takeovers, lambda: tuple(_TakeoverComparison(successors).find()))


class _TakeoverComparison:
    """The comparison of who takes which requests, before and after a change."""

    def __init__(self, successors: Successors) -> None:
        self._successors = successors
        self._old, self._new = successors.old.rules, successors.new.rules

    def find(self) -> Iterator[Takeover]:
        """Yield the pairs of rules."""
        same = {old.levels: new.levels for old, new in self._successors.pairs if is_same(old, new)}
        paired = {(old.levels, new.levels) for old, new in self._successors.pairs}
        successors = {new for _, new in paired}
        lasting = frozenset(same.values())
        for new in self._new.values():
            if new.levels not in lasting:
                rules = self._old_rules.get(new.entrance)
                for old in _list_takers(new, rules, same):
                    if (old.levels, new.levels) not in paired:
                        yield Takeover(old, new, new.levels not in successors)
        for old in self._old.values():
            is_lasting = old.levels in same
            if not is_lasting or old.levels[-2] in self._displaced:
                rules = self._new_rules.get(_follow(self._successors, old))
                for new in _list_takers(old, rules, lasting):
                    if new.levels not in lasting or (old.levels, new.levels) in paired:
                        continue
                    if not is_lasting or self._is_passed(old, new):
                        is_elsewhere = self._leads_elsewhere(old, new)
                        yield Takeover(
                            old, new, is_elsewhere=is_elsewhere, is_among_equals=is_lasting
                        )

    def _leads_elsewhere(self, old: Way, new: Way) -> bool:
        name = self._successors.name
        before = map(name, _list_backends(self._successors.old, old))
        after = _list_backends(self._successors.new, new)
        return name(old.levels[-2]) != new.levels[-2] and after.isdisjoint(before)

    @cached_property
    def _displaced(self) -> Mapping[Ref, tuple[list[Ref], list[Ref]]]:
        """The routes that have another name, or rules in another order, with these in both states.

        The rules have the names that they have after the change.
        """
        displaced: dict[Ref, tuple[list[Ref], list[Ref]]] = {}
        for route in {way.levels[-2] for way in self._old.values()}:
            name, views = self._successors.name, (self._successors.old, self._successors.new)
            before, after = (
                [ref.section(rule) for rule in view.matches(ref)] if ref in view.nodes else []
                for view, ref in zip(views, (route, name(route)), strict=True)
            )
            before = [rule for rule in map(name, before) if rule in after]
            if name(route) != route or before != [rule for rule in after if rule in before]:
                displaced[route] = before, after
        return displaced

    def _is_passed(self, old: Way, new: Way) -> bool:
        """Tell whether a rule may have come before an equal one, and not do so afterwards."""
        route, rule = map(self._successors.name, old.levels[-2:])
        rival = new.levels[-2]
        if rival == route:
            order = self._displaced[old.levels[-2]]
            places = [(side.index(rule), side.index(new.levels[-1])) for side in order]
            return places[0][0] < places[0][1] and places[1][1] < places[1][0]
        sides = (
            (self._successors.old, (old.levels[-2], self._successors.earlier.get(rival, rival))),
            (self._successors.new, (route, rival)),
        )
        before, after = (
            find_orders(pair, {view.fill(ref): age for ref, age in view.topology.ages.items()})
            for view, pair in sides
        )
        return route != old.levels[-2] and old.levels[-2] in before.firsts and rival in after.firsts

    @cached_property
    def _old_rules(self) -> Mapping[_Entrance, _Rules]:
        ways = self._old.values()
        return _group_by_entrance((_follow(self._successors, way), way) for way in ways)

    @cached_property
    def _new_rules(self) -> Mapping[_Entrance, _Rules]:
        return _group_by_entrance((way.entrance, way) for way in self._new.values())


def _group_by_entrance(ways: Iterable[tuple[_Entrance, Way]]) -> Mapping[_Entrance, _Rules]:
    by_entrance = grouped((entrance, it) for entrance, way in ways for it in _Request.of(way))
    return {entrance: _Rules(items) for entrance, items in by_entrance.items()}


def _list_takers(way: Way, rules: _Rules | None, lasting: Container[Levels]) -> Iterable[Way]:
    if rules is None:
        return ()
    takers = (taker for item in _Request.of(way) for taker in rules.find_takers(item, lasting))
    return {taker.levels: taker for taker in takers}.values()


def _follow(successors: Successors, way: Way) -> _Entrance:
    """Return where connections of a path of before come in: as there, or by its Gateway."""
    proxies = successors.once(_follow, lambda: _list_proxies(successors.new))
    proxy, gateway = map(successors.name, (way.proxy, way.levels[0]))
    is_there = proxy in proxies.values()
    return (proxy if is_there else proxies.get(gateway, gateway), *way.address[1:])


def _list_proxies(view: SpokeView) -> Mapping[Ref, Ref]:
    return {way.levels[0]: way.proxy for way in view.listeners.values()}


def is_same(old: Way, new: Way) -> bool:
    """Tell whether a rule is for the same requests in both states."""
    return (old.match, sorted(old.hostnames), old.address) == (
        new.match,
        sorted(new.hostnames),
        new.address,
    )


def _list_backends(view: SpokeView, way: Way) -> set[Ref]:
    node = view.nodes[way.levels[-2]]
    links = (link for link in node.references if link.row.role is Role.BACKEND)
    return {link.ref.whole for link in links if node.rule_of(link) == way.levels[-1]}


def _rank_hostname(name: str) -> tuple[bool, int]:
    """Return a key by which the more specific hostname is greater (HTTPRoute, `hostnames`)."""
    return not name.startswith("*"), len(name)


def find_nearest(successors: Successors, way: Way, names: Iterable[str]) -> Way | None:
    """Return the listener with the nearest hostname that takes connections of a path of before."""
    place = _follow(successors, way)
    takers = [
        other
        for other in successors.new.listeners.values()
        if other.entrance == place
        and not other.is_closed
        and all(is_covered(name, (other.address[0] or "*",)) for name in names)
    ]
    return max(takers, key=lambda other: _rank_hostname(other.address[0] or "*"), default=None)
