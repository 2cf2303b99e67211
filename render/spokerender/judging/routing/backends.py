"""The backends and filters of a route's rules: what of them does not resolve, or is not supported.

Gateway API, `ResolvedRefs` of a route. What a controller takes besides Services is a fact about it
(`RoutingRules`); where nobody has read it, that is not known.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.attachment.statuses import NOT_KNOWN, Truth
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import UNVERIFIED
from spokerender.kinds.columns import BackendCheck, RoutingRules
from spokerender.kinds.kind import BACKEND_TLS
from spokerender.model import Ref
from spokerender.model.shapes import as_mapping, as_mappings, as_text
from spokerender.topology.node import Node

_SERVICE = ("", "Service")
_RESOLVED, _ACCEPTED = "ResolvedRefs", "Accepted"
_UNSUPPORTED = "UnsupportedValue"
_MODIFIERS = ("requestHeaderModifier", "responseHeaderModifier")
_UDP_ROUTE, _GRPC = "UDPRoute", "GRPCRoute"
_REFUSING = ("Invalid", "NoValidCACertificate")


class RuleProblem(Struct, frozen=True):
    """A problem with a rule: the condition that reports it, its reason, and the rule's position.

    `state` is UNKNOWN where only the cluster can tell whether there is one. One that `is_strict` is
    the last that its controller sees.
    """

    type: str
    state: Truth
    reason: str
    why: str
    rule: int
    is_strict: bool = False


def find_problems(scene: Scene, rules: RoutingRules | None, route: Node) -> tuple[RuleProblem, ...]:
    """Return what is wrong, or may be, with the filters and backends of a route, in order."""
    problems = tuple(
        problem
        for index, rule in enumerate(as_mappings(scene.spec(route.ref).get("rules")))
        for problem in (
            *_check_filters(scene, rules, route, index, rule),
            *(
                problem
                for backend in as_mappings(rule.get("backendRefs"))
                if not _is_passed_over(rules, route, rule, backend)
                for problem in _check_backend(scene, rules, route, index, backend)
            ),
        )
    )
    return (*_find_last(rules, problems),) if rules is not None and rules.last else problems


def _is_passed_over(
    rules: RoutingRules | None,
    route: Node,
    rule: Mapping[str, Any],
    backend: Mapping[str, Any],
) -> bool:
    """Tell whether a controller passes over a backend, for its weight or its rule's filters."""
    if rules is None:
        return False
    if rules.skips_unused and backend.get("weight") == 0:
        return True
    if rules.wrong_filter[1]:
        return False
    return any(_is_wrong(rules, route, item) for item in as_mappings(rule.get("filters")))


def _is_wrong(rules: RoutingRules, route: Node, item: Mapping[str, Any]) -> bool:
    """Tell whether a filter is of a type, or an extension of a kind, that is not supported."""
    kind = as_text(item.get("type"))
    ref = _read_extension(route, item)
    is_foreign = kind == "ExtensionRef" and (ref.group, ref.kind) not in rules.extensions
    return is_foreign or kind not in dict(rules.filters).get(route.ref.kind, (kind,))


def _find_last(rules: RoutingRules, problems: Iterable[RuleProblem]) -> Iterator[RuleProblem]:
    """Yield the last problem that is certain, and those after it of which files can't tell."""
    last: list[RuleProblem] = []
    for problem in problems:
        last = [*last, problem] if problem.state is Truth.UNKNOWN else [problem]
        is_end = problem.is_strict or problem.reason in rules.ends
        if problem.state is Truth.FALSE and is_end:
            break
    yield from last


def _check_filters(
    scene: Scene, rules: RoutingRules | None, route: Node, index: int, rule: Mapping[str, Any]
) -> Iterator[RuleProblem]:
    filters = as_mappings(rule.get("filters"))
    for item in filters:
        kind = as_text(item.get("type"))
        if rules is not None and kind not in dict(rules.filters).get(route.ref.kind, (kind,)):
            condition, reason = rules.wrong_filter
            if reason:
                why = f"filters of type {kind} are not supported"
                yield RuleProblem(condition, Truth.FALSE, reason, why, index)
        elif kind == "ExtensionRef" and rules is not None and not rules.wrong_filter[1]:
            continue
        elif kind == "ExtensionRef":
            yield from _check_extension(scene, rules, route, index, item)
        elif kind == "RequestMirror":
            mirrored = as_mapping(as_mapping(item.get("requestMirror")).get("backendRef"))
            is_strict = rules is not None and route.ref.kind in rules.strict_mirrors
            for problem in _check_backend(scene, rules, route, index, mirrored):
                yield replace(problem, is_strict=is_strict)
        if rules is not None and rules.headers and _changes_fixed(scene, rules.headers, item):
            why = f"a filter of type {kind} changes a header that can't be changed"
            yield RuleProblem(_ACCEPTED, Truth.FALSE, _UNSUPPORTED, why, index)
    if rules is not None and rules.combines_filters:
        yield from _check_together(scene, route, index, filters)


