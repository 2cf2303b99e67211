"""Advice on requests that policies do not protect: on a listener, a route, or some spokes."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.occurrences import name_others
from spokerender.findings.results import ERROR, INFO, Result
from spokerender.judging.advice.phrases import describe_paths, list_few
from spokerender.judging.advice.view import FleetView, JudgedSpokeView, Spokes, read_rules
from spokerender.judging.effective.constants import read_host
from spokerender.judging.effective.guarding import guards, opens
from spokerender.judging.effective.outcomes import PolicyOutcome
from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Kind
from spokerender.kinds.needs import read_requirements
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.model.shapes import as_mappings
from spokerender.topology.node import PARENTS
from spokerender.topology.paths import Levels, RequestPath
from spokerender.topology.requests import find_backend_paths

RoutesByKind = Mapping[str, tuple[str, ...]]
"""Kinds of policy that guard routes in the fleet, each with the kinds of route it applies to."""


def check_hostnames_beyond(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding per route if no policy covers its hostnames beyond a listener's hostname."""
    # The Gateway API asks for a hostname in common, so the requests are served. kuadrant-operator
    # drops each hostname of the route that is not wholly the listener's (`gatewayapi/utils.go`).
    paths_beyond = grouped(
        ((path.route, path.section), path)
        for path in view.paths
        if path.beyond and path.route is not None
    )
    for (route, section), paths in paths_beyond.items():
        lost = {
            policy.ref: policy
            for path in paths
            for policy in view.policies_above(path)
            if _needs_hostnames_within(policy.kind) and route.kind in policy.kind.routes
        }
        if not lost:
            continue
        beyond = paths[0].beyond
        verb = "reach" if len(beyond) > 1 else "reaches"
        hostname = next(
            listener.hostname
            for listener in view.topology.nodes[section.whole].listeners
            if listener.name == section.section_name
        )
        yield view.result(
            codes.NOT_WITHIN,
            route,
            f"{list_few(beyond)} {verb} beyond the hostname {hostname} of {section}: requests are "
            f"served there, and without {list_few(lost)}",
            f"add the hostname {hostname} to the route, or a listener whose hostname takes in the "
            "route's",
            field="spec.hostnames",
            severity=ERROR if any(policy.kind.security for policy in lost.values()) else None,
        )


def _needs_hostnames_within(kind: Kind) -> bool:
    return kind.controller.within and bool(kind.routes)


