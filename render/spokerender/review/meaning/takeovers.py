"""Requests that another rule takes after a change: by precedence, as far as both are there.

A new rule with a more specific match takes requests from one that stays as it is, and where a rule
goes, or asks for something else, a less specific one gets what it took.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

from msgspec import Struct

from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.review.comparison.successors import ByHostname, Successors
from spokerender.review.comparison.views import Way
from spokerender.topology.hostnames import is_covered
from spokerender.topology.node import Match
from spokerender.topology.paths import Levels

_Entrance = tuple[Ref, int | str, str]
"""A gateway with a port and a protocol."""
_ANY = Match("", "{}")


class Takeover(Struct, frozen=True, eq=False):
    """Requests that `old` took before the change, and `new` takes after it.

    With `is_new`, nothing was where `new` is; what `old` took apart from these it may take still.
    """

    old: Way
    new: Way
    is_new: bool


class _Request(Struct, frozen=True, eq=False):
    """The requests of one match of a rule under one hostname."""

    way: Way
    match: Mapping[str, Any]
    hostname: str
    rank: tuple[Any, ...]

    @staticmethod
    def of(way: Way) -> Iterator[_Request]:
        """Yield the requests that a rule is for."""
        for match in way.match or (_ANY,):
            read = _read_match(_text(match))
            for name in way.hostnames:
                listener = way.address[0] or "*"
                rank = (_rank_hostname(listener), _rank_hostname(name), *_rank_match(read))
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
        candidates = [item for item in met if _may_meet(item.match, asked.match)]
        done: tuple[Any, ...] | None = None
        for item in sorted(candidates, key=attrgetter("rank"), reverse=True):
            if done is not None and item.rank < done:
                return
            if item.rank <= asked.rank or item.way.levels not in lasting:
                yield item.way
            is_all = is_covered(asked.hostname, (item.hostname,))
            if is_all and _is_wider(item.match, asked.match):
                done = item.rank


@memoised
def find_takeovers(successors: Successors) -> tuple[Takeover, ...]:
    """Return each pair of rules of which the later one takes requests of the earlier one."""
    return tuple(_TakeoverComparison(successors).find())


def takes_all(takers: Iterable[Way], way: Way) -> bool:
    """Tell whether rules are for every request that a rule is for, hostnames aside."""
    matches = [_read_match(_text(one)) for taker in takers for one in taker.match or (_ANY,)]
    return all(
        any(_is_wider(one, _read_match(_text(other))) for one in matches)
        for other in way.match or (_ANY,)
    )


def _text(match: object) -> str:
    assert isinstance(match, Match)  # noqa: S101  (ways have the matches of their nodes)
    return match.text


class _TakeoverComparison:
    """The comparison of who takes which requests, before and after a change."""

    def __init__(self, successors: Successors) -> None:
        self._successors = successors
        self._old, self._new = successors.old.rules, successors.new.rules

    def find(self) -> Iterator[Takeover]:
        """Yield the pairs of rules."""
        same = {old.levels: new.levels for old, new in self._successors.pairs if _is_same(old, new)}
        paired = {(old.levels, new.levels) for old, new in self._successors.pairs}
        successors = {new for _, new in paired}
        lasting = frozenset(same.values())
        for new in self._new.values():
            if new.levels not in lasting:
                rules = self._old_rules.get(_find_entrance(new))
                for old in _list_takers(new, rules, same):
                    if (old.levels, new.levels) not in paired:
                        yield Takeover(old, new, new.levels not in successors)
        for old in self._old.values():
            if old.levels not in same:
                rules = self._new_rules.get(self._follow(old))
                for new in _list_takers(old, rules, lasting):
                    if new.levels in lasting and (old.levels, new.levels) not in paired:
                        yield Takeover(old, new, is_new=False)

    def _follow(self, old: Way) -> _Entrance:
        return (self._successors.name(old.levels[0]), *old.address[1:])

    @cached_property
    def _old_rules(self) -> Mapping[_Entrance, _Rules]:
        return _group_by_entrance((self._follow(way), way) for way in self._old.values())

    @cached_property
    def _new_rules(self) -> Mapping[_Entrance, _Rules]:
        return _group_by_entrance((_find_entrance(way), way) for way in self._new.values())


def _group_by_entrance(ways: Iterable[tuple[_Entrance, Way]]) -> Mapping[_Entrance, _Rules]:
    by_entrance: dict[_Entrance, list[_Request]] = {}
    for entrance, way in ways:
        by_entrance.setdefault(entrance, []).extend(_Request.of(way))
    return {entrance: _Rules(items) for entrance, items in by_entrance.items()}


def _list_takers(way: Way, rules: _Rules | None, lasting: Container[Levels]) -> Iterable[Way]:
    if rules is None:
        return ()
    takers = (taker for item in _Request.of(way) for taker in rules.find_takers(item, lasting))
    return {taker.levels: taker for taker in takers}.values()


def _find_entrance(way: Way) -> _Entrance:
    return (way.levels[0], *way.address[1:])


def _is_same(old: Way, new: Way) -> bool:
    return (old.match, sorted(old.hostnames), old.address) == (
        new.match,
        sorted(new.hostnames),
        new.address,
    )


@lru_cache(8_192)
def _read_match(text: str) -> Mapping[str, Any]:
    data = json.loads(text)
    return data if isinstance(data, dict) else {}


def _rank_hostname(name: str) -> tuple[bool, int]:
    """Return a key by which the more specific hostname is greater (HTTPRoute, `hostnames`)."""
    return not name.startswith("*"), len(name)


_PATHS = ("PathPrefix", "RegularExpression", "Exact")
"""The types of matches; where a regular expression comes is the implementation's affair."""