def _check_together(
    scene: Scene, route: Node, index: int, filters: Sequence[Mapping[str, Any]]
) -> Iterator[RuleProblem]:
    """Yield what is wrong with filters beside each other (Envoy Gateway, filters.go)."""
    types = {as_text(item.get("type")) for item in filters}
    extended = [scene.spec(_read_extension(route, item)) for item in filters]
    answers = [as_mapping(spec.get("directResponse")) for spec in extended]
    if "RequestMirror" in types and ("RequestRedirect" in types or any(answers)):
        why = "requests that are answered by the gateway can't be mirrored"
        yield RuleProblem(_ACCEPTED, Truth.FALSE, "IncompatibleFilters", why, index)
    elif route.ref.kind == _GRPC and any(_is_success(answer) for answer in answers):
        why = "a gRPC request can't be answered with a status of success"
        yield RuleProblem(_ACCEPTED, Truth.FALSE, _UNSUPPORTED, why, index)
    rewrites = [as_mapping(item.get("urlRewrite")) for item in (*filters, *extended)]
    for part in ("hostname", "path"):
        if sum(part in rewrite for rewrite in rewrites) > 1:
            why = f"several filters rewrite the {part}"
            yield RuleProblem(_ACCEPTED, Truth.FALSE, _UNSUPPORTED, why, index)


def _is_success(answer: Mapping[str, Any]) -> bool:
    """Tell whether a direct response is one of success, as it is by default."""
    status = answer.get("statusCode", 200)
    return bool(answer) and isinstance(status, int) and 200 <= status < 300  # noqa: PLR2004


def _changes_fixed(scene: Scene, rule: str, item: Mapping[str, Any]) -> bool:
    """Tell whether a filter sets, adds or removes a header that does not meet a rule (CEL)."""
    for modifier in _MODIFIERS:
        fields = as_mapping(item.get(modifier))
        named = [
            as_text(each.get("name"))
            for key in ("add", "set")
            for each in as_mappings(fields.get(key))
        ]
        removed = fields.get("remove")
        named += [as_text(name) for name in removed] if isinstance(removed, list) else []
        if not all(scene.holds(rule, name) for name in named):
            return True
    return False


def _read_extension(route: Node, item: Mapping[str, Any]) -> Ref:
    named = as_mapping(item.get("extensionRef"))
    group, kind, name = (as_text(named.get(key)) for key in ("group", "kind", "name"))
    return Ref(group, kind, route.ref.namespace, name)


def _check_extension(
    scene: Scene, rules: RoutingRules | None, route: Node, index: int, item: Mapping[str, Any]
) -> Iterator[RuleProblem]:
    ref = _read_extension(route, item)
    presence = scene.presence(ref)
    if rules is None:
        if presence is not Truth.TRUE:
            why = f"the spoke has to have {ref}"
            yield RuleProblem(_RESOLVED, Truth.UNKNOWN, UNVERIFIED, why, index)
        return
    if (ref.group, ref.kind) not in rules.extensions:
        why = f"a filter can't be a {ref.kind} of {ref.group}"
        yield RuleProblem(_ACCEPTED, Truth.FALSE, _UNSUPPORTED, why, index)
    elif presence is Truth.FALSE:
        why = f"{ref} is not there"
        yield RuleProblem(_RESOLVED, Truth.FALSE, _UNSUPPORTED, why, index)
    elif presence is Truth.UNKNOWN:
        why = f"the spoke has to have {ref}"
        yield RuleProblem(_RESOLVED, Truth.UNKNOWN, UNVERIFIED, why, index)


def _check_backend(
    scene: Scene, rules: RoutingRules | None, route: Node, index: int, entry: Mapping[str, Any]
) -> Iterator[RuleProblem]:
    """Yield the first problem of a backend."""
    group = as_text(entry.get("group"))
    kind = as_text(entry.get("kind")) or _SERVICE[1]
    namespace = as_text(entry.get("namespace")) or route.ref.namespace
    groups = {name: of for of, name in rules.backends} if rules is not None else {}
    if group in groups.values():  # group and kind are looked at one by one
        group = groups.get(kind, group)
    ref = Ref(group, kind, namespace, as_text(entry.get("name")))
    checks: dict[BackendCheck, Callable[[], _Found]] = {
        "filters": lambda: _check_backend_filters(rules, route, entry),
        "kind": lambda: _check_backend_kind(rules, ref),
        "grant": lambda: _check_grant(scene, route, ref),
        "port": lambda: _check_port(scene, rules, route, ref, entry.get("port")),
        "demands": lambda: _check_demands(scene, rules, ref),
        "tls": lambda: _check_tls(scene, rules, ref, entry.get("port")),
    }
    order: Iterable[BackendCheck] = tuple(checks)
    if rules is not None:
        order = dict(rules.checks_on).get(route.ref.kind, rules.checks)
    if entry.get("weight") == 0:  # it is not connected to
        del checks["demands"], checks["tls"]
    for name in filter(checks.__contains__, order):
        problem = checks[name]()
        if problem is not None:
            state, reason, why = problem
            yield RuleProblem(_RESOLVED, state, reason, why, index)
            return


