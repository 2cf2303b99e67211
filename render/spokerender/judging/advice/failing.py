"""Advice on requests that fail, and on policies that restrict nothing."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import ERROR, WARNING, Result, Severity
from spokerender.judging.advice.phrases import describe_paths, list_few
from spokerender.judging.advice.view import AdvisedObject, JudgedSpokeView, read_rules
from spokerender.judging.effective.guarding import list_vain, measure_spec
from spokerender.kinds.fields import read_value
from spokerender.kinds.kind import Kind
from spokerender.kinds.needs import read_extended
from spokerender.model import Ref, grouped, shown
from spokerender.model.memo import remembered
from spokerender.model.shapes import as_mapping, as_mappings, as_text
from spokerender.topology.doors import find_doors, find_narrower
from spokerender.topology.equals import find_equal_routes
from spokerender.topology.graph import find_class_controller, find_proxy
from spokerender.topology.matches import MatchFields, list_matches, rank_path, read_matches
from spokerender.topology.node import Listener
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_listener

_CURES = {
    "RefNotPermitted": "add the ReferenceGrant to the hub, or declare it under `spec.external` of "
    "fleet.yaml if the spokes have it"
}
"""The suggested fixes of faults, by the reason in the status."""
_WELL_KNOWN = {"http": 80, "https": 443}
_REDIRECTS, _HARMLESS = "RequestRedirect", ("RequestRedirect", "RequestHeaderModifier")


def check_failing_rules(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each backend or rule of a route on which requests certainly fail."""
    # `check_absent_objects` reports parts that certainly do not exist.
    failing = (it for it in view.find_faults().parts if not view.topology.is_absent(it.part.whole))
    places = grouped(((it.rule.whole, it.field), it) for it in failing)
    for (route, field), parts in places.items():
        for why, alike in grouped((it.why, it) for it in parts).items():
            yield view.result(
                codes.FAILING,
                route,
                f"{alike[0].describe()}, as {why}",
                _CURES.get(alike[0].reason, "correct it, or take it out of the rule"),
                field=shown(field),
                severity=None if any(it.is_used for it in alike) else WARNING,
            )


