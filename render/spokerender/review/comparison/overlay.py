"""The overlay of two states: sets of requests, and the rules that serve them in each state.

The literals in the matches of both states divide hostnames, paths, methods, headers and query
parameters into cells. All requests of a cell are treated equally, so one request, the witness, is
tried with the rules of both states. Only entrances (where connections come in) are paired by name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from math import prod
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.regexes import can_match_both, guess_text
from spokerender.judging.trials import (
    NARROWING,
    NOTHING_ASSUMED,
    Assumed,
    RuleMatches,
    choose_rules,
    prepare_rule,
    try_rule,
)
from spokerender.model import grouped
from spokerender.review.comparison.views import SpokeView, Way, list_ways
from spokerender.topology.hostnames import EVERY_NAME, make_host
from spokerender.topology.matches import (
    METHODS,
    MatchFields,
    Request,
    connect,
    has_pattern,
    read_target,
)
from spokerender.topology.paths import Entrance, Levels, RequestPath
from spokerender.topology.precedence import Ages
from spokerender.topology.serving import HostIndex, Port, list_snis, make_port
from spokerender.topology.taken import NAMELESS

_ANY = "any"
"""A path segment and a value that no match names."""
_MOST_CELLS = 4_096
"""The number of cells per hostname and path, at most; cells with few named values come first."""


class Cell(Struct, frozen=True, eq=False):
    """A set of requests, with the rules that may serve them before and after the change.

    The first rule in `before` and in `after` is the likely one. `hostname` is the most specific
    name in the files that matches the requests, `witness` one of the requests. `is_real` is False
    if no witness could be built that matches exactly the assumed regular expressions. With
    `is_partial`, changed rules for the path have more combinations of values than `_MOST_CELLS`, so
    not all are compared.
    """

    entrance: Entrance
    hostname: str
    witness: Request
    before: tuple[Way, ...]
    after: tuple[Way, ...]
    is_real: bool = True
    is_partial: bool = False


class RuleTakers:
    """The rules of one state, indexed by entrance (where connections come in) and by hostname."""

    def __init__(self, view: SpokeView, ages: Ages, earlier: SpokeView | None = None) -> None:
        """Index the rules; with `earlier`, conditions of a filter that was deleted still count.

        Without the filter, requests to its rule fail; or the cluster may still have the filter.
        """
        self._view, self._ages = view, ages
        nodes = earlier.nodes if earlier is not None else {}
        self._gone = {str(r): node.narrows for r, node in nodes.items() if r not in view.nodes}
        self._ways: dict[int, Way] = {}
        self.entrances: dict[Entrance, dict[Port, None]] = {}
        """The ports of each entrance: several if port numbers are unknown."""
        self._index = self._list_rules()

    def _list_rules(self) -> HostIndex[RuleMatches]:
        """Return the rules by hostname, without rules at listeners that accept no connections."""
        index = HostIndex[RuleMatches]()
        topology, fill = self._view.topology, self._view.fill
        listeners, rules = list_ways(topology)
        for each, way in zip(listeners, fill(listeners), strict=True):
            if not way.is_closed:
                index.add(self._find_port(way), self._list_snis(each.path, way))
        for path, way in zip((each.path for each in rules), fill(rules), strict=True):
            rule = prepare_rule(topology, path, fill)
            if rule.narrowing in self._gone:
                rule = replace(rule, narrowing=self._gone[rule.narrowing])
            # By identity: paths are the topology's own, and are looked up for each request.
            self._ways[id(path)] = self._view.rules[way.levels]
            names = (EVERY_NAME,) if way.is_nameless else way.hostnames
            index.add(self._find_port(way), self._list_snis(path, way), (names, rule))
        return index

    def _list_snis(self, path: RequestPath, way: Way) -> tuple[str, ...]:
        hostname, _, protocol = way.address
        return list_snis(self._view.topology, path, (hostname, protocol), way.hostnames)

    def _find_port(self, way: Way) -> Port:
        port = make_port(way.proxy, way.path.section, *way.address[1:])
        self.entrances.setdefault(way.entrance, {})[port] = None
        return port

    def list_names(self, entrance: Entrance) -> Iterator[str]:
        """Yield the hostnames of the rules and listeners at an entrance."""
        for port in self.entrances.get(entrance, ()):
            yield from self._index.list_names(port)

    def find(self, entrance: Entrance, host: str) -> list[RuleMatches]:
        """Return the rules at an entrance that may serve a host; empty if there are none."""
        return [
            rule
            for port in self.entrances.get(entrance, ())
            for number, (_, rules) in enumerate(self._index.find(port, host))
            for rule in rules
            # A rule under a less specific hostname counts only where its controller takes longer
            # matches first.
            if (not number or rule.longest is not None)
            and self._ways[id(rule.path)].entrance == entrance
        ]

    def take(self, entrance: Entrance, request: Request) -> tuple[Way, ...]:
        """Return the rules that may serve a request at an entrance, the likely one first."""
        return self.choose(self.find(entrance, request.host), request, NOTHING_ASSUMED)

    def choose(
        self, rules: Iterable[RuleMatches], request: Request, assumed: Assumed
    ) -> tuple[Way, ...]:
        """Return those of `rules` that may serve a request, the likely one first."""
        trials = (try_rule(rule, request, assumed) for rule in rules)
        fitting = [trial for trial in trials if not trial.lacking]
        chosen = choose_rules(self._view.topology, fitting, self._ages)
        return tuple(self._ways[id(path)] for path in chosen)


def list_cells(
    before: RuleTakers, after: RuleTakers, entrances: Mapping[Entrance, Entrance]
) -> Iterator[Cell]:
    """Yield the cells of two states; `entrances` has the earlier entrance by the later one."""
    # Entrances of either state: new and deleted entrances have no counterpart.
    for entrance in dict.fromkeys((*after.entrances, *entrances)):
        old = entrances.get(entrance, entrance)
        names = dict.fromkeys((*before.list_names(old), *after.list_names(entrance)))
        for name in sorted(names):
            host = make_host(name, names)
            sides = before.find(old, host), after.find(entrance, host)
            groups: dict[tuple[tuple[Levels, ...], ...], Cell] = {}
            for sample in _list_samples(host, entrance, sides):
                request, assumed = sample.request, sample.assumed
                was = before.choose(sample.rules[0], request, assumed)
                now = after.choose(sample.rules[1], request, assumed)
                key = tuple(way.levels for way in was), tuple(way.levels for way in now)
                # One real witness for each pair of answers is enough.
                if not (was or now) or (key in groups and groups[key].is_real):
                    continue
                # A request with texts that the expressions may match; whether it is real is tried
                # below.
                real = _fulfil(request, assumed) if assumed else request
                left = {key: is_met for key, is_met in assumed.items() if key[0] == NARROWING}
                is_real = not assumed or (was, now) == (
                    before.choose(sides[0], real, left),
                    after.choose(sides[1], real, left),
                )
                if is_real or key not in groups:
                    groups[key] = Cell(
                        entrance, name, real, was, now, is_real, is_partial=sample.is_partial
                    )
            # Real ones first, so that examples are requests that can be sent.
            yield from sorted(groups.values(), key=lambda cell: not cell.is_real)


def pair_rules(cell: Cell, name: Callable[[Levels], Levels]) -> Iterator[tuple[Way, Way]]:
    """Yield pairs of a rule before and a rule after a change that may serve the cell's requests.

    A rule of both states is paired with itself. `name` returns a path's names after the change.
    """
    if not (cell.before and cell.after):
        return
    left = {way.levels: way for way in cell.after}
    for old in cell.before:
        same = name(old.levels)
        # Without the same rule on the other side, the likely one takes its place.
        yield old, left.pop(same) if same in left else cell.after[0]
    for new in left.values():
        yield cell.before[0], new


class _Sample(Struct, frozen=True, eq=False):
    """A request of a cell, and the rules of both states that may serve its path."""

    request: Request
    rules: Sequence[Sequence[RuleMatches]]
    assumed: Assumed = NOTHING_ASSUMED
    is_partial: bool = False


def _list_samples(
    host: str, entrance: Entrance, sides: tuple[Sequence[RuleMatches], Sequence[RuleMatches]]
) -> Iterator[_Sample]:
    """Yield a request for each cell of a host.

    A regular expression is evaluated if a match names a text for its field. Otherwise it has two
    cells: it is assumed to match in one, and not to match in the other.
    """
    _, port, protocol = entrance
    plain = connect(host, port, protocol)
    # Without HTTP there are no paths to cut: the connection is all.
    if protocol in NAMELESS or protocol == "TLS":
        yield _Sample(plain, sides)
        return
    by_path = [_RulesByPath(side) for side in sides]
    for path in _cut_paths({stem for side in by_path for stem in side.targets}):
        near = [side.find(path) for side in by_path]
        # Where one path is named exactly, expressions are evaluated on it.
        exact = {"path"} if any(("Exact", path) in side.targets for side in by_path) else set()
        # Cut by the rules of both states, so that a cell is alike in both.
        axes = _list_axes([rule for rules in near for rule in rules])
        # Rules that ask for the same on both sides cannot differ in the combinations that are left
        # out.
        is_partial = prod(map(len, axes)) > _MOST_CELLS and not _have_equal_matches(*near)
        is_whole = all(rule.is_whole for side in near for rule in side)
        for method, *values in islice(_combine(axes), _MOST_CELLS):
            texts = [v for v in values if isinstance(v, _NamedText)]
            named = {f"{text.field} {text.name}" for text in texts if text.text != _ANY} | exact
            truths = [v for v in values if isinstance(v, _Truth)]
            # Expressions of a named text are evaluated, so only one of the two cells is needed.
            if any(truth.is_met and truth.expression[0] in named for truth in truths):
                continue
            assumed = {v.expression: v.is_met for v in truths if v.expression[0] not in named}
            if is_whole and _exclude_each_other(assumed):
                continue
            entries = [text for text in texts if text.text is not None]
            headers, query = (
                {each.name: each.text or "" for each in entries if each.field == field}
                for field in ("headers", "queryParams")
            )
            request = replace(plain, method=method, path=path, query=query, headers=headers)
            yield _Sample(request, near, assumed, is_partial)


def _exclude_each_other(assumed: Assumed) -> bool:
    """Return whether no text can match all expressions that are assumed to match for a field."""
    true = (key for key, is_met in assumed.items() if is_met and key[0] != NARROWING)
    return any(
        one[0] == other[0] and not can_match_both(one[1], other[1])
        for one, other in combinations(true, 2)
    )


def _have_equal_matches(one: Sequence[RuleMatches], other: Sequence[RuleMatches]) -> bool:
    return [(rule.path.levels, rule.chain) for rule in one] == [
        (rule.path.levels, rule.chain) for rule in other
    ]


def _combine(axes: Sequence[Sequence[Any]]) -> Iterator[list[Any]]:
    """Yield combinations of one value per axis, sorted by the number of values that are not first.

    Thus a match with few values is among the first combinations, however many axes there are.
    """
    # The first value of an axis is not in any match.
    firsts = [axis[0] for axis in axes]
    for number in range(len(axes) + 1):
        for places in combinations(range(len(axes)), number):
            for values in product(*(axes[place][1:] for place in places)):
                combination = [*firsts]
                for place, value in zip(places, values, strict=True):
                    combination[place] = value
                yield combination


def _fulfil(request: Request, assumed: Assumed) -> Request:
    """Return the request with texts that match the expressions which are assumed to match."""
    texts = {field: guess_text(text) for (field, text), is_met in assumed.items() if is_met}
    headers, query = (
        {**own, **{key.removeprefix(start): texts[key] for key in texts if key.startswith(start)}}
        for start, own in (("headers ", request.headers), ("queryParams ", request.query))
    )
    path = f"/{texts.get('path', request.path).removeprefix('/')}"
    return replace(request, path=path, headers=headers, query=query)


class _RulesByPath:
    """The rules for one host, indexed by the type and value of their path matches."""

    def __init__(self, rules: Iterable[RuleMatches]) -> None:
        self._rules = tuple(rules)
        self.targets = grouped(
            (_read_stem(fields), number)
            for number, rule in enumerate(self._rules)
            for fields, _ in rule.chain[-1]
        )
        # Expressions may match any path, so their rules are always asked.
        self._open = [k for k in self.targets if k[0] not in ("Exact", "PathPrefix")]

    def find(self, path: str) -> list[RuleMatches]:
        """Return the rules whose path matches may match `path`, whatever else they match."""
        segments = path.rstrip("/").split("/")
        stems = ("/".join(segments[:number]) for number in range(1, len(segments) + 1))
        keys = (("Exact", path), *(("PathPrefix", stem) for stem in stems), *self._open)
        numbers = {number for key in keys for number in self.targets.get(key, ())}
        return [self._rules[number] for number in sorted(numbers)]


def _read_stem(fields: MatchFields) -> tuple[str, str]:
    kind, value = read_target(fields)
    return kind, value.rstrip("/") if kind == "PathPrefix" else value


class _Truth(Struct, frozen=True):
    """A regular expression of a field, and whether the requests of a cell match it."""

    expression: tuple[str, str]
    is_met: bool


class _NamedText(Struct, frozen=True):
    """A header or query parameter of the requests of a cell; `text` is None if they lack it."""

    field: str
    name: str
    text: str | None


def _list_truths(expression: tuple[str, str]) -> list[_Truth]:
    return [_Truth(expression, is_met) for is_met in (False, True)]


def _cut_paths(targets: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a path for each set of paths that `Exact` and `PathPrefix` matches distinguish."""
    exact = {value for kind, value in targets if kind == "Exact"}
    stems = {value for kind, value in targets if kind == "PathPrefix"} | {""}
    yield from sorted(exact)
    for stem in sorted(stems):
        path, segment = stem or "/", _ANY
        # A longer path until neither an exact match nor a longer prefix takes it.
        while path in exact or (path in stems and path != stem):
            path, segment = f"{stem}/{segment}", f"{segment}-"
        yield path


