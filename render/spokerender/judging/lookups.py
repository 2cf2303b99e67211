"""The policies that Kuadrant's plugin finds for a request, whatever rule the proxy chose.

kuadrant-operator v1.5.2 makes an action set of each hostname and match of a rule that has policies
(internal/wasm/utils.go) and sorts them (internal/gatewayapi/types.go). Of those of the nearest
hostname, wasm-shim v0.14.1, which it pins, takes the first whose predicates hold
(src/kuadrant/pipeline/factory.rs).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.regexes import PatternError, compile_pattern
from spokerender.judging.effective.outcomes import EffectivePolicy, PolicyOutcome
from spokerender.kinds.kind import FoundBy, Kind
from spokerender.kinds.merging import Precedence
from spokerender.model import grouped
from spokerender.topology import matches
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import is_within
from spokerender.topology.paths import RequestPath
from spokerender.topology.precedence import find_orders
from spokerender.topology.requests import find_listener

PolicyOfRule = tuple[EffectivePolicy, Kind]
_TYPES = ("Exact", "RegularExpression", "PathPrefix")
_NO_CEL = re.compile(r"""'|\\[^abfnrtvxuU0-7"'`?\\]""")
"""What no value may have: it is put between quotes as it is, and CEL knows no other escapes."""


class ActionSet(Struct, frozen=True, eq=False):
    """The policies of a rule that requests for a hostname get if they fulfil one of its matches."""

    hostname: str
    match: matches.MatchFields
    path: RequestPath
    policies: tuple[EffectivePolicy, ...]


class PluginAnswer(Struct, frozen=True):
    """The action sets of which one is taken for a request, the likely one first.

    They are several where ages decide, or where the operator sorts them by chance. `failing` says
    why the request is answered with 500.
    """

    sets: tuple[ActionSet, ...] = ()
    failing: str = ""

    def join(self) -> Iterator[EffectivePolicy]:
        """Yield the policy of each kind in force, with those of other sets as other outcomes."""
        by_kind = grouped((item.kind, item) for taken in self.sets for item in taken.policies)
        for kind, items in by_kind.items():
            own = [[it for it in taken.policies if it.kind == kind] for taken in self.sets]
            outcomes = [
                outcome
                for each in own
                for outcome in ([each[0].likely, *each[0].others] if each else [PolicyOutcome(())])
            ]
            if self.failing:
                outcomes = [PolicyOutcome((), failing=self.failing)]
            others = {_name_rules(outcome): outcome for outcome in outcomes[1:]}
            others.pop(_name_rules(outcomes[0]), None)
            yield replace(items[0], likely=outcomes[0], others=tuple(others.values()))

    def explain(self, path: RequestPath, has_own: bool) -> str:
        """Say whose policies these are, where it is not those of the rule that the proxy chose."""
        if self.failing or not (self.sets or has_own):
            return ""
        rules = dict.fromkeys(each.path.levels[-1] for each in self.sets)
        if path.levels[-1] in rules:
            return ""
        names = " or ".join(f"{rule.whole}, {rule.section_name}" for rule in rules)
        return f"the policies of {names}" if rules else "no policies, though the rule has some"


class PluginLookup:
    """The action sets of each Gateway on a cluster, in which its plugin looks requests up."""

    def __init__(self, topology: Topology, policies: Iterator[PolicyOfRule]) -> None:
        """Make them of what is in force, of any kinds, each with its row."""
        self._ages = topology.ages
        self.sets = grouped((taken.path.gateway, taken) for taken in _list_sets(topology, policies))

    def find(
        self, path: RequestPath, request: matches.Request, fill: Callable[[Any], Any]
    ) -> PluginAnswer:
        """Return what is in force for a request to which the proxy gives this path."""
        own = self.sets.get(path.gateway, ())
        sets = [(each, fill(each.hostname), fill(each.match)) for each in own]
        for *_, match in sets:
            if text := next(filter(_NO_CEL.search, _list_values(match)), ""):
                why = f"the plugin refuses all that is for {path.gateway}: {text} is no text of CEL"
                return PluginAnswer(tuple(own), why)
        names = [name for _, name, _ in sets if _covers(name, request.host)]
        nearest = max(names, key=lambda name: (not name.startswith("*"), len(name)), default="")
        verdicts = [
            (rank_action(match), (each, _fulfils(match, request)))
            for each, name, match in sets
            if name == nearest
        ]
        by_rank = grouped(item for item in verdicts if item[1][1] is not False)
        first = by_rank[min(by_rank)] if by_rank else []
        by_route = grouped((item[0].path.levels[-2], item) for item in first)
        orders = find_orders(by_route, self._ages, Precedence())
        taken = [item for route in orders.firsts for item in by_route[route]]
        taken.sort(key=lambda item: item[0].path.levels != path.levels)
        why = next((verdict for _, verdict in taken if isinstance(verdict, str)), "")
        return PluginAnswer(tuple(each for each, _ in taken), why)


def _list_sets(topology: Topology, policies: Iterator[PolicyOfRule]) -> Iterator[ActionSet]:
    by_levels = grouped(
        (item.path.levels, item) for item, kind in policies if _makes_action(item, kind)
    )
    for items in by_levels.values():
        path = items[0].path
        own = find_listener(topology, path).hostname or "*"
        rules = matches.read_matches(topology.nodes[path.levels[-2]])
        for name in path.hostnames or (own,):
            if is_within(name, own):
                for match in matches.list_matches(rules.get(path.rule, ())):
                    yield ActionSet(name, match, path, tuple(items))


def _makes_action(item: EffectivePolicy, kind: Kind) -> bool:
    """Tell whether the plugin gets an action of a policy: one of limits needs a limit."""
    is_through_gateway = item.path.listener and item.path.route is not None
    if kind.found_by is not FoundBy.PLUGIN or not is_through_gateway or item.is_beyond:
        return False
    return kind.traits.guards or any(r.path[0] == kind.merged.substance for r in item.likely.rules)


def rank_action(match: matches.MatchFields) -> tuple[Any, ...]:
    """Return the key by which the plugin's sets of a hostname are sorted, before age."""
    (kind, text), _ = _read_paths(match)
    return (
        _TYPES.index(kind) if kind in _TYPES else len(_TYPES),
        -len(text.encode()),
        # SortableHTTPRouteMatchConfigs.Less: the one without a method comes first.
        isinstance(match.get("method"), str),
        -len(match.get("headers", ())),
        -len(match.get("queryParams", ())),
    )


def _read_paths(match: matches.MatchFields) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return type and text of the path that a match is sorted by, and that requests must have.

    A method of gRPC is a path (`ConvertGRPCRouteMatchToHTTP`, `predicateFromGRPCMethod`).
    """
    method = match.get("method")
    if not isinstance(method, Mapping):
        return matches.read_path(match), matches.read_path(match)
    service, name = (str(method.get(key, "")) for key in ("service", "method"))
    text, is_whole = "".join(f"/{part}" for part in (service, name) if part), service and name
    if method.get("type") == _TYPES[1]:
        asked = f"^/{service or '[^/]+'}/{name or '.*'}$"
        return (_TYPES[1], f"^{text}$" if is_whole else f"^{text}"), (_TYPES[1], asked)
    if is_whole:
        return (_TYPES[0], text), (_TYPES[0], text)
    return (_TYPES[2], text), (_TYPES[2], f"{text}/") if service else (_TYPES[1], f"^/[^/]+{text}$")


def _fulfils(match: matches.MatchFields, request: matches.Request) -> bool | str:
    """Tell whether the predicates of a match hold; or why they can't be evaluated."""
    _, (kind, text) = _read_paths(match)
    method = match.get("method")
    if isinstance(method, str) and method != request.method:
        return False
    if kind == "RegularExpression":
        try:
            is_met = compile_pattern(text).matches(request.path)
        except PatternError:
            return f"{text} is no regular expression to the plugin"
    else:
        is_met = request.path == text if kind == "Exact" else request.path.startswith(text)
    # Headers are compared with the value whatever type the match has.
    headers = match.get("headers", ())
    if not is_met or any(request.headers.get(it["name"]) != it.get("value") for it in headers):
        return False
    return not match.get("queryParams") or "wasm-shim lacks the function for query parameters"


def _list_values(match: matches.MatchFields) -> list[str]:
    entries = (*match.get("headers", ()), *match.get("queryParams", ()))
    return [_read_paths(match)[1][1], *(str(entry.get("value")) for entry in entries)]


def _covers(hostname: str, host: str) -> bool:
    return host == hostname or (hostname.startswith("*") and host.endswith(hostname[1:]))


def _name_rules(outcome: PolicyOutcome) -> tuple[Any, ...]:
    return tuple((rule.policy, rule.key) for rule in outcome.asked)
