"""The policies that Kuadrant's plugin finds for a request, whatever rule the proxy chose.

kuadrant-operator v1.5.2 makes an action set for each hostname and match of a rule with policies
(internal/wasm/utils.go), and sorts the sets (internal/gatewayapi/types.go). The plugin, wasm-shim
v0.14.1, applies the first set of the nearest hostname whose predicates hold
(src/kuadrant/pipeline/factory.rs). The operator considers each listener that a route names, even if
the listener does not admit the route (`see_as_operator`).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.attachment.statuses import Attachment
from spokerender.judging.effective.outcomes import EffectivePolicy, PolicyOutcome
from spokerender.kinds.kind import FoundBy, Kind, Role
from spokerender.kinds.merging import Precedence
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.topology import matches
from spokerender.topology.admission import find_named_listeners, is_namespace_admitted
from spokerender.topology.conflicts import find_silent_listeners
from spokerender.topology.doors import find_open_listeners, isolate_hostnames, may_be_refused
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.hostnames import intersects, is_within
from spokerender.topology.node import Admission, Listener, Node, is_kind_allowed
from spokerender.topology.paths import RequestPath
from spokerender.topology.precedence import find_orders
from spokerender.topology.requests import find_listener, find_rule_paths

_EVERYBODY = Admission("All")
_TYPES = ("Exact", "RegularExpression", "PathPrefix")
_NO_CEL = re.compile(r"""'|\\[^abfnrtvxuU0-7"'`?\\]""")
"""Characters that no value may have: the operator puts a value between quotes as it is."""

_QUERY = "wasm-shim lacks the function for query parameters"


class ActionSet(Struct, frozen=True, eq=False, dict=True):
    """The policies that Kuadrant applies to requests for one hostname and one match of a rule."""

    hostname: str
    match: matches.MatchFields
    path: RequestPath
    policies: tuple[EffectivePolicy, ...]

    @property
    def rules(self) -> frozenset[tuple[Ref, str]]:
        """The rules in force, each as policy and key."""
        return frozenset(rule for item in self.policies for rule in _name_rules(item.likely))

    @cached_property
    def unread(self) -> str:
        """The first text of the match that is no valid CEL string; empty if all are valid."""
        entries = (*self.match.get("headers", ()), *self.match.get("queryParams", ()))
        texts = (matches.read_target(self.match)[1], *(str(it.get("value")) for it in entries))
        return next(filter(_NO_CEL.search, texts), "")


class PluginAnswer(Struct, frozen=True):
    """The action sets that the plugin may apply to a request, the likely set first.

    There are several if creation times decide, or if the operator's order is random. `failing` says
    why the plugin answers the request with 500; empty if it does not.
    """

    sets: tuple[ActionSet, ...] = ()
    failing: str = ""

    def join(self) -> Iterator[EffectivePolicy]:
        """Yield one effective policy per kind; outcomes of further sets are in `others`."""
        for kind in dict.fromkeys(item.kind for each in self.sets for item in each.policies):
            items = [next((it for it in s.policies if it.kind == kind), None) for s in self.sets]
            outcomes: dict[tuple[Any, ...], PolicyOutcome] = {}
            for item in items:
                for it in (item.likely, *item.others) if item else (PolicyOutcome(()),):
                    outcomes.setdefault(_name_rules(it), it)
            if self.failing:
                outcomes = {(): PolicyOutcome((), failing=self.failing)}
            first, *others = outcomes.values()
            yield replace(next(filter(None, items)), likely=first, others=tuple(others))

    def explain(self, path: RequestPath, has_own: bool) -> str:
        """Return whose policies apply; empty if these belong to the proxy's rule (at `path`)."""
        if self.failing or not (self.sets or has_own):
            return ""
        rules = dict.fromkeys(each.path.levels[-1] for each in self.sets)
        if path.levels[-1] in rules:
            return ""
        names = " or ".join(f"{rule.whole}, {rule.section_name}" for rule in rules)
        return f"the policies of {names}" if rules else "no policies, though the rule has some"


class PluginLookup:
    """The action sets of each Gateway on a cluster, among which its plugin looks up requests."""

    def __init__(
        self, topology: Topology, policies: Iterable[tuple[EffectivePolicy, Kind]]
    ) -> None:
        """Compute action sets; `policies` are those that Kuadrant's operator takes into account."""
        self._ages = topology.ages
        self.sets = grouped((each.path.gateway, each) for each in _list_sets(topology, policies))
        self._hostnames = {of: {s.hostname for s in sets} for of, sets in self.sets.items()}
        self.refused = {
            s.path.gateway: s.unread for sets in self.sets.values() for s in sets if s.unread
        }

    @property
    def keys(self) -> tuple[tuple[str, str, Ref], ...]:
        """Hostname, match and rule of each action set."""
        sets = (each for on_gateway in self.sets.values() for each in on_gateway)
        return tuple((each.hostname, repr(each.match), each.path.levels[-1]) for each in sets)

    def find(
        self, path: RequestPath, request: matches.Request, fill: Callable[[Any], Any]
    ) -> PluginAnswer:
        """Return the action sets that may apply to a request; `path` leads to the proxy's rule."""
        on_gateway = self.sets.get(path.gateway, ())
        # One text that is invalid in CEL makes the plugin refuse its whole configuration.
        if text := self.refused.get(path.gateway):
            why = f"the plugin refuses all that is for {path.gateway}: {text} is no text of CEL"
            return PluginAnswer(tuple(on_gateway), why)
        names = {name: fill(name) for name in self._hostnames.get(path.gateway, ())}
        above = [name for name in names.values() if is_within(request.host, name)]
        nearest = max(above, key=lambda name: (name[0] != "*", len(name)), default="")
        sets = ((s, fill(s.match)) for s in on_gateway if names[s.hostname] == nearest)
        by_rank = grouped(
            (rank_action(match), (each, match))
            for each, match in sets
            if not matches.find_mismatch(_translate(match), request)
        )
        first = by_rank[min(by_rank)] if by_rank else []
        by_route = grouped((each.path.levels[-2], (each, match)) for each, match in first)
        orders = find_orders(by_route, self._ages, Precedence())
        taken = [item for route in orders.firsts for item in by_route[route]]
        # If ages decide, the set of the rule that the proxy chose is the likely one.
        taken.sort(key=lambda item: item[0].path.levels != path.levels)
        asks_query = any(match.get("queryParams") for _, match in taken)
        return PluginAnswer(tuple(each for each, _ in taken), _QUERY if asks_query else "")


@memoised
def see_as_operator(topology: Topology) -> Topology:
    """Return the graph as Kuadrant's operator reads it, with a route on each listener it names.

    The operator ignores ports, `allowedRoutes` and faults (policy-machinery v0.8.0,
    findListenerFromParentRefFunc). Hostnames count later (`is_valid`).
    """
    nodes = map(_open, topology.nodes.values())
    return Topology(nodes, topology.around, topology.ages, topology.external)


def _open(node: Node) -> Node:
    if node.is_route:
        links = tuple(replace(link, port=None) for link in node.references)
        return replace(node, references=links)
    # Listeners of different ports do not conflict.
    listeners = (
        Listener(item.index, item.name, "", -1 - item.index, "HTTP", _EVERYBODY)
        for item in (node.listeners if node.is_gateway else ())
    )
    return replace(node, listeners=tuple(listeners), clients=())


@memoised
def sees_served_alone(topology: Topology, of_tokens: bool) -> bool:
    """Return whether Kuadrant's operator counts only paths that requests certainly can take.

    With `of_tokens` (token rate limits), the operator counts paths that are not valid as well.
    """
    served = find_rule_paths(topology)
    levels = {path.levels for path in served}
    return (
        not find_silent_listeners(topology)
        and all(path.is_certain for path in served)
        and all(
            path.levels in levels if is_valid(topology, path) else not of_tokens
            for path in find_rule_paths(see_as_operator(topology))
        )
    )


def is_valid(topology: Topology, path: RequestPath) -> bool:
    """Return whether Kuadrant's operator configures policies on a path (ParseTopologyPath)."""
    own = find_listener(topology, path).hostname or "*"
    names = topology.nodes[path.levels[-2]].hostnames
    return not names or any(is_within(name, own) for name in names)


def is_ready(topology: Topology, path: RequestPath) -> bool | None:
    """Return whether a path counts for statuses of policies; None if that is not certain.

    It counts if the listener is programmed, and the first parent reference that names the Gateway
    (of a GRPCRoute: the listener) is accepted (internal/gatewayapi/utils.go, IsHTTPRouteReady).
    """
    gateway, route = topology.nodes[path.gateway], topology.nodes[path.levels[-2]]
    own, opened = find_listener(topology, path), [*find_open_listeners(topology, gateway)]
    if path.section in find_silent_listeners(topology) or own not in opened:
        return False
    named = (
        [*find_named_listeners(gateway, link)]
        for link in route.references
        if link.row.role is Role.PARENT and link.ref.whole == path.gateway
    )
    by_listener = route.ref.kind != "HTTPRoute"
    first = next((items for items in named if not by_listener or own in items), [])
    rules = find_class_controller(topology, gateway.gateway_class).routing
    if rules is not None and rules.listeners is not None and rules.listeners.drops_refused:
        first = [item for item in first if item in opened]
    taken = [item for item in first if _admits(topology, gateway, item, route)]
    doubtful = [item for item in (own, *taken) if may_be_refused(topology, gateway.ref, item.name)]
    return (None if doubtful else True) if taken else False


def _admits(topology: Topology, gateway: Node, listener: Listener, route: Node) -> bool:
    controller = find_class_controller(topology, gateway.gateway_class)
    names = tuple(name for name in route.hostnames if intersects(listener.hostname, name))
    if controller.isolates == "equal":
        names = isolate_hostnames(topology, gateway.ref, gateway.ref, listener, names)
    return (
        is_kind_allowed(listener, route.ref.group, route.ref.kind, controller)
        and is_namespace_admitted(topology, gateway, listener, route)
        and bool(names) == bool(route.hostnames)
    )


def _list_sets(
    topology: Topology, policies: Iterable[tuple[EffectivePolicy, Kind]]
) -> Iterator[ActionSet]:
    by_levels = grouped(
        (item.path.levels, item) for item, kind in policies if _makes_action(item, kind)
    )
    for items in by_levels.values():
        path = items[0].path
        own = find_listener(topology, path).hostname or "*"
        route = topology.nodes[path.levels[-2]]
        rules = matches.read_matches(route)
        for name in route.hostnames or (own,):
            if is_within(name, own):
                for match in matches.list_matches(rules.get(path.rule, ())):
                    yield ActionSet(name, match, path, tuple(items))


def _makes_action(item: EffectivePolicy, kind: Kind) -> bool:
    """Return whether the plugin gets an action for a policy, which is for access or has limits."""
    is_through_gateway = item.path.listener and item.path.route is not None
    if kind.found_by is not FoundBy.PLUGIN or not is_through_gateway or item.is_beyond:
        return False
    return (kind.traits.guards and not item.likely.refused) or any(
        r.path[0] == kind.merged.substance for r in item.likely.rules
    )


def rank_action(match: matches.MatchFields) -> tuple[Any, ...]:
    """Return the key by which Kuadrant's operator sorts a hostname's action sets, before age.

    A gRPC method counts as a path (`ConvertGRPCRouteMatchToHTTP`).
    """
    kind, text = matches.read_path(match)
    method = match.get("method")
    if isinstance(method, Mapping):
        names = [f"/{method[key]}" for key in ("service", "method") if key in method]
        text, is_whole = "".join(names), len(names) > 1
        kind = _TYPES[0] if is_whole else _TYPES[2]
        if method.get("type") == _TYPES[1]:
            kind, text = _TYPES[1], f"^{text}$" if is_whole else f"^{text}"
    return (
        _TYPES.index(kind) if kind in _TYPES else len(_TYPES),
        -len(text.encode()),
        # SortableHTTPRouteMatchConfigs.Less: the one without a method comes first.
        isinstance(method, str),
        -len(match.get("headers", ())),
        -len(match.get("queryParams", ())),
    )


def _translate(match: matches.MatchFields) -> matches.MatchFields:
    """Return a match equivalent to the plugin's predicates, without query parameters.

    A PathPrefix is a prefix of the text ("/a" also matches "/ab"), a regular expression may match
    anywhere in the path, and headers are compared literally whatever their type is.
    """
    kind, text = matches.read_target(match)
    is_grpc = isinstance(match.get("method"), Mapping)
    if kind == "PathPrefix":
        kind, text = "RegularExpression", f"^{re.escape(text)}{'/' if is_grpc else ''}"
    elif is_grpc and kind == "RegularExpression":
        text = f"^{text}$"
    method = None if is_grpc else match.get("method")
    headers = [{**item, "type": "Exact"} for item in match.get("headers", ())]
    return {"method": method, "path": {"type": kind, "value": text}, "headers": headers}


def _name_rules(outcome: PolicyOutcome) -> tuple[tuple[Ref, str], ...]:
    return tuple((rule.policy, rule.key) for rule in outcome.asked)


def find_lacking(topology: Topology, attachments: Iterable[Attachment]) -> frozenset[Ref]:
    """Return the Gateways of which a listener gets no Certificate, as its policies are refused."""
    states = grouped(
        (link.ref.whole.section(name), item.is_accepted)
        for item in attachments
        for link in topology.nodes[item.policy].references
        if link.row.role is Role.TARGET
        for name in link.sections
    )
    return frozenset(
        section.whole
        for section, accepted in states.items()
        if section.whole in topology.gateways and not any(accepted)
        for listener in topology.nodes[section.whole].listeners
        if listener.name == section.section_name and listener.is_certified(section.namespace)
    )
