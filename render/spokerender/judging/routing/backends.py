"""Finds the backends of a route's rules that do not resolve, or that are not supported.

Gateway API, `ResolvedRefs` of a route. Each controller supports certain kinds besides Services
(`RoutingRules`); they are unknown if the table of kinds has no rules of the controller.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.attachment.statuses import NOT_KNOWN, Truth
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import UNSUPPORTED, UNVERIFIED, RuleProblem
from spokerender.kinds.kind import BACKEND_TLS
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.routing import BackendCheck, RoutingRules
from spokerender.model import SERVICE, Ref
from spokerender.model.shapes import as_mapping, as_mappings, as_text
from spokerender.topology.node import Node
from spokerender.topology.presented import Presented

_RESOLVED, _ACCEPTED = "ResolvedRefs", "Accepted"
_UDP_ROUTE = "UDPRoute"
_REFUSING = ("Invalid", "NoValidCACertificate")


class Routed(Struct, frozen=True):
    """A route as the controller of a Gateway reads it.

    `presented` is the client certificate of the Gateway for backends, if a listener allows the
    route.
    """

    scene: Scene
    gateway: Node
    route: Node
    presented: Presented | None = None

    @property
    def rules(self) -> RoutingRules | None:
        """The rules of the Gateway's controller; None if they are not known."""
        return self.scene.rules(self.gateway)


def check_backend(routed: Routed, index: int, entry: Mapping[str, Any]) -> Iterator[RuleProblem]:
    """Yield the first problem of a `backendRefs` entry, in the order of the controller's checks."""
    scene, route, rules = routed.scene, routed.route, routed.rules
    ref = find_backend(route, entry)
    groups = {name: of for of, name in rules.backends} if rules is not None else {}
    if ref.group in groups.values():  # the controller checks group and kind separately
        ref = replace(ref, group=groups.get(ref.kind, ref.group))
    checks: dict[BackendCheck, Callable[[], _Found]] = {
        "filters": lambda: check_backend_filters(rules, route, entry),
        "kind": lambda: _check_backend_kind(rules, ref),
        "grant": lambda: _check_grant(scene, rules, route, ref),
        "setting": lambda: _check_setting(scene, ref),
        "port": lambda: _check_port(scene, rules, route, ref, entry.get("port")),
        "trust": lambda: _check_trust(scene, rules, ref),
        "demands": lambda: check_demands(scene, rules, ref, late=False),
        "tls": lambda: _check_tls(routed, ref, entry.get("port")),
        "endpoints": lambda: check_demands(scene, rules, ref, late=True),
    }
    order: Iterable[BackendCheck] = tuple(checks)
    if rules is not None:
        order = dict(rules.checks_on).get(route.ref.kind, rules.checks)
    if entry.get("weight") == 0:  # the proxy does not connect to it
        del checks["tls"], checks["endpoints"]
    for name in filter(checks.__contains__, order):
        problem = checks[name]()
        if problem is not None:
            state, reason, why = problem
            is_silent = name == "tls" and rules is not None and not rules.wrong_tls
            condition = "" if is_silent else _RESOLVED
            # Contour reports such a filter as a value of the route that it does not support.
            condition = _ACCEPTED if reason == UNSUPPORTED and name == "filters" else condition
            yield RuleProblem(condition, state, reason, why, index, is_late=name == "endpoints")
            return


def find_backend(route: Node, entry: Mapping[str, Any]) -> Ref:
    """Return the object that a `backendRefs` entry names."""
    namespace = as_text(entry.get("namespace")) or route.ref.namespace
    kind = as_text(entry.get("kind")) or SERVICE[1]
    return Ref(as_text(entry.get("group")), kind, namespace, as_text(entry.get("name")))


_Found = tuple[Truth, str, str] | None


