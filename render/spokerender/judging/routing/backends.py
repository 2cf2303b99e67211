"""The backends and filters of a route's rules: what of them does not resolve, or is not supported.

Gateway API, `ResolvedRefs` of a route. What a controller takes besides Services is a fact about it
(`RoutingRules`); where nobody has read it, that is not known.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.judging.attachment.statuses import NOT_KNOWN, Truth
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import UNVERIFIED
from spokerender.kinds.columns import RoutingRules
from spokerender.kinds.kind import BACKEND_TLS
from spokerender.kinds.reference import Reference
from spokerender.model import Ref
from spokerender.model.shapes import as_mapping, as_mappings, as_text
from spokerender.model.slots import ask
from spokerender.topology.node import Node

_SERVICE = ("", "Service")
_RESOLVED, _ACCEPTED = "ResolvedRefs", "Accepted"
_UNSUPPORTED = "UnsupportedValue"
_MODIFIERS = ("requestHeaderModifier", "responseHeaderModifier")
_UDP_ROUTE = "UDPRoute"
_UNCHANGEABLE = "host"
_REFUSING = ("Invalid", "NoValidCACertificate")


class RuleProblem(Struct, frozen=True):
    """A problem with a rule: the condition that reports it, its reason, and the rule's position.

    `state` is UNKNOWN where only the cluster can tell whether there is one.
    """

    type: str
    state: Truth
    reason: str
    why: str
    rule: int


def find_problems(scene: Scene, rules: RoutingRules | None, route: Node) -> tuple[RuleProblem, ...]:
    """Return what is wrong, or may be, with the filters and backends of a route, in order."""
    return tuple(
        problem
        for index, rule in enumerate(as_mappings(scene.spec(route.ref).get("rules")))
        for problem in (
            *_check_filters(scene, rules, route, index, rule),
            *(
                problem
                for backend in as_mappings(rule.get("backendRefs"))
                for problem in _check_backend(scene, rules, route, index, backend)
            ),
        )
    )


def _check_filters(
    scene: Scene, rules: RoutingRules | None, route: Node, index: int, rule: Mapping[str, Any]
) -> Iterator[RuleProblem]:
    filters = as_mappings(rule.get("filters"))
    types = {as_text(item.get("type")) for item in filters}
    for item in filters:
        kind = as_text(item.get("type"))
        if kind == "ExtensionRef":
            yield from _check_extension(scene, rules, route, index, item)
        elif rules is not None and kind not in dict(rules.filters).get(route.ref.kind, (kind,)):
            why = f"filters of type {kind} are not supported"
            yield RuleProblem(_ACCEPTED, Truth.FALSE, _UNSUPPORTED, why, index)
        elif kind == "RequestMirror":
            mirrored = as_mapping(as_mapping(item.get("requestMirror")).get("backendRef"))
            yield from _check_backend(scene, rules, route, index, mirrored)
        if rules is not None and _changes_host(item):
            why = f"a filter of type {kind} changes the header Host"
            yield RuleProblem(_ACCEPTED, Truth.FALSE, _UNSUPPORTED, why, index)
    answers = "RequestRedirect" in types or any(
        _answers_directly(scene, route, item) for item in filters
    )
    if rules is not None and "RequestMirror" in types and answers:
        why = "requests that are answered by the gateway can't be mirrored"
        yield RuleProblem(_ACCEPTED, Truth.FALSE, "IncompatibleFilters", why, index)


def _changes_host(item: Mapping[str, Any]) -> bool:
    """Tell whether a filter sets, adds or removes the header Host (Envoy Gateway, filters.go)."""
    for modifier in _MODIFIERS:
        fields = as_mapping(item.get(modifier))
        named = [
            as_text(each.get("name"))
            for key in ("add", "set")
            for each in as_mappings(fields.get(key))
        ]
        removed = fields.get("remove")
        named += [as_text(name) for name in removed] if isinstance(removed, list) else []
        if any(ask(_is_unchangeable, name) for name in named):
            return True
    return False


def _is_unchangeable(header: str) -> bool:
    return header.casefold() == _UNCHANGEABLE


def _read_extension(route: Node, item: Mapping[str, Any]) -> Ref:
    named = as_mapping(item.get("extensionRef"))
    group, kind, name = (as_text(named.get(key)) for key in ("group", "kind", "name"))
    return Ref(group, kind, route.ref.namespace, name)


def _answers_directly(scene: Scene, route: Node, item: Mapping[str, Any]) -> bool:
    is_extension = item.get("type") == "ExtensionRef"
    return is_extension and bool(scene.spec(_read_extension(route, item)).get("directResponse"))


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
    """Yield the first problem of a backend, in the order of Envoy Gateway's validateBackendRef."""
    group = as_text(entry.get("group"))
    kind = as_text(entry.get("kind")) or _SERVICE[1]
    namespace = as_text(entry.get("namespace")) or route.ref.namespace
    groups = {name: of for of, name in rules.backends} if rules is not None else {}
    if group in groups.values():  # group and kind are looked at one by one
        group = groups.get(kind, group)
    ref = Ref(group, kind, namespace, as_text(entry.get("name")))
    found = (
        _check_backend_filters(rules, route, entry)
        or _check_backend_kind(rules, ref)
        or _check_grant(scene, route, ref)
        or _check_port(scene, rules, route, ref, entry.get("port"))
        or _check_tls(scene, rules, ref)
    )
    if found is not None:
        state, reason, why = found
        yield RuleProblem(_RESOLVED, state, reason, why, index)


