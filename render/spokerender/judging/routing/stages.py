"""Routes of controllers that accept or refuse a route as a whole (Cilium v1.20.2, Contour v1.33.8).

Cilium checks some things on all listeners. Contour reports the last fault of each type.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, product
from typing import Any

from msgspec.structs import replace

from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.routing import listeners, values
from spokerender.judging.routing.backends import Routed
from spokerender.judging.routing.filters import FilteredRule, check_filters, is_expression
from spokerender.judging.routing.rules import make_resolved, walk_rules
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import UNSUPPORTED, RuleProblem
from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import find_row
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.model.shapes import as_mapping, as_mappings
from spokerender.topology.admission import find_named_listeners
from spokerender.topology.conflicts import find_conflicts_among_sound
from spokerender.topology.hostnames import EVERY_NAME, intersects, is_within
from spokerender.topology.node import Listener, Node, is_kind_allowed
from spokerender.topology.precedence import find_orders

_WITH_HOSTNAMES = ("HTTPRoute", "GRPCRoute", "TLSRoute")


def list_hostnames(route: Node) -> tuple[str, ...]:
    """Return the hostnames of a route; empty for kinds of routes that have none."""
    return route.hostnames if route.ref.kind in _WITH_HOSTNAMES else ()


def may_be_read(scene: Scene, parent: Node) -> bool:
    """Return whether a controller may judge a route on a parent that no Gateway admits."""
    above = (scene.topology.nodes.get(link.ref.whole) for link in parent.references)
    nodes = (parent,) if parent.is_gateway else above
    rules = (scene.rules(node) for node in nodes if node is not None)
    return any(each is not None and each.staged for each in rules)


def refuse_in_stages(scene: Scene, parent: Node, route: Node, link: Reference) -> Condition | None:
    """Return `Accepted` of a route that Cilium refuses (routechecks/gateway_checks.go)."""
    every, named = parent.listeners, (*find_named_listeners(parent, link),)
    protocols = _list_protocols(route)
    kind, names = (route.ref.group, route.ref.kind), route.hostnames
    labels = scene.topology.around.labels_of_namespace(route.ref.namespace)
    others = frozenset(one.hostname for one in every)
    serving = [one for one in named if not one.hostname or _serves(one, route, others)]
    admitting = [
        one
        for one in serving
        if one.routes.admits(parent.ref.namespace, route.ref.namespace, labels)
    ]
    has_kind = not named or any(not one.kinds or kind in one.kinds for one in named)
    has_port = link.port is None or any(one.port == link.port for one in every)
    has_section = not link.sections or any(one.name in link.sections for one in every)
    stages = (
        (any(one.protocol in protocols for one in every) and has_kind, "NotAllowedByListeners"),
        (has_port, "NoMatchingParent"),
        (any(_serves(one, route) for one in every), "NoMatchingListenerHostname"),
        (has_section, "NoMatchingParent"),
        (admitting or not serving, "NotAllowedByListeners"),
    )
    reason = next((reason for is_met, reason in stages if not is_met), None)
    why = f"{parent.ref} refuses it" if not names else f"{parent.ref} refuses {', '.join(names)}"
    return values.make_false("Accepted", reason, why) if reason is not None else None


def _list_protocols(route: Node) -> Collection[str]:
    row = find_row(route.ref.group, route.ref.kind)
    protocols = row.protocols if row is not None else ()
    return {*protocols} - ({"TLS"} if route.ref.kind != "TLSRoute" else set())


def _serves(listener: Listener, route: Node, others: Collection[str] = ()) -> bool:
    """Return whether a listener serves a hostname of a route that none of `others` has."""
    names, own = list_hostnames(route), listener.hostname

    def has_nearer(name: str) -> bool:
        nearer = (other for other in others if other == name or is_within(other, own))
        return any(other != own and is_within(name, other) for other in nearer)

    return not names or any(
        # A wildcard of the route is served by every hostname in it.
        own == name
        or (name.startswith(EVERY_NAME) and not own.startswith(EVERY_NAME))
        or not has_nearer(name)
        for name in names
        if intersects(own, name)
    )


Allowed = dict[str, tuple[Listener, Truth]]
"""Listeners by name; UNKNOWN if files do not decide whether a listener takes the route."""
_WITH_MATCHES = ("HTTPRoute", "GRPCRoute")
_Hosts = Mapping[Listener, list[str]]
"""Listeners that take a route, each with the hostnames that it serves for the route."""
_Taken = set[tuple[str, int | str, str, str]]
"""The kind of route, port, hostname and match of requests that a rule is for."""


def find_allowed(
    scene: Scene, gateway: Node, parent: Node, route: Node, named: Iterable[Listener]
) -> Allowed:
    """Return the named listeners that allow the kind and the namespace of the route."""
    controller = scene.controller(gateway)
    labels = scene.topology.around.labels_of_namespace(route.ref.namespace)
    admission = parent.admits_listener_sets if parent.is_gateway else gateway.admits_listener_sets
    is_sure = parent.is_gateway or not admission.is_open_question(
        scene.topology.around.labels_of_namespace(parent.ref.namespace)
    )
    rules = controller.routing
    switched = dict(rules.listeners.switched) if rules and rules.listeners else {}
    allowed: Allowed = {}
    kind = route.ref.group, route.ref.kind
    for listener in named:
        if rules is not None and rules.staged:  # Cilium, isKindAllowed
            is_kind_taken = (
                kind in listener.kinds
                if listener.kinds
                else listener.protocol in _list_protocols(route)
            )
        else:
            is_kind_taken = is_kind_allowed(listener, *kind, controller) and (
                rules is None or kind in listeners.find_route_kinds(listener, controller)
            )
        if is_kind_taken and listener.routes.admits(
            parent.ref.namespace, route.ref.namespace, labels
        ):
            is_open = (
                listener.routes.is_open_question(labels)
                or not is_sure
                or listener.protocol in switched
            )
            allowed[listener.name] = listener, Truth.UNKNOWN if is_open else Truth.TRUE
    return allowed


def judge_at_once(routed: Routed, link: Reference) -> tuple[Condition, ...]:
    """Return the conditions of a route on a Gateway of Contour (gatewayapi_processor.go)."""
    scene, ref = routed.scene, routed.gateway.ref
    possible, certain = _find_ready(scene, ref)
    # Of routes of one age either may come first, so that each loses in one of two orders.
    worlds = (_judge_all(scene, ref, *each) for each in ((possible, 1), (certain, -1)))
    parts = sorted((world[routed.route.ref, link] for world in worlds), key=len, reverse=True)
    why = "labels, certificates, addresses or ages that no file has decide it"
    return values.leave_common(parts, lambda item: values.make_unknown(item.type, why))


def list_takers(scene: Scene, link: Reference) -> Iterator[Node]:
    """Yield other Gateways that a reference without namespace also names (IsRefToGateway)."""
    for ref in scene.topology.gateways if not link.explicit_namespace else ():
        rules = scene.rules(scene.topology.nodes[ref])
        is_other = replace(ref, namespace=link.ref.namespace) == link.ref.whole != ref
        if is_other and rules is not None and rules.matches_once:
            yield scene.topology.nodes[ref]


@memoised
def _find_ready(scene: Scene, ref: Ref) -> tuple[frozenset[str], frozenset[str]]:
    """Return a Gateway's listeners that may be ready, and its listeners that certainly are."""
    gateway, states = scene.topology.nodes[ref], dict[str, set[Truth]]()
    conflicts = find_conflicts_among_sound(scene.topology, frozenset())
    refused = {item.listener for item in conflicts if item.parent == ref}
    for one in gateway.listeners:
        own = listeners.check_listener(scene, gateway, gateway, one).conditions
        states[one.name] = {it.status for it in own if it.reason != listeners.INVALID_KINDS}
    possible = {name for name, each in states.items() if Truth.FALSE not in each} - refused
    # Without one of its addresses a Gateway takes no routes.
    certain = {name for name in possible if not (states[name] or gateway.addresses)}
    return frozenset(possible), frozenset(certain)


