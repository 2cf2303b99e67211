"""Finds the problems of a route's rules, and the rules and backends that a controller drops.

Gateway API, `ResolvedRefs` and `Accepted` of a route (GEP-1364).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.routing.backends import (
    Routed,
    check_backend,
    check_backend_filters,
    check_demands,
    find_backend,
)
from spokerender.judging.routing.filters import FilteredRule, check_filters, is_expression, is_wrong
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import (
    UNSUPPORTED,
    UNVERIFIED,
    RuleProblem,
    make_false,
    make_true,
)
from spokerender.kinds.routing import BackendDemand, RoutingRules
from spokerender.model import FieldPath, Ref
from spokerender.model.shapes import as_mappings
from spokerender.topology.admission import find_parents
from spokerender.topology.conflicts import (
    find_admitting_gateways,
    find_closed_listeners,
    find_refused_listeners,
)
from spokerender.topology.node import (
    TERMINATING,
    Dropped,
    DroppedParts,
    DroppedRules,
    Node,
    RoutePart,
)

_TLS_ROUTE = "TLSRoute"
_Checked = tuple[Mapping[str, Any], list[RuleProblem]]
"""A backend with its problems."""
_RESOLVED, _ACCEPTED = "ResolvedRefs", "Accepted"
_MIRRORED, _ASKED = ("requestMirror", "backendRef"), ("externalAuth", "backendRef")


def find_problems(routed: Routed) -> tuple[RuleProblem, ...]:
    """Return the certain and possible problems that a route's conditions report, in order."""
    rules = routed.rules
    problems = (
        problem
        for rule, fields in walk_rules(routed)
        for problem in _check_rule(rule, fields)
        if problem.type
    )
    if rules is not None and rules.staged:
        return (*_find_first(rules, tuple(problems)),)
    if rules is not None and rules.last:
        return (*_find_last(rules, problems),)
    return (*problems, *_check_joined_rules(routed))


def find_dropped_rules(scene: Scene, routes: Iterable[Ref]) -> DroppedRules:
    """Return the rules and parts of routes that each controller drops, by route and controller."""
    dropped = {}
    for ref in routes:
        route = scene.topology.nodes[ref]
        gateways = {
            controller.id: gateway
            for parent, _ in find_parents(scene.topology, route)
            for gateway in find_admitting_gateways(scene.topology, parent)
            if (controller := scene.controller(gateway)).routing is not None
        }
        for name, gateway in gateways.items():
            if rules := _find_dropped(Routed(scene, gateway, route)):
                dropped[ref, name] = rules
    return dropped


def _find_dropped(routed: Routed) -> DroppedParts:
    route, rules = routed.route, routed.rules
    if rules is None:
        return {}
    names, about, dropped = route.sections or (), list[RuleProblem](), dict[RoutePart, Dropped]()
    if _needs_passthrough(routed):
        dropped[TERMINATING] = Dropped.REFUSED
    for rule, fields in walk_rules(routed):
        filters = as_mappings(fields.get("filters"))
        left = iter(filters)
        problems = check_requests(rule, fields, left)
        about += [item for item in problems if item.type == _ACCEPTED]
        for number in range(len(filters) - len([*left]), len(filters)):
            # Filters behind an answer are not read: requests are answered before they are mirrored.
            path: FieldPath = ("spec", "rules", rule.index, "filters", number, *_MIRRORED)
            dropped[path] = Dropped.UNREAD
        for number, each in enumerate(filters):
            if is_wrong(rules, route, each):
                path = ("spec", "rules", rule.index, "filters", number, *_ASKED)
                dropped[path] = Dropped.UNREAD
        dropped.update(_find_dropped_backends(rules, rule, fields))
    certain = {item.rule for item in about if item.state is Truth.FALSE}
    if route.ref.kind in rules.refused_whole and len({item.rule for item in about}) == len(names):
        why = Dropped.REFUSED if len(certain) == len(names) else Dropped.UNDECIDED
        dropped.update(dict.fromkeys(names, why))
    for item in about:
        if item.is_dropped:
            is_unread = item.rule in certain
            dropped[names[item.rule]] = Dropped.UNREAD if is_unread else Dropped.UNDECIDED
    return dropped


def _needs_passthrough(routed: Routed) -> bool:
    """Return whether a route has a backend that needs listeners in TLS mode Passthrough."""
    rules = routed.rules
    if rules is None or rules.lone is None or routed.route.ref.kind != _TLS_ROUTE:
        return False
    # Envoy Gateway, route.go, processTLSRouteParentRefs: a dynamic backend is found by the hostname
    # of the TLS handshake.
    return any(
        _is_lone(rule, rules.lone, backend) and not [*rule.check_backend(backend)]
        for rule, fields in walk_rules(routed)
        for backend in as_mappings(fields.get("backendRefs"))
    )