def _rank_match(match: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a key by which the more specific match is greater (HTTPRouteRule, `matches`)."""
    kind, path = _read_path(match)
    method = match.get("method")
    method_length = len(str(method)) if isinstance(method, Mapping) else 0
    return (
        _PATHS.index(kind) if kind in _PATHS else -1,
        len(path.rstrip("/")),
        method_length,
        method is not None,
        len(match.get("headers", ())),
        len(match.get("queryParams", ())),
    )


def _read_path(match: Mapping[str, Any]) -> tuple[str, str]:
    path = match.get("path")
    if not isinstance(path, Mapping):
        return "", ""
    return str(path.get("type")), str(path.get("value"))


def _is_wider(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether a match is for every request that another one is for."""
    if one == other:
        return True
    is_path_wider = _reaches(_read_path(one), _read_path(other))
    entries = all(item in other.get(field, ()) for field in _LISTS for item in one.get(field, ()))
    return is_path_wider and entries and _is_part(one.get("method"), other.get("method"))


_LISTS = ("headers", "queryParams")


def _reaches(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Tell whether a path is matched by all that another one is matched by."""
    (kind, prefix), (_, path) = one, other
    if not kind or one == other:
        return True
    stem = prefix.rstrip("/")
    is_plain = other[0] in ("PathPrefix", "Exact")
    return kind == "PathPrefix" and is_plain and f"{path.rstrip('/')}/".startswith(f"{stem}/")


def _is_part(one: Any, other: Any) -> bool:  # noqa: ANN401  (a method of HTTP, or of gRPC)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return all(other.get(key) == value for key, value in one.items())
    return one is None or one == other


def _may_meet(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether some request may be one of both; True where nobody can tell."""
    paths = _read_path(one), _read_path(other)
    is_odd = any(kind == "RegularExpression" for kind, _ in paths)
    if not is_odd and not (_reaches(*paths) or _reaches(*paths[::-1])):
        return False
    methods = one.get("method"), other.get("method")
    if not (_is_part(*methods) or _is_part(*methods[::-1])):
        return False
    return not any(_excludes(one.get(field, ()), other.get(field, ())) for field in _LISTS)


def _excludes(one: Iterable[Mapping[str, Any]], other: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether two lists of headers want another value of one of them."""
    exact = {item["name"]: item.get("value") for item in other if item.get("type") == "Exact"}
    return any(
        item.get("type") == "Exact" and exact.get(item["name"], item.get("value")) != item["value"]
        for item in one
    )