@memoised
def _judge_all(
    scene: Scene, ref: Ref, ready: frozenset[str], order: int
) -> Mapping[tuple[Ref, Reference], tuple[Condition, ...]]:
    """Return conditions by route and reference, judged by age; `order` -1 reverses equal ages."""
    topology, judged = scene.topology, {}
    taken: _Taken = set()
    routes = (each for each, node in topology.nodes.items() if node.is_route)
    groups = find_orders(routes, topology.ages).groups
    for route in (route for group in groups for route in group[::order]):
        routed = Routed(scene, topology.nodes[ref], topology.nodes[route])
        for link in routed.route.references:
            if link.row.role is Role.PARENT and ref in topology.parents(link):
                judged[route, link] = _judge_ready(routed, link, ready, taken)
    return judged


def _judge_ready(
    routed: Routed, link: Reference, ready: frozenset[str], taken: _Taken
) -> tuple[Condition, ...]:
    gateway, hosts = routed.gateway, _find_hosts(routed, link, ready)
    stages = {
        "NoMatchingParent": any(it.name in ready for it in find_named_listeners(gateway, link)),
        "NotAllowedByListeners": hosts,
        "NoMatchingListenerHostname": any(hosts.values()),
    }
    reason = next((reason for reason, is_met in stages.items() if not is_met), "")
    accepted = values.make_true("Accepted", f"attached to {gateway.ref}")
    conditions = {it.type: it for it in (accepted, make_resolved(()))}
    # The last fault of each type is reported, and none of a route without a common hostname.
    for item in _list_problems(routed, is_served=not reason) if not (reason and hosts) else ():
        conditions[item.type] = Condition(item.type, item.state, item.reason, item.why)
    if reason:
        conditions["Accepted"] = values.make_false("Accepted", reason, f"{gateway.ref} refuses it")
    conditions |= {it.type: it for it in _find_doubled(routed, hosts, taken)}
    return tuple(conditions.values())