def check_backend_filters(
    rules: RoutingRules | None, route: Node, entry: Mapping[str, Any]
) -> _Found:
    """Return the problem if the controller does not support the filters of a backend, or None."""
    types = [as_text(item.get("type")) for item in as_mappings(entry.get("filters"))]
    if rules is None or not types or not rules.wrong_backend_filter:
        return None
    rewrites_path = rules.combines_filters and any(
        as_mapping(item.get("urlRewrite")).get("path") for item in as_mappings(entry["filters"])
    )
    taken = dict(rules.backend_filters).get(route.ref.kind, ())
    wrong = [kind for kind in types if kind not in taken]
    for item in as_mappings(entry["filters"]) if rules.combines_filters else ():
        ref = as_mapping(item.get("extensionRef"))
        if ref and (ref.get("group"), ref.get("kind")) not in rules.extensions:
            wrong.append("ExtensionRef")  # Envoy Gateway, validateBackendRefFilters
    if not wrong and not rewrites_path:
        return None
    what = "a rewrite of the path" if not wrong else f"a filter of type {wrong[0]}"
    return Truth.FALSE, rules.wrong_backend_filter, f"{what} is not supported beside a backend"


def _check_backend_kind(rules: RoutingRules | None, ref: Ref) -> _Found:
    if rules is None:
        if (ref.group, ref.kind) == SERVICE:
            return None
        if "." not in ref.group:  # Kubernetes' own
            return Truth.FALSE, "InvalidKind", f"a {ref.kind} is no backend"
        why = f"whether its controller takes a {ref.kind} for a backend is not known"
        return Truth.UNKNOWN, NOT_KNOWN, why
    if (ref.group, ref.kind) in rules.backends:
        return None
    if (ref.group, ref.kind) in rules.extended:
        why = f"whether it takes a {ref.kind} for a backend is decided by how it is configured"
        return Truth.UNKNOWN, UNVERIFIED, why
    kinds = ", ".join(kind for _, kind in rules.backends)
    why = f"a backend is one of {kinds}, not a {ref.kind} of {ref.group or 'the core group'}"
    return Truth.FALSE, "InvalidKind", why


def _check_grant(scene: Scene, rules: RoutingRules | None, route: Node, ref: Ref) -> _Found:
    granted = rules.granted if rules is not None else ()
    is_read = not granted or (ref.group, ref.kind) in granted
    if ref.namespace == route.ref.namespace or (is_read and scene.topology.permits(route.ref, ref)):
        return None
    why = f"no ReferenceGrant in {ref.namespace} lets it name {ref}"
    return Truth.FALSE, "RefNotPermitted", why


def _check_setting(scene: Scene, ref: Ref) -> _Found:
    """Return the problem if the controller's settings do not, or may not, allow `ref`'s kind."""
    for demand in scene.catalogue.kind(ref.group, ref.kind).demands:
        if not demand.setting:
            return Truth.FALSE, demand.reason, f"{ref} {demand.says}"
        why = f"{ref} {demand.says}, which `controllers` in fleet.yaml does not declare"
        return Truth.UNKNOWN, UNVERIFIED, why
    return None


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
        ref = Ref(*SERVICE, ref.namespace, ref.name)
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


def _check_trust(scene: Scene, rules: RoutingRules | None, ref: Ref) -> _Found:
    """Return the problem if a backend with TLS names no CA certificates (Envoy Gateway)."""
    tls = scene.spec(ref).get("tls")
    if rules is None or not (rules.wrong_trust and isinstance(tls, Mapping)):
        return None
    authorities = tls.get("wellKnownCACertificates") or tls.get("caCertificateRefs")
    if authorities or tls.get("insecureSkipVerify") is True or _is_trusted_by_policies(scene, ref):
        return None
    why = f"{ref} asks for TLS, and neither it nor a BackendTLSPolicy says whom to trust"
    return Truth.FALSE, rules.wrong_trust, why


def _is_trusted_by_policies(scene: Scene, ref: Ref) -> bool:
    """Return whether a backend, or each of its ports, has a BackendTLSPolicy."""
    endpoints = as_mappings(scene.spec(ref).get("endpoints"))
    addresses = (as_mapping(item.get("fqdn") or item.get("ip")) for item in endpoints)
    left = {str(item["port"]) for item in addresses if "port" in item}
    has_ports = bool(left)
    for node in scene.topology.nodes.values():
        for link in node.attachments if (node.ref.group, node.ref.kind) == BACKEND_TLS else ():
            # Envoy Gateway compares names alone, so the policy may be in another namespace.
            if (link.ref.group, link.ref.kind, link.ref.name) == (ref.group, ref.kind, ref.name):
                if not link.sections:
                    return True
                left -= {*link.sections}
    return has_ports and not left