def check_doubled_hostnames(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding per port on which listeners share a hostname: Envoy refuses routes there."""
    routes: dict[tuple[Ref, int | str, str], dict[Ref, Ref]] = {}
    for door in find_doors(view.topology):
        rules = find_class_controller(view.topology, door.gateway.gateway_class).routing
        own = door.listener.hostname
        if rules is None or not rules.unique_hostnames or door.listener.protocol != "HTTP":
            continue
        port = find_proxy(view.topology, door.gateway.ref), door.listener.port
        # Such a controller makes a virtual host of each hostname that a listener and a route share
        # (`RoutingRules.unique_hostnames`).
        for name in (door.hostnames or (own,)) if door.is_certain else ():
            on = routes.setdefault((*port, find_narrower(name, own) or "*"), {})
            on.setdefault(door.parent.ref.section(door.listener.name), door.route.ref)
    doubled = ((tuple(on.items()), key) for key, on in routes.items() if len(on) > 1)
    for served, keys in grouped(doubled).items():
        sections = list_few(section for section, _ in served)
        names = list_few(name for _, _, name in keys)
        yield view.result(
            codes.DOUBLED,
            served[0][1],
            f"{sections} share port {keys[0][1]}, and {names} is on each of them: "
            "Envoy refuses all routes of a port with two virtual hosts of one domain",
            "name one of the listeners (sectionName), or add one with exactly this hostname",
            field="spec.parentRefs",
        )


def check_redirects(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each rule that redirects requests to their own URL."""
    names_by_rule: dict[Ref, dict[str, None]] = {}
    for path in view.paths:
        names = dict.fromkeys(_list_looping(view, path))
        if names:
            names_by_rule.setdefault(path.levels[-1], {}).update(names)
    for rule, names in names_by_rule.items():
        hosts = list_few(name for name in names if name) or "every hostname without another route"
        yield view.result(
            codes.ENDLESS,
            rule.whole,
            f"rule {rule.section_name} redirects requests for {hosts} to the same URL, without end",
            "let the redirect change something, or keep the route off this listener (sectionName)",
            field="spec.rules",
            severity=None if any(names) else WARNING,
        )


def _list_looping(view: JudgedSpokeView, path: RequestPath) -> Iterator[str]:
    """Yield the hostnames whose requests a path redirects to their own URL.

    The empty name stands for all hostnames without another route. Rules with other filters are left
    out, as such a filter may make another rule match the next request, for instance by a cookie.
    """
    rule = read_rules(view, path.route).get(path.rule, {}) if path.route is not None else {}
    filters = as_mappings(rule.get("filters"))
    types = {as_text(item.get("type")) for item in filters}
    if _REDIRECTS not in types or not types.issubset(_HARMLESS):
        return
    redirect = next(
        as_mapping(it.get("requestRedirect")) for it in filters if it["type"] == _REDIRECTS
    )
    if not _keeps_origin(redirect, find_listener(view.topology, path)) or not _keeps_path(
        view, path, redirect
    ):
        return
    equals = find_equal_routes(view.topology).items()
    contested = {key[2] for key, on in equals if path.route in on and key[0] == path.section}
    # Of two equal routes, ages decide which gets the requests (`check_shadowed_routes`).
    for name in path.hostnames or ("",):
        if redirect.get("hostname", name) == name and name not in contested:
            yield name


def _keeps_origin(redirect: Mapping[str, Any], listener: Listener) -> bool:
    """Return whether a redirect keeps the listener's scheme and port (`RequestRedirect.port`)."""
    own = "https" if listener.protocol == "HTTPS" else "http"
    scheme = redirect.get("scheme")
    port = redirect.get("port", _WELL_KNOWN.get(as_text(scheme), listener.port))
    return scheme in (None, own) and bool(port == listener.port)


def _keeps_path(view: JudgedSpokeView, path: RequestPath, redirect: Mapping[str, Any]) -> bool:
    """Return whether redirected requests with the same origin reach the same rule again.

    They do if the path is the same, or no other rule of the listener fits the new path better.
    """
    new = redirect.get("path")
    if not isinstance(new, Mapping):
        return any(not match.get("headers") for match in _list_matches(view, path))
    lands = as_text(new.get("replaceFullPath") or new.get("replacePrefixMatch"))
    near = [
        rank_path(match, lands)
        for other in view.paths
        if other.section == path.section and other.levels[-1] != path.levels[-1]
        for match in _list_matches(view, other)
    ]
    matches = _list_matches(view, path)
    own = max((rank_path(it, lands) for it in matches if not it.get("headers")), default=())
    return own > () and own >= max(near, default=())


def _list_matches(view: JudgedSpokeView, path: RequestPath) -> list[MatchFields]:
    node = view.topology.nodes.get(path.levels[-1].whole)
    return list_matches(read_matches(node).get(path.rule, ()) if node is not None else ())


def check_vain_rules(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each condition of a security policy that every request fulfils."""

    def find(ref: Ref) -> Mapping[str, Any] | None:
        return view.objects[ref].object if ref in view.objects else None

    for policy, _ in view.policies:
        if policy.kind.security and policy.kind.traits.guarding:
            extended = read_extended(policy.kind, policy.object, policy.ref.namespace, find)
            for message, cure, field, severity in _recall_vain(policy, extended):
                yield view.result(
                    codes.IN_VAIN, policy.ref, message, cure, field=field, severity=severity
                )


def _list_vain(
    policy: AdvisedObject, extended: Mapping[str, Any]
) -> Iterator[tuple[str, str, str, Severity | None]]:
    """Yield message, suggested fix, field and severity of each finding about a policy."""
    traits, measure = policy.kind.traits, partial(measure_spec, policy.kind.traits)
    for proper in ((), ("defaults",), ("overrides",)):
        whole = as_mapping(read_value(policy.spec, proper))
        before = as_mapping(read_value(policy.kind.read_spec(policy.source), proper))
        if not (whole or before):
            continue
        if whole != before and measure(before).parts and not measure(whole).parts:
            yield (
                "it restricts access on the hub, and nothing of that is left on the spoke",
                "change the override, or suppress this finding if it is open on purpose",
                shown(("spec", *proper)),
                None,
            )
        asked = as_mapping(read_value(extended, proper))
        for place, how, is_sure in list_vain(traits, asked):
            yield (
                f"it {how}: what is asked there keeps nobody out",
                "ask for what callers differ in, or take the condition out",
                shown(("spec", *proper, *place)),
                ERROR if is_sure else None,
            )


# Spokes share most of their policies, so the findings about a policy are kept for all views.
_recall_vain = remembered(lambda policy, extended: tuple(_list_vain(policy, extended)))


def check_idle_policies(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each security policy none of whose rules has an effect on its paths."""
    idle: dict[Ref, list[RequestPath]] = {}
    in_force: set[Ref] = set()
    for item in view.effective:
        outcomes = (item.likely, *item.others)
        in_force.update(rule.policy for outcome in outcomes for rule in outcome.asked)
        if item.is_beyond or any(each.unknown or each.failing or each.refused for each in outcomes):
            in_force.update(item.stack)
        for policy in item.stack:
            idle.setdefault(policy, []).append(item.path)
    for advised, attachment in view.policies:
        kind, targets = advised.kind, {*attachment.targets}
        is_counted = advised.ref in idle or kind.traits.needs_routes
        if not is_counted and measure_spec(kind.traits, advised.spec).parts:
            paths = [path for path in view.paths if not targets.isdisjoint(path.levels)]
            if not any(_may_count(view, kind, path) for path in paths):
                idle[advised.ref] = paths
    overruled = {
        lost.policy
        for item in view.effective
        for lost in item.likely.overruled
        if lost.by != lost.policy
    }
    for policy, paths in sorted(idle.items()):
        if paths and policy not in in_force | overruled and view.objects[policy].kind.security:
            yield view.result(
                codes.NO_ROUTE_BENEATH,
                policy,
                f"nothing of it counts on {describe_paths(paths)}: it protects nothing",
                "use what its controller carries out there, or target other routes",
                field=view.target_field(policy),
            )


def _may_count(view: JudgedSpokeView, kind: Kind, path: RequestPath) -> bool:
    """Return whether a kind of policy applies to the route and listener of a path."""
    routes, protocols = (*kind.routes, *kind.reach.from_above), kind.reach.protocols
    is_for_route = not kind.routes or (path.route is not None and path.route.kind in routes)
    return is_for_route and (
        not protocols or find_listener(view.topology, path).protocol in protocols
    )