_Found = tuple[Truth, str, str] | None


def _check_backend_filters(
    rules: RoutingRules | None, route: Node, entry: Mapping[str, Any]
) -> _Found:
    types = [as_text(item.get("type")) for item in as_mappings(entry.get("filters"))]
    if rules is None or not types:
        return None
    taken = dict(rules.backend_filters).get(route.ref.kind, ())
    rewrites_path = any(
        as_mapping(item.get("urlRewrite")).get("path") for item in as_mappings(entry["filters"])
    )
    wrong = [kind for kind in types if kind not in taken]
    if not wrong and not rewrites_path:
        return None
    what = "a rewrite of the path" if not wrong else f"a filter of type {wrong[0]}"
    return Truth.FALSE, "UnsupportedRefValue", f"{what} is not supported beside a backend"


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
    presence = scene.presence(ref)
    if presence is not Truth.TRUE:
        why = f"{ref} is not there" if presence is Truth.FALSE else f"the spoke has to have {ref}"
        return presence, "BackendNotFound" if presence is Truth.FALSE else UNVERIFIED, why
    spec = scene.spec(ref)
    if spec.get("type") == "ExternalName" and rules is not None:
        return Truth.FALSE, _UNSUPPORTED, f"{ref} is of type ExternalName"
    ports = as_mappings(spec.get("ports"))
    protocol = "UDP" if route.ref.kind == _UDP_ROUTE else "TCP"
    is_there = any(
        item.get("port") == port and (as_text(item.get("protocol")) or "TCP") == protocol
        for item in ports
    )
    if not has_ports or not ports or is_there:
        return None
    numbers = ", ".join(str(item.get("port")) for item in ports)
    why = f"{ref} has no {protocol} port {port} (it has {numbers})"
    if rules is None:
        return Truth.UNKNOWN, NOT_KNOWN, f"{why}; what its controller says of that is not known"
    return Truth.FALSE, rules.wrong_port, why


def _check_tls(scene: Scene, rules: RoutingRules | None, ref: Ref) -> _Found:
    """Check the BackendTLSPolicies for a backend: without valid ones, Envoy Gateway refuses it."""
    if rules is None:
        return None
    for policy in scene.topology.of_kind(*BACKEND_TLS, ref.namespace):
        attachment = scene.attachments.get(policy.ref)
        if attachment is None or not any(_names(link, ref) for link in policy.references):
            continue
        accepted = attachment.accepted
        if accepted.status is Truth.FALSE and accepted.reason in _REFUSING:
            return Truth.FALSE, "InvalidBackendTLS", f"{policy.ref}: {accepted.message}"
        if accepted.status is Truth.UNKNOWN:
            return Truth.UNKNOWN, UNVERIFIED, f"{policy.ref}: {accepted.message}"
    return None


def _names(link: Reference, ref: Ref) -> bool:
    return link.ref.whole == ref