def _check_own_certificates(scene: Scene, rules: RoutingRules, ref: Ref) -> _Found:
    """Return the problem with a Secret or ConfigMap that a backend itself names for TLS."""
    if not rules.wrong_trust:
        return None
    row = scene.catalogue.kind(ref.group, ref.kind)
    for link in read_requirements(row, scene.read(ref), ref.namespace):
        presence, named = scene.presence(link.ref), scene.topology.find(link.ref)
        is_empty = named is not None and link.ref.kind == "ConfigMap" and not named.keys
        if presence is Truth.FALSE or is_empty:
            lacks = "has no data" if is_empty else "is not there"
            return Truth.FALSE, rules.wrong_tls, f"{link.ref} {lacks}, for TLS to {ref}"
        if presence is Truth.UNKNOWN:
            return Truth.UNKNOWN, UNVERIFIED, f"the spoke has to have {link.ref} for TLS to {ref}"
    return None


def check_demands(scene: Scene, rules: RoutingRules | None, ref: Ref, *, late: bool) -> _Found:
    """Return the problem if a backend violates a demand; `late`: a demand checked after filters."""
    spec = scene.spec(ref)
    for demand in rules.demands if rules is not None and spec else ():
        is_meant = demand.kind == ref.kind and demand.late is late
        if is_meant and not scene.holds(demand.rule, spec):
            return Truth.FALSE, demand.reason, f"{ref} {demand.says}"
    return None


def _check_tls(routed: Routed, ref: Ref, port: object) -> _Found:
    """Return the problem with the BackendTLSPolicies or certificates for TLS to a backend."""
    scene, rules = routed.scene, routed.rules
    if rules is None:
        return None
    own = _check_own_certificates(scene, rules, ref)
    if own is not None:
        return own
    ports = as_mappings(scene.spec(ref).get("ports"))
    sections = {as_text(item.get("name")) for item in ports if item.get("port") == port}
    attached = [
        (attachment.accepted, policy.ref, link.sections)
        for policy in scene.topology.of_kind(*BACKEND_TLS, ref.namespace)
        if (attachment := scene.attachments.get(policy.ref)) is not None
        for link in policy.references
        if link.ref.whole == ref and sections.issuperset(link.sections)
    ]
    # Policies for the port come before policies for the Service (Envoy Gateway,
    # backendtlspolicy.go).
    nearest = [item for item in attached if item[2]] or attached
    if any(accepted.status is Truth.TRUE for accepted, _, _ in nearest):
        return _check_presented(routed, rules, ref)
    for accepted, policy_ref, _ in nearest:
        if accepted.status is Truth.FALSE and accepted.reason in _REFUSING:
            return Truth.FALSE, rules.wrong_tls, f"{policy_ref}: {accepted.message}"
        if accepted.status is Truth.UNKNOWN:
            return Truth.UNKNOWN, UNVERIFIED, f"{policy_ref}: {accepted.message}"
    has_own = rules.wrong_trust and isinstance(scene.spec(ref).get("tls"), Mapping)
    return _check_presented(routed, rules, ref) if has_own else None


def _check_presented(routed: Routed, rules: RoutingRules, ref: Ref) -> _Found:
    """Return the problem if the Gateway's certificate for backends does not, or may not, exist."""
    presented = routed.presented
    if presented is None or not rules.wrong_tls:
        return None
    presence = routed.scene.presence(presented.secret) if presented.is_near else Truth.FALSE
    if presence is Truth.TRUE:
        return None
    why = f"{presented.parameters} names {presented.secret}, for TLS to {ref}"
    if presence is Truth.FALSE:
        return presence, rules.wrong_tls, f"{why}, which is not there or in another namespace"
    return presence, UNVERIFIED, f"{why}, and the spoke has to have it"