def check_unseen_listeners(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each route on a ListenerSet if a policy's controller ignores the set.

    kuadrant-operator only finds listeners of Gateways, and applies no policy to other listeners.
    """
    path_by_section: dict[tuple[Ref, Ref], RequestPath] = {}
    for path in view.paths:
        if path.listener_set is not None and path.route is not None:
            path_by_section.setdefault((path.route, path.section), path)
    for (route, section), path in path_by_section.items():
        lost = [
            policy.ref
            for policy in view.policies_above(path)
            if not policy.kind.controller.listener_sets
        ]
        if lost:
            yield view.result(
                codes.UNSEEN_LISTENER,
                route,
                f"requests are served on {section}, and without {list_few(lost)}: their controller "
                "finds listeners in Gateways only",
                f"move the listener into {path.gateway}, or guard the route by other means",
                field="spec.parentRefs",
            )


def _has_lost_policies(view: JudgedSpokeView, path: RequestPath) -> bool:
    """Return whether `check_hostnames_beyond` or `check_unseen_listeners` reports the path."""
    is_in_set = path.listener_set is not None
    if not path.beyond and not is_in_set:
        return False
    return any(
        (path.beyond and _needs_hostnames_within(policy.kind))
        or (is_in_set and not policy.kind.controller.listener_sets)
        for policy in view.policies_above(path)
    )


def check_unguarded_routes(fleet: FleetView) -> Iterator[Result]:
    """Yield a finding for each Gateway, listener, route or rule that anybody may call.

    If no policy in the fleet restricts access, there are no findings. If, say, a whole Gateway is
    open, its listeners, routes and rules have no findings of their own.
    """
    verdicts = _Verdicts()
    cases = [(view, spokes, _find_guarded(view, verdicts)) for view, spokes in fleet.cases]
    kinds = {kind.kind: kind.routes for _, _, guarded in cases for kind in guarded.values()}
    if kinds:
        for view, spokes, guarded in cases:
            for result in _check_open_places(view, guarded, dict(sorted(kinds.items())), verdicts):
                yield fleet.locate(result, spokes)


def check_optional_credentials(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each policy that checks tokens on paths where no policy requires one."""
    optional = [
        effective
        for effective in view.effective
        if view.kind(effective).traits.optional and effective.path.route is not None
    ]
    if not optional:  # few kinds are optional, and the verdicts below are slow
        return
    verdicts = _Verdicts()
    decided = _find_opened(view, verdicts) | _find_guarded(view, verdicts).keys()
    paths_by_policy: dict[Ref, list[RequestPath]] = {}
    for effective in optional:
        if _cut_backend(effective.path).levels not in decided:
            for policy in effective.likely.policies:
                paths_by_policy.setdefault(policy, []).append(effective.path)
    for policy, paths in paths_by_policy.items():
        yield view.result(
            codes.OPTIONAL_CREDENTIALS,
            policy,
            f"a request without a token passes on {describe_paths(paths)}: it refuses wrong tokens "
            "alone, and no policy there demands one",
            "add an AuthorizationPolicy that denies requests without a principal "
            '(`action: DENY`, `notRequestPrincipals: ["*"]`)',
        )


class _Verdicts:
    """Computes whether outcomes restrict access, once for all outcomes with the same rules."""

    def __init__(self) -> None:
        """Prepare; callers must keep the outcomes, whose rules are identified by `id()`."""
        self._verdicts: dict[tuple[str, tuple[int, ...]], tuple[bool, bool]] = {}

    def judge(self, kind: Kind, outcome: PolicyOutcome) -> tuple[bool, bool]:
        """Return whether rules in force restrict access, and whether a rule admits everybody."""
        key = kind.kind, tuple(map(id, outcome.rules))
        if key not in self._verdicts:
            self._verdicts[key] = guards(kind, outcome), opens(kind, outcome)
        return self._verdicts[key]


def _find_guarded(view: JudgedSpokeView, verdicts: _Verdicts) -> dict[Levels, Kind]:
    """Return the paths to rules on which a policy restricts access, each with the policy's kind.

    Policies on backends count for a rule only if every backend of the rule has such a policy.
    """
    guarded: dict[Levels, dict[RequestPath, Kind]] = {}
    for effective in view.effective:
        kind = view.kind(effective)
        if kind.traits.guards and verdicts.judge(kind, effective.likely)[0]:
            path = _cut_backend(effective.path)
            guarded.setdefault(path.levels, {})[effective.path] = kind
    backends: dict[Levels, set[Levels]] = {}
    for path in find_backend_paths(view.topology):
        backends.setdefault(_cut_backend(path).levels, set()).add(path.levels)
    return {
        levels: next(iter(paths.values()))
        for levels, paths in guarded.items()
        if {path.levels for path in paths} >= backends.get(levels, set())
        or any(path.backend is None for path in paths)
    }


def _cut_backend(path: RequestPath) -> RequestPath:
    if path.backend is None and path.port is None:
        return path
    return replace(path, backend=None, port=None)


def _check_open_places(
    view: JudgedSpokeView, guarded: Collection[Levels], kinds: RoutesByKind, verdicts: _Verdicts
) -> Iterator[Result]:
    paths_by_levels = {
        path.levels: path
        for path in view.paths
        if path.route is not None
        and any(not routes or path.route.kind in routes for routes in kinds.values())
        and path.rule not in _find_silent_rules(view, path.route)
        and not _has_lost_policies(view, path)
    }
    open_levels = paths_by_levels.keys() - set(guarded) - _find_opened(view, verdicts)
    open_levels = {
        levels
        for levels in open_levels
        if (path := paths_by_levels[levels]).route is None
        or path.rule not in _find_provider_rules(view, path.route)
    }
    # From the Gateway down: a place that is open as a whole is reported once, without its parts.
    for height in range(_HEIGHTS):
        beneath: dict[Ref, list[Levels]] = {}
        for levels, path in paths_by_levels.items() if open_levels else ():
            place = (path.gateway, path.section, levels[-2], levels[-1])[height]
            beneath.setdefault(place, []).append(levels)
        for ref, paths in sorted(beneath.items()):
            if not open_levels.isdisjoint(paths) and not any(levels in guarded for levels in paths):
                open_levels -= set(paths)
                routes = {paths_by_levels[levels].route for levels in paths}
                result = _report_open_place(view, ref, {ref for ref in routes if ref}, list(kinds))
                gateway = view.hub_ref(next(paths_by_levels[levels].gateway for levels in paths))
                yield replace(result, causes=(f"what is open on {gateway}",))


_HEIGHTS = 4


def _find_opened(view: JudgedSpokeView, verdicts: _Verdicts) -> set[Levels]:
    """Return the paths that a policy opens on purpose, or on which policies fail or are unknown."""
    return {
        _cut_backend(effective.path).levels
        for effective in view.effective
        if (kind := view.kind(effective)).traits.guards
        if effective.likely.unknown
        or effective.likely.failing
        or verdicts.judge(kind, effective.likely)[1]
    }


@memoised
def _find_silent_rules(view: JudgedSpokeView, route: Ref) -> frozenset[str]:
    """Return the names of a route's rules that have no backend, or that answer with a redirect.

    Gateway API, `HTTPRouteRule.backendRefs` and `HTTPRequestRedirectFilter`.
    """
    return frozenset(
        name
        for name, rule in read_rules(view, route).items()
        if not rule.get("backendRefs")
        or any(item.get("type") == "RequestRedirect" for item in as_mappings(rule.get("filters")))
    )


@memoised
def _find_provider_rules(view: JudgedSpokeView, route: Ref) -> frozenset[str]:
    """Return the names of a route's rules to an identity provider, which callers need to log in."""
    rules = read_rules(view, route)
    hosts, services = _find_identity_providers(view)
    names = view.topology.nodes[route].hostnames
    if names and hosts.issuperset(names):
        return frozenset(rules)
    backends_by_rule = {
        name: [
            Ref(
                str(ref.get("group") or ""),
                str(ref.get("kind") or "Service"),
                str(ref.get("namespace") or route.namespace),
                str(ref.get("name")),
            )
            for ref in as_mappings(rule.get("backendRefs"))
        ]
        for name, rule in rules.items()
    }
    return frozenset(
        name for name, backends in backends_by_rule.items() if services.issuperset(backends)
    )


@memoised
def _find_identity_providers(view: JudgedSpokeView) -> tuple[frozenset[str], frozenset[Ref]]:
    """Return the hostnames of token issuers, and the Services that policies use to authorize."""
    hosts: set[str] = set()
    services: set[Ref] = set()
    for policy, _ in view.policies:
        kind, data = policy.kind, policy.object
        for pattern in kind.traits.issuers:
            hosts.update(read_host(str(url)) for _, url in find_values(data, pattern))
        if kind.traits.guards:
            needs = read_requirements(kind, data, policy.ref.namespace)
            services.update(need.ref for need in needs if need.ref.kind == "Service")
    return frozenset(hosts - {""}), frozenset(services)


def _report_open_place(
    view: JudgedSpokeView, ref: Ref, routes: set[Ref], kinds: list[str]
) -> Result:
    others = sorted(routes - {ref.whole})
    is_parent = (ref.group, ref.kind) in PARENTS
    where = f" on {ref}" if is_parent else ""  # other spokes may have it under other names
    if ref.section_name:
        where = f" on {'listener' if is_parent else 'rule'} {ref.section_name}"
    beneath = f" for {list_few(others)}" if others else ""
    return view.result(
        codes.UNGUARDED,
        ref,
        f"no {' or '.join(kinds)} is in force{where}{beneath}, while others of the fleet have "
        "one: anybody may call it",
        "attach one to it or to what is above it; suppress this finding if it is open on purpose",
    )


def fold_open_places(results: Iterable[Result]) -> tuple[Result, ...]:
    """Return the findings, with those of `check_unguarded_routes` joined by Gateway and spokes.

    Suppressions must be applied before, as each names a single object.
    """
    folded: dict[object, list[Result]] = {}
    for result in results:
        is_open = result.code == codes.UNGUARDED.code and result.severity is not INFO
        key = (result.causes, result.spokes) if is_open else result
        folded.setdefault(key, []).append(result)
    return tuple(name_others(first, others) for first, *others in folded.values())


def check_uneven_protection(fleet: FleetView) -> Iterator[Result]:
    """Yield a finding for each route on which a security kind is in force on some spokes only.

    Kinds that restrict access are left out, as `check_unguarded_routes` is for them.
    """
    spokes_covered: dict[tuple[str, str, Ref], set[str]] = {}
    routes: dict[Ref, list[tuple[JudgedSpokeView, Ref, Spokes]]] = {}
    for view, spokes in fleet.cases:
        for route in sorted({path.route for path in view.paths if path.route is not None}):
            routes.setdefault(view.hub_ref(route), []).append((view, route, spokes))
        for key in _find_covered_routes(view):
            spokes_covered.setdefault(key, set()).update(spokes)
    for (_, kind, hub_route), covered in sorted(spokes_covered.items()):
        for view, route, spokes in routes[hub_route]:
            if covered.isdisjoint(spokes):
                result = view.result(
                    codes.UNEVEN,
                    route,
                    f"no {kind} is in force on it, while one is on {list_few(sorted(covered))}",
                    "place the policy and its target alike, or attach one of its own on these "
                    "spokes",
                )
                yield fleet.locate(result, spokes)


def _find_covered_routes(view: JudgedSpokeView) -> Iterator[tuple[str, str, Ref]]:
    """Yield (group, kind, route on the hub) if a policy of the kind is or may be in force on it."""
    for effective in view.effective:
        kind = view.kind(effective)
        route = effective.path.route
        if route is None or not (effective.likely.rules or effective.likely.unknown):
            continue
        if kind.security and not kind.traits.guards:
            yield effective.group, effective.kind, view.hub_ref(route)
