"""Advice on two routes that match the same requests: the older one serves them (HTTPRoute).

If the routes have different policies, creation times decide which policies apply to the requests.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import ERROR, WARNING, Result
from spokerender.judging.advice.phrases import list_few
from spokerender.judging.advice.view import JudgedSpokeView, read_rules
from spokerender.judging.effective.outcomes import EffectivePolicy, PolicyOutcome
from spokerender.judging.lookups import ActionSet, PluginLookup
from spokerender.kinds.kind import Kind
from spokerender.model import Ref
from spokerender.model.memo import remembered
from spokerender.model.shapes import as_mappings
from spokerender.topology.equals import RequestKey, find_equal_routes
from spokerender.topology.matches import Request, read_path, write_fields
from spokerender.topology.paths import RequestPath
from spokerender.topology.precedence import find_orders

_InForce = Mapping[tuple[Ref, ...], Mapping[str, EffectivePolicy]]
"""The effective policies by the objects on a path, then by kind."""
_NOTHING = PolicyOutcome(())
_NAMING = ("name", "matches")


def check_shadowed_routes(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each two routes with equal requests, but different rules or policies."""
    contended = find_equal_routes(view.topology)
    in_force = _index_in_force(view) if contended else {}
    reported: set[tuple[Ref, Ref]] = set()
    for requests, path_by_route in contended.items():
        by_age = find_orders(path_by_route, view.topology.ages)
        # The likely oldest; the others are compared with it, and not with each other.
        first = by_age.likely[0]
        for other in by_age.likely[1:]:
            if (first, other) in reported:
                continue
            paths = path_by_route[first], path_by_route[other]
            kinds = _find_differing_kinds(view, *paths, in_force)
            # With equal policies and equal rules it makes no difference which route is older.
            if not kinds and _read_effect(view, paths[0]) == _read_effect(view, paths[1]):
                continue
            # A pair is told once, for the first requests that both are for.
            reported.add((first, other))
            texts = [_describe_in_force(path, kinds, in_force) for path in paths]
            when = f"That is {first}{', and ' if kinds else ''}{texts[0]}"
            if not by_age.is_certain:
                when = f"If that is {first}, {texts[0]}; if {other}, {texts[1]}. Files can't tell"
                when = when if kinds else "Which one that is, files can't tell"
            result = _report_shadowed(view, requests, paths, when, kinds)
            policies = map(view.hub_ref, _find_policies(paths, kinds, in_force))
            yield replace(result, also=tuple(sorted(policies)))


def _read_effect(view: JudgedSpokeView, path: RequestPath) -> Mapping[str, Any]:
    """Return the fields that define what a path's rule does, with explicit backend namespaces."""
    route = path.levels[-1].whole
    rule = read_rules(view, route).get(path.rule, {})
    own = {"namespace": route.namespace}
    backends = [{**own, **item} for item in as_mappings(rule.get("backendRefs"))]
    return {**{k: v for k, v in rule.items() if k not in _NAMING}, "backendRefs": backends}


@remembered
def _have_same_rules(one: PolicyOutcome, other: PolicyOutcome) -> bool:
    return one is other or _list_rules(one) == _list_rules(other)


def _list_rules(outcome: PolicyOutcome) -> list[tuple[str, object]]:
    return [(rule.key, rule.value) for rule in outcome.rules]


def _index_in_force(view: JudgedSpokeView) -> _InForce:
    in_force: dict[tuple[Ref, ...], dict[str, EffectivePolicy]] = {}
    for effective in view.effective:
        if effective.path.route is not None and effective.path.backend is None:
            in_force.setdefault(effective.path.levels, {})[effective.kind] = effective
    return in_force


def _find_differing_kinds(
    view: JudgedSpokeView,
    one: RequestPath,
    other: RequestPath,
    in_force: _InForce,
) -> tuple[Kind, ...]:
    policies, others = (in_force.get(path.levels, {}) for path in (one, other))
    kinds = {name: view.kind(policy) for name, policy in {**policies, **others}.items()}
    return tuple(
        kinds[name]
        for name in sorted(kinds)
        if not _have_same_rules(
            *(each[name].likely if name in each else _NOTHING for each in (policies, others))
        )
    )


def _find_policies(
    paths: Iterable[RequestPath], kinds: Iterable[Kind], in_force: _InForce
) -> frozenset[Ref]:
    effective = (in_force.get(path.levels, {}).get(kind.kind) for path in paths for kind in kinds)
    return frozenset(
        ref for policy in effective if policy is not None for ref in policy.likely.policies
    )