def _find_hosts(routed: Routed, link: Reference, ready: frozenset[str]) -> _Hosts:
    """Return the `ready` listeners that allow a route, with the hostnames served (computeHosts)."""
    gateway, route = routed.gateway, routed.route
    named = find_named_listeners(gateway, link)
    allowed = find_allowed(routed.scene, gateway, gateway, route, named)
    taking = [one for name, (one, _) in allowed.items() if name in ready]
    others = {one.hostname for one in gateway.listeners if one not in taking} - {""}
    names = list_hostnames(route)
    hosts = {}
    for own in taking:
        # The hostname of another listener of the Gateway, on any port, is not served here.
        nearer = {it for it in others - {own.hostname} if is_within(it, own.hostname or it)}
        hosts[own] = [] if names else [own.hostname or EVERY_NAME]
        for name in names:
            is_open = is_within(name, own.hostname or name)
            if name == own.hostname or (is_open and not any(is_within(name, it) for it in nearer)):
                hosts[own].append(name)
            elif not own.hostname.startswith(EVERY_NAME) and is_within(own.hostname, name):
                hosts[own].append(own.hostname)
    return hosts


def _find_doubled(routed: Routed, hosts: _Hosts, taken: _Taken) -> Iterator[Condition]:
    """Add the requests that rules match to `taken`; yield a condition if `taken` has some."""
    route = routed.route
    rules = [
        [
            it.text
            for it, each in zip(route.matches[rule.index], matches, strict=True)
            if not _check_match(rule, each)
        ]
        for rule, fields in walk_rules(routed)
        if _is_answered(fields) and (matches := as_mappings(fields.get("matches")) or [{}])
    ]
    for one, names in hosts.items() if route.ref.kind in _WITH_MATCHES else ():
        count = 0
        for texts in rules:
            keys = {(route.ref.kind, one.port, *key) for key in product(names, texts)}
            count += not taken.isdisjoint(keys)
            taken |= keys if taken.isdisjoint(keys) else set()
        why = f"{count} of its rules have matches of earlier rules"
        if count and count == len(route.rules):
            yield values.make_false("Accepted", "RuleMatchConflict", why)
        elif count:
            yield Condition("PartiallyInvalid", Truth.TRUE, "RuleMatchPartiallyConflict", why)


def _list_problems(routed: Routed, *, is_served: bool) -> Iterator[RuleProblem]:
    """Yield the problems of a route's rules in order; of an unserved route, only of backends."""
    kind, count = routed.route.ref.kind, len(routed.route.rules)
    if kind == "TCPRoute" and not (is_served and count == 1):
        why = f"it has {count} rules and has to have one"
        if is_served:
            yield _make_problem(0, "Accepted", "InvalidRouteRules", why)
        return
    for rule, fields in walk_rules(routed):
        if is_served:
            matches = (_check_match(rule, match) for match in as_mappings(fields.get("matches")))
            yield from (problem for problem in matches if problem is not None)
        backends = map(rule.check_backend, as_mappings(fields.get("backendRefs")))
        filters = check_filters(rule, as_mappings(fields.get("filters")))
        for problem in chain(filters, *backends):
            if is_served or problem.type == "ResolvedRefs":
                yield problem
        if is_served and not _is_answered(fields):
            yield _make_problem(rule.index, "ResolvedRefs", "Degraded", "a rule has no backend")


def _make_problem(index: int, kind: str, reason: str, why: str) -> RuleProblem:
    return RuleProblem(kind, Truth.FALSE, reason, why, index)


def _is_answered(fields: Mapping[str, Any]) -> bool:
    """Return whether a rule has backends, or redirects requests."""
    kinds = {each.get("type") for each in as_mappings(fields.get("filters"))}
    return bool(fields.get("backendRefs")) or "RequestRedirect" in kinds


def _check_match(rule: FilteredRule, match: Mapping[str, Any]) -> RuleProblem | None:
    """Return the problem due to which Contour leaves out a match; None if it does not."""
    method = as_mapping(match.get("method"))
    entries = [each for key in ("headers", "queryParams") for each in as_mappings(match.get(key))]
    if not is_expression(rule.scene, as_mapping(match.get("path"))):
        why = "a path is no regular expression of RE2"
        return _make_problem(rule.index, "ValidMatches", "InvalidPathMatch", why)
    is_exact = method.get("type", "Exact") == "Exact"
    if is_exact and method and not (method.get("service") and method.get("method")):
        why = "a call needs both service and method"
        return _make_problem(rule.index, "Accepted", "InvalidMethodMatch", why)
    if is_exact and all(is_expression(rule.scene, each) for each in entries):
        return None
    why = "a match has a regular expression that is wrong, or not supported"
    return _make_problem(rule.index, "Accepted", UNSUPPORTED, why)