def refuse_terminating(routed: Routed, parent: Node, served: Collection[str]) -> Condition | None:
    """Return `ResolvedRefs` of a route if a backend needs Passthrough and a listener terminates."""
    if not _needs_passthrough(routed):
        return None
    topology = routed.scene.topology
    closed = {
        ref.section_name for ref in find_closed_listeners(topology) if ref.whole == parent.ref
    }
    closed |= {name for ref, name in find_refused_listeners(topology) if ref == parent.ref}
    modes = {item.tls_mode for item in parent.listeners if item.name in {*served} - closed}
    if modes.isdisjoint(TERMINATING):
        return None
    why = "a backend that goes where a hostname of TLS leads needs listeners of mode Passthrough"
    return make_false(_RESOLVED, "UnsupportedValue", why)


def _is_lone(rule: FilteredRule, demand: BackendDemand, backend: Mapping[str, Any]) -> bool:
    if backend.get("kind") != demand.kind or backend.get("weight") == 0:
        return False
    return not rule.scene.holds(demand.rule, rule.scene.spec(find_backend(rule.route, backend)))


def _find_dropped_backends(
    rules: RoutingRules, rule: FilteredRule, fields: Mapping[str, Any]
) -> Iterator[tuple[FieldPath, Dropped]]:
    """Yield the backends that the controller drops, or may drop, each with its field path."""
    for number, backend in enumerate(as_mappings(fields.get("backendRefs"))):
        path: FieldPath = ("spec", "rules", rule.index, "backendRefs", number)
        states = {problem.state for problem in _check_beside(rule, backend)}
        refused = check_demands(rule.scene, rules, find_backend(rule.route, backend), late=False)
        if refused or check_backend_filters(rules, rule.route, backend) is not None:
            yield path, Dropped.UNREAD
        elif states:
            yield path, Dropped.REFUSED if Truth.FALSE in states else Dropped.UNDECIDED


def walk_rules(routed: Routed) -> Iterator[tuple[FilteredRule, Mapping[str, Any]]]:
    """Yield each rule of a route, prepared for the checks, and its fields in the route."""
    scene, route = routed.scene, routed.route
    for index, fields in enumerate(as_mappings(scene.spec(route.ref).get("rules"))):
        check = partial(check_backend, routed, index)
        yield FilteredRule(scene, routed.rules, route, index, check), fields


def check_requests(
    rule: FilteredRule, fields: Mapping[str, Any], filters: Iterable[Mapping[str, Any]]
) -> Iterator[RuleProblem]:
    """Yield the problems of `filters`, and of the matches in a rule's `fields`."""
    yield from check_filters(rule, filters)
    entries = (
        entry
        for match in as_mappings(fields.get("matches"))
        for field in match.values()
        for entry in ([field] if isinstance(field, Mapping) else as_mappings(field))
    )
    is_checked = rule.rules is not None and rule.rules.expressions
    if is_checked and not all(is_expression(rule.scene, entry) for entry in entries):
        why = "a match has a regular expression that is not RE2's"
        yield RuleProblem(_ACCEPTED, Truth.FALSE, UNSUPPORTED, why, rule.index, is_dropped=True)


def _check_rule(rule: FilteredRule, fields: Mapping[str, Any]) -> Iterator[RuleProblem]:
    problems = [*check_requests(rule, fields, as_mappings(fields.get("filters")))]
    yield from problems
    is_read = rule.rules is not None and bool(rule.rules.staged)
    if not is_read and any(it.is_dropped and it.state is Truth.FALSE for it in problems):
        return
    checked: list[_Checked] = []
    for backend in as_mappings(fields.get("backendRefs")):
        if not _is_passed_over(rule.rules, rule.route, fields, backend):
            checked += [(backend, [*check_with_filters(rule, backend)])]
            yield from checked[-1][1]
    yield from check_lone(rule, problems, checked)


def check_lone(
    rule: FilteredRule, of_filters: list[RuleProblem], checked: list[_Checked]
) -> Iterator[RuleProblem]:
    """Yield a problem if a backend that must be alone in its rule is not (Envoy Gateway)."""
    demand = rule.rules.lone if rule.rules is not None else None
    if demand is None or len(checked) <= 1 or rule.route.ref.kind not in demand.on:
        return
    for backend, problems in checked:
        states = {problem.state for problem in (*of_filters, *problems)}
        if Truth.FALSE not in states and _is_lone(rule, demand, backend):
            state = Truth.UNKNOWN if states else Truth.FALSE
            reason = UNVERIFIED if states else demand.reason
            yield RuleProblem(_RESOLVED, state, reason, demand.says, rule.index)
            return