def _list_methods(near: Iterable[MatchFields]) -> list[str]:
    """Return the methods in the matches, and first a method that no match names."""
    methods = {
        "POST" if isinstance(method, Mapping) else str(method)
        for fields in near
        if (method := fields.get("method")) is not None
    }
    return [next((name for name in METHODS if name not in methods), _ANY), *sorted(methods)]


def _list_axes(rules: Sequence[RuleMatches]) -> list[Sequence[Any]]:
    """Return the values by which rules distinguish requests for a path: methods, then other fields.

    The first value of each axis is one that no match names.
    """
    fields = [each for rule in rules for each in rule.fields]
    narrowings = sorted({rule.narrowing for rule in rules if rule.narrowing})
    truths = (_list_truths((NARROWING, text)) for text in narrowings)
    return [_list_methods(fields), *_list_named(fields), *truths]


def _list_named(near: Sequence[MatchFields]) -> Iterator[Sequence[_NamedText | _Truth]]:
    """Yield the values to try for each path expression, header and query parameter in matches."""
    for kind, value in sorted({read_target(fields) for fields in near}):
        if kind == "RegularExpression":
            yield _list_truths(("path", value))
    for field in ("headers", "queryParams"):
        items = grouped(
            (str(item.get("name")), item) for fields in near for item in fields.get(field, ())
        )
        for name, named in sorted(items.items()):
            # None first: most requests lack most headers.
            texts: dict[str | None, None] = {None: None}
            for item in named:
                value = str(item.get("value"))
                if has_pattern(item):
                    texts[_ANY] = None
                    yield _list_truths((f"{field} {name}", value))
                else:
                    texts[value] = None
            yield [_NamedText(field, name, text) for text in texts]