def _report_shadowed(
    view: JudgedSpokeView,
    requests: RequestKey,
    paths: tuple[RequestPath, RequestPath],
    when: str,
    kinds: Iterable[Kind],
) -> Result:
    section, _, hostname, _ = requests
    first, other = (path.levels[-1] for path in paths)
    return view.result(
        codes.SHADOWED,
        other.whole,
        f"{first} matches the same requests for {hostname} on {section} as {other}, and the older "
        f"route takes all of them. {when}",
        "let one route have them, or let both do the same under the same policies",
        field="spec.rules",
        severity=ERROR if any(kind.security for kind in kinds) else None,
    )


def _describe_in_force(path: RequestPath, kinds: tuple[Kind, ...], in_force: _InForce) -> str:
    """Return as text which policies are in force on a path: `AuthPolicy shop/a is in force`."""
    policies_by_kind = in_force.get(path.levels, {})
    parts = []
    for kind in kinds:
        effective = policies_by_kind.get(kind.kind)
        policies = effective.likely.policies if effective is not None else ()
        parts.append(list_few(policies) if policies else f"no {kind.kind}")
    return f"{' and '.join(parts)} {'are' if len(parts) > 1 else 'is'} in force" if parts else ""


_CURE = (
    "match headers by exact values, paths without a slash at their end, and methods in all rules "
    "for a path or in none; match no query parameters, and write [0-9] for \\d and [.] for \\."
)


def check_lookups(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each match for whose requests Kuadrant's plugin finds wrong policies.

    The plugin may also find policies of a rule that no listener serves, which gets a finding, too.
    """
    lookup = PluginLookup(view.topology, ((item, view.kind(item)) for item in view.count()))
    sets = [each for on_gateway in lookup.sets.values() for each in on_gateway]
    served = {path.levels for path in view.paths}
    for own in {each.path.levels[-1]: each for each in sets}.values():
        if own.path.levels not in served:
            yield _report_unserved(view, own)
    free = {(s.hostname, read_path(s.match)) for s in sets if not s.match.get("method")}
    for own in (each for each in sets if each.path.levels in served):
        is_contended = (own.hostname, read_path(own.match)) in free
        for request in _make_witnesses(own, is_contended=is_contended):
            answer = lookup.find(own.path, request, lambda value: value)
            if not answer.failing and {it.rules for it in answer.sets} == {own.rules}:
                continue
            lost, taken = (
                list_few(sorted({ref for each in some for ref, _ in each.rules}))
                for some in ([own], answer.sets)
            )
            then = f"finds {taken or 'no policy'} for {request.path or 'them'}, not {lost}"
            then = f"answers with 500, as {answer.failing}" if answer.failing else then
            rule = own.path.levels[-1]
            yield view.result(
                codes.PASSED_BY,
                rule.whole,
                f"{rule} is for {write_fields(own.match)}: Kuadrant's plugin {then}",
                _CURE,
                field="spec.rules",
                severity=None if request.path == read_path(own.match)[1] else WARNING,
            )


def _report_unserved(view: JudgedSpokeView, own: ActionSet) -> Result:
    rule, policies = own.path.levels[-1], sorted({ref for ref, _ in own.rules})
    # kuadrant-operator v1.5.2 looks at every listener that a route names (`see_as_operator`).
    return view.result(
        codes.PASSED_BY,
        rule.whole,
        f"{own.path.gateway} takes no request for {rule}, and yet Kuadrant's plugin may find "
        f"{list_few(policies)} for requests that other routes get there",
        "let the listener take the route, or take the Gateway out of its parentRefs",
        field="spec.parentRefs",
        severity=WARNING,
    )


def _make_witnesses(own: ActionSet, *, is_contended: bool) -> Iterator[Request]:
    """Yield requests that fit `own.match`, for which the plugin may find another action set.

    `is_contended`: an action set without a method has the same hostname and path as `own`.
    """
    match, (kind, path) = own.match, read_path(own.match)
    headers = {item["name"]: str(item.get("value")) for item in match.get("headers", ())}
    odd = [item["name"] for item in match.get("headers", ()) if item.get("type") != "Exact"]
    method = match.get("method", "GET")
    request = Request(
        "http",
        own.hostname.replace("*", "any"),
        80,
        method if isinstance(method, str) else "POST",
        path,
        headers={**headers, **dict.fromkeys(odd, "")},
    )
    has_method = isinstance(match.get("method"), str)
    if odd or match.get("queryParams") or own.unread or (has_method and is_contended):
        yield request
    if kind == "PathPrefix" and path.rstrip("/") != path != "/":
        # A path without the slash is for the prefix as well (HTTPPathMatch), and the plugin
        # compares texts.
        yield replace(request, path=path.rstrip("/"))