def _check_joined_rules(routed: Routed) -> Iterator[RuleProblem]:
    """Yield a problem if a backend that must be alone is not, in a route with joined rules."""
    demand = routed.rules.lone if routed.rules is not None else None
    if demand is None or not _needs_passthrough(routed):
        return
    # Envoy Gateway, route.go, processTLSRouteParentRefs: only backends that resolve count.
    checked = [
        {problem.state for problem in rule.check_backend(backend)}
        for rule, fields in walk_rules(routed)
        for backend in as_mappings(fields.get("backendRefs"))
        if backend.get("weight") != 0
    ]
    left = [states for states in checked if Truth.FALSE not in states]
    is_certain = len([states for states in left if not states]) > 1
    if len(left) > 1:
        state = Truth.FALSE if is_certain else Truth.UNKNOWN
        reason = demand.reason if is_certain else UNVERIFIED
        yield RuleProblem(_RESOLVED, state, reason, demand.says, 0)


def check_with_filters(rule: FilteredRule, backend: Mapping[str, Any]) -> Iterator[RuleProblem]:
    """Yield the first problem of a backend, and the problems of its filters if they are read."""
    problems = [*rule.check_backend(backend)]
    is_done = any(not problem.is_late for problem in problems)
    of_filters = [] if is_done else [*_check_beside(rule, backend)]
    is_certain = any(problem.state is Truth.FALSE for problem in of_filters)
    yield from of_filters
    yield from () if is_certain else problems


def _check_beside(rule: FilteredRule, backend: Mapping[str, Any]) -> Iterator[RuleProblem]:
    """Yield the problems of a backend's own filters, if the controller reads them."""
    reason = rule.rules.unsound_backend_filter if rule.rules is not None else ""
    filters = as_mappings(backend.get("filters")) if reason and backend.get("weight") != 0 else []
    for problem in check_filters(rule, filters):
        if not problem.is_dropped:  # it is about matches, which a backend has none of
            why = problem.reason if problem.state is Truth.UNKNOWN else reason
            yield RuleProblem(_RESOLVED, problem.state, why, problem.why, rule.index)


def _is_passed_over(
    rules: RoutingRules | None, route: Node, rule: Mapping[str, Any], backend: Mapping[str, Any]
) -> bool:
    """Return whether the controller ignores a backend, for its kind, its weight or its filters."""
    if rules is None:
        return False
    if rules.delegates and (backend.get("kind"), route.ref.kind) == ("HTTPRoute", "HTTPRoute"):
        return True
    if rules.skips_unused and backend.get("weight") == 0:
        return True
    if rules.wrong_filter[1]:
        return False
    return any(is_wrong(rules, route, item) for item in as_mappings(rule.get("filters")))


def _find_first(rules: RoutingRules, problems: tuple[RuleProblem, ...]) -> Iterator[RuleProblem]:
    """Yield problems; for `ResolvedRefs`, only those with the reason that is first in `staged`."""
    certain = {item.reason for item in problems if item.state is Truth.FALSE}
    first = next((reason for reason in rules.staged if reason in certain), None)
    yield from (item for item in problems if item.type != _RESOLVED or first in (None, item.reason))


def _find_last(rules: RoutingRules, problems: Iterable[RuleProblem]) -> Iterator[RuleProblem]:
    """Yield the last certain problem and the possible problems after it."""
    last: list[RuleProblem] = []
    # Such a controller overwrites the condition with each problem that it meets.
    for problem in problems:
        last = [*last, problem] if problem.state is Truth.UNKNOWN else [problem]
        is_end = problem.is_strict or problem.reason in rules.ends
        if problem.state is Truth.FALSE and is_end:
            break
    yield from last


def make_resolved(problems: Iterable[RuleProblem]) -> Condition:
    """Return `ResolvedRefs` of a route whose rules have these problems."""
    unresolved = [item for item in problems if item.type == _RESOLVED]
    for state in (Truth.FALSE, Truth.UNKNOWN):
        same = [item for item in unresolved if item.state is state]
        if same:
            reason = join_reasons(same) if state is Truth.FALSE else min(i.reason for i in same)
            return Condition(_RESOLVED, state, reason, join_words(same))
    return make_true(_RESOLVED, "all that it names is there")


def join_reasons(problems: Iterable[RuleProblem]) -> str:
    """Return the distinct reasons as a text; `joined` problems of one rule count as one reason."""
    reasons: dict[object, set[str]] = {}
    for item in problems:
        reasons.setdefault(item.rule if item.joined else item.reason, set()).add(item.reason)
    return ",".join(sorted({",".join(sorted(each)) for each in reasons.values()}))


def join_words(problems: Iterable[RuleProblem]) -> str:
    """Return the distinct messages of problems, joined."""
    return "; ".join(dict.fromkeys(item.why for item in problems))