_Found = tuple[Truth, str, str] | None


def _check_backend_filters(
    rules: RoutingRules | None, route: Node, entry: Mapping[str, Any]
) -> _Found:
    types = [as_text(item.get("type")) for item in as_mappings(entry.get("filters"))]
    if rules is None or not types or not rules.wrong_backend_filter:
        return None
    taken = dict(rules.backend_filters).get(route.ref.kind, ())
    rewrites_path = rules.combines_filters and any(
        as_mapping(item.get("urlRewrite")).get("path") for item in as_mappings(entry["filters"])
    )
    wrong = [kind for kind in types if kind not in taken]
    if not wrong and not rewrites_path:
        return None
    what = "a rewrite of the path" if not wrong else f"a filter of type {wrong[0]}"
    return Truth.FALSE, rules.wrong_backend_filter, f"{what} is not supported beside a backend"


def _check_backend_kind(rules: RoutingRules | None, ref: Ref) -> _Found:
    if rules is None:
        if (ref.group, ref.kind) == _SERVICE:
            return None
        why = f"whether its controller takes a {ref.kind} for a backend is not known"
        return Truth.UNKNOWN, NOT_KNOWN, why
    if (ref.group, ref.kind) in rules.backends:
        return None
    kinds = ", ".join(kind for _, kind in rules.backends)
    why = f"a backend is one of {kinds}, not a {ref.kind} of {ref.group or 'the core group'}"
    return Truth.FALSE, "InvalidKind", why


def _check_grant(scene: Scene, route: Node, ref: Ref) -> _Found:
    if scene.topology.permits(route.ref, ref):
        return None
    why = f"no ReferenceGrant in {ref.namespace} lets it name {ref}"
    return Truth.FALSE, "RefNotPermitted", why


def _check_port(
    scene: Scene, rules: RoutingRules | None, route: Node, ref: Ref, port: object
) -> _Found:
    has_ports = ref.kind in ("Service", "ServiceImport")
    if has_ports and port is None:
        return (
            Truth.FALSE,
            rules.no_port if rules else "BackendNotFound",
            f"no port of {ref} is named",
        )
    if rules is not None and ref.kind in rules.by_service:
        ref = Ref(*_SERVICE, ref.namespace, ref.name)
    presence = scene.presence(ref)
    if presence is not Truth.TRUE:
        why = f"{ref} is not there" if presence is Truth.FALSE else f"the spoke has to have {ref}"
        return presence, "BackendNotFound" if presence is Truth.FALSE else UNVERIFIED, why
    spec = scene.spec(ref)
    if spec.get("type") == "ExternalName" and rules is not None and rules.external_name:
        return Truth.FALSE, rules.external_name, f"{ref} is of type ExternalName"
    ports = as_mappings(spec.get("ports"))
    protocol = "UDP" if route.ref.kind == _UDP_ROUTE else "TCP"
    is_there = any(
        item.get("port") == port and (as_text(item.get("protocol")) or "TCP") == protocol
        for item in ports
    )
    if not has_ports or not ports or is_there or (rules is not None and not rules.wrong_port):
        return None
    numbers = ", ".join(str(item.get("port")) for item in ports)
    why = f"{ref} has no {protocol} port {port} (it has {numbers})"
    if rules is None:
        return Truth.UNKNOWN, NOT_KNOWN, f"{why}; what its controller says of that is not known"
    return Truth.FALSE, rules.wrong_port, why


def _check_demands(scene: Scene, rules: RoutingRules | None, ref: Ref) -> _Found:
    spec = scene.spec(ref)
    for demand in rules.demands if rules is not None else ():
        if demand.kind == ref.kind and spec and not scene.holds(demand.rule, spec):
            return Truth.FALSE, demand.reason, f"{ref} {demand.says}"
    return None


def _check_tls(scene: Scene, rules: RoutingRules | None, ref: Ref, port: object) -> _Found:
    """Check the BackendTLSPolicies for a backend: without a valid one, it is refused.

    Of several those for its port come first (Envoy Gateway, backendtlspolicy.go).
    """
    if rules is None:
        return None
    ports = as_mappings(scene.spec(ref).get("ports"))
    sections = {as_text(item.get("name")) for item in ports if item.get("port") == port}
    attached = [
        (attachment.accepted, policy.ref, link.sections)
        for policy in scene.topology.of_kind(*BACKEND_TLS, ref.namespace)
        if (attachment := scene.attachments.get(policy.ref)) is not None
        for link in policy.references
        if link.ref.whole == ref and sections.issuperset(link.sections)
    ]
    nearest = [item for item in attached if item[2]] or attached
    if any(accepted.status is Truth.TRUE for accepted, _, _ in nearest):
        return None
    for accepted, policy_ref, _ in nearest:
        if accepted.status is Truth.FALSE and accepted.reason in _REFUSING:
            return Truth.FALSE, rules.wrong_tls, f"{policy_ref}: {accepted.message}"
        if accepted.status is Truth.UNKNOWN:
            return Truth.UNKNOWN, UNVERIFIED, f"{policy_ref}: {accepted.message}"
    return None
