"""Trials of a rule on a request: whether the rule fits, and how specific its match is.

If several rules fit, the best match decides (HTTPRouteRule, `matches`): an exact path, then the
longest prefix, the method, most headers, most parameters; then the older route, then the route's
name, and within a route the first rule.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from spokerender.kinds.merging import Names, Precedence
from spokerender.model import grouped
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.matches import (
    MatchFields,
    Request,
    find_mismatch,
    has_pattern,
    list_matches,
    rank_match,
    read_matches,
    read_target,
)
from spokerender.topology.paths import RequestPath
from spokerender.topology.precedence import Ages, find_orders
from spokerender.topology.requests import find_narrowing

LOCAL = Precedence(names=Names.PAIR)
"""The order of routes with equal matches: by age, then by namespace and name (HTTPRouteRule)."""


class RuleMatches(Struct, frozen=True, eq=False):
    """A rule, prepared for trials.

    `chain` has a list of matches (fields and rank) for each rule that delegates to the rule, and
    last for the rule itself. `narrowing` names conditions of filters, which are not evaluated here.
    If `is_whole`, a regular expression must match the whole text. `longest` is the length of the
    route's longest hostname if the controller compares it after the matches; None if it first
    selects the most specific hostname.
    """

    path: RequestPath
    chain: tuple[list[tuple[MatchFields, tuple[Any, ...]]], ...]
    narrowing: str
    is_whole: bool
    longest: int | None = None

    @property
    def fields(self) -> Iterator[MatchFields]:
        """The fields of all matches in the chain."""
        return (fields for matches in self.chain for fields, _ in matches)


class RuleTrial(Struct, frozen=True, eq=False):
    """The result of trying a rule on a request; `rank` is how specific its best match is.

    `lacking` is the field that the request lacks (empty: the rule fits), for certain if `is_sure`.
    """

    path: RequestPath
    rank: tuple[Any, ...]
    lacking: str
    is_sure: bool


Assumed = Mapping[tuple[str, str], bool]
"""Assumed results of expressions, which then are not evaluated, by field and expression."""
NOTHING_ASSUMED: Assumed = MappingProxyType({})
NARROWING = "filters"
"""The field name in `Assumed` for the conditions of filters."""


def prepare_rule(topology: Topology, path: RequestPath, fill: Callable[[Any], Any]) -> RuleMatches:
    """Return a rule prepared for trials; `fill` replaces placeholders by a spoke's values."""
    routing = find_class_controller(topology, path.gateway_class).routing
    is_whole = routing is not None and routing.whole_expressions
    counts_method = routing is not None and routing.counts_method
    rules = [ref for ref in path.parents if ref.section_name]
    every = (
        fill(list_matches(read_matches(topology.nodes[rule.whole]).get(rule.section_name, ())))
        for rule in (*rules, path.levels[-1])
    )
    chain = (
        [(fields, rank_match(fields, counts_method=counts_method)) for fields in matches]
        for matches in every
    )
    # Traefik makes a router of each match, whose priority counts the path before the hostname
    # (httproute.go, buildMatchRule): rules of wider hostnames compete with rules of nearer ones.
    is_last = routing is not None and routing.hostnames_last
    longest = max(map(len, fill(path.hostnames)), default=0) if is_last else None
    return RuleMatches(path, tuple(chain), find_narrowing(topology, path), is_whole, longest)


def try_rule(rule: RuleMatches, request: Request, assumed: Assumed = NOTHING_ASSUMED) -> RuleTrial:
    """Return the result of trying the matches of a rule on a request."""
    rank: tuple[Any, ...] = ()
    narrows = assumed.get((NARROWING, rule.narrowing)) if rule.narrowing else True
    is_sure = rule.path.is_certain and narrows is True
    lacking = "" if narrows is not False else f"filter {rule.narrowing}"
    for matches in rule.chain:
        verdicts = [
            (find_mismatch(_assume(fields, assumed), request, is_whole=rule.is_whole), specific)
            for fields, specific in matches
        ]
        met = [each for each in verdicts if not each[0]]
        verdict, nearest = max(met or verdicts, key=lambda each: (each[0] == "", each[1]))
        rank += nearest
        is_sure = is_sure and verdict is not None
        lacking = lacking or verdict or ""
    if rule.longest is not None:
        rank = (*rank, rule.longest)
    return RuleTrial(rule.path, rank, lacking, is_sure)


def _assume(fields: MatchFields, assumed: Assumed) -> MatchFields:
    """Return a match in which each assumed expression is replaced by its result.

    True removes the expression; False makes it an exact text, which no request is equal to.
    """
    if not assumed:
        return fields

    def leave(field: str, items: Iterable[MatchFields]) -> Iterator[MatchFields]:
        for item in items:
            key = f"{field} {item.get('name', '')}".rstrip(), str(item.get("value"))
            is_expression = has_pattern(item) and key in assumed
            if not is_expression:
                yield item
            elif not assumed[key]:
                yield {**item, "type": "Exact"}

    kind, path = read_target(fields)
    key = "path", path
    left = dict(fields)
    if kind == "RegularExpression" and key in assumed:
        # The method of gRPC is a part of the path.
        left = {name: value for name, value in fields.items() if not isinstance(value, Mapping)}
        if not assumed[key]:
            left["path"] = {"type": "Exact", "value": path}
    for field in ("headers", "queryParams"):
        left[field] = [*leave(field, fields.get(field, ()))]
    return left


def choose_rules(
    topology: Topology, trials: Iterable[RuleTrial], ages: Ages
) -> Iterator[RequestPath]:
    """Yield the paths of the rules that may serve the request, up to one that certainly does."""
    by_rank = grouped((trial.rank, trial) for trial in trials)
    for rank in sorted(by_rank, reverse=True):
        by_route = grouped((trial.path.levels[-2], trial) for trial in by_rank[rank])
        while by_route:
            is_sure = True
            for ref in find_orders(by_route, ages, LOCAL).firsts:
                names = [*read_matches(topology.nodes[ref])]
                for trial in sorted(by_route.pop(ref), key=lambda it: names.index(it.path.rule)):
                    yield trial.path
                    if trial.is_sure:
                        break
                else:
                    is_sure = False
            if is_sure:
                return
