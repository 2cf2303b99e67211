"""Sorts of policies for the law on what is in force: one for each process that there is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hypothesis import strategies as st

from spokerender.kinds.catalogue import ConfiguredKind
from spokerender.kinds.merging import Merge, Merging, Process
from tests.property import merges
from tests.property.hubs import Draw, Object
from tests.property.merges import Model, Parts

EG, ISTIO, NGINX = "gateway.envoyproxy.io", "istio", "gateway.nginx.org"
CONTROLLERS = {
    "eg": "gateway.envoyproxy.io/gatewayclass-controller",
    "istio": "istio.io/gateway-controller",
    "nginx": "gateway.nginx.org/nginx-gateway-controller",
    "kgateway": "kgateway.dev/kgateway",
    "agentgateway": "agentgateway.dev/agentgateway",
    "gloo": "solo.io/gloo-gateway",
    "apisix": "apisix.apache.org/apisix-ingress-controller",
    "lattice": "application-networking.k8s.aws/gateway-api-controller",
    "azure": "alb.networking.azure.io/alb-controller",
    "airlock": "microgateway.airlock.com/gatewayclass-controller",
    "example": "example.org/controller",
}
TOGETHER = {("kgateway", "agentgateway"), *(("example", name) for name in CONTROLLERS)}
"""Controllers of which it is not known that the first has no say on the second's gateways."""
BOTH: Mapping[str, tuple[str, ...]] = {
    "Passthrough": ("TLSRoute",),
    "Terminate": ("TCPRoute", "TLSRoute"),
}
TLS_MODES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "eg": BOTH,
    "istio": BOTH,
    "agentgateway": BOTH,
    "nginx": {"Passthrough": ("TLSRoute",), "Terminate": ("TLSRoute",)},
}
"""Which routes a TLS listener takes, where the reference says so of a controller."""

ISOLATING = {"eg"}
"""Who serves a hostname only on the listener that has it (its helpers.go, computeHosts)."""

HTTP = ("HTTPRoute", "GRPCRoute")
ORDERED = {"istio", "agentgateway"}
"""Who opens the first of listeners that conflict, whatever else is wrong with it (Istio's
gatewaycommon/listener_conflict.go, ComputeGatewayListenerConflicts)."""
APART = {"agentgateway"}
"""Who lets no two protocols share a port (its gateway_collection.go, validateListenerConflicts)."""
_GATEWAYS = ("Gateway", "ListenerSet")
SpecOf = Callable[[Draw, str], Object]


@dataclass(frozen=True)
class Sort:
    """A kind of policy: what it can be on, how it looks, and what several of them come to.

    `routes` are those whose ways it has a say in, all if empty; `one` says what of several on one
    target is accepted, and `clash` names the parts that two may not both have. `others` are kinds
    that are written into this one. Listeners of HTTP alone take the parts `on_http`. A policy for a
    TCPRoute may have the parts `on_tcp` alone, where
    these are said.
    """

    api: str
    kind: str
    on: str
    targets: tuple[str, ...]
    parts: tuple[str, ...]
    model: Model
    own_spec: SpecOf | None = None
    routes: tuple[str, ...] = ()
    has_refs: bool = True
    sections: str = "own"
    one: str = ""
    clash: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    ends: str = "rules"
    sees_sets: bool = True
    within: bool = False
    has_ports: bool = False
    refuses_overlap: bool = False
    backend_first: bool = False
    no_rule_of: tuple[str, ...] = ()
    by_name: bool = False
    is_alone: bool = False
    other: tuple[str, str] | None = None
    configured: tuple[ConfiguredKind, ...] = field(default=())
    asks: str = ""
    on_tcp: tuple[str, ...] = ()
    on_http: tuple[str, ...] = ()
    elsewhere: str = "never"

    def spec(self, draw: Draw, name: str) -> Object:
        """A spec of its own, or else with some of the parts."""
        return (self.own_spec or some(*self.parts))(draw, name)

    @property
    def identity(self) -> tuple[str, str]:
        """Group and kind."""
        return self.api.rpartition("/")[0], self.kind


def some(*parts: str, **more: st.SearchStrategy[object]) -> SpecOf:
    """A spec with some of these fields, each of them with the policy's name inside."""

    def made(draw: Draw, name: str) -> Object:
        spec: Object = {}
        for part in draw(st.sets(st.sampled_from(parts))) if parts else ():
            *above, last = part.split(".")
            inside = spec
            for key in above:
                inside = inside.setdefault(key, {})
            # An issuer without a kind is none (Kuadrant's operator).
            inside[last] = {"by": name} | ({"kind": "Issuer"} if last == "issuerRef" else {})
        given = {key: draw(value) for key, value in more.items()}
        return spec | {key: value for key, value in given.items() if value is not None}

    return made


def sided(parts: SpecOf, *strategies: str) -> SpecOf:
    """The same bare, or in one of the two blocks, by a strategy."""

    def made(draw: Draw, name: str) -> Object:
        proper = parts(draw, name)
        side = draw(st.sampled_from(("", "defaults", "overrides")))
        strategy = draw(st.sampled_from(("", *strategies)))
        if not side:
            return proper
        return {side: proper | ({"strategy": strategy} if strategy else {})}

    return made


def _two_sides(draw: Draw, name: str) -> Object:
    some_of = some("a", "b", "c")
    return {side: some_of(draw, f"{name}-{side}") for side in ("default", "override")}


def _trust(_: Draw, name: str) -> Object:
    return {"validation": {"wellKnownCACertificates": "System", "hostname": f"{name}.example.com"}}


def _tls_to_backends(on: str, model: Model, one: str) -> Sort:
    return Sort(
        "gateway.networking.k8s.io/v1",
        "BackendTLSPolicy",
        on,
        ("Service",),
        ("validation",),
        model,
        _trust,
        sections="port",
        elsewhere="none",
        one=one,
        ends="backends",
    )


def _maybe(*values: object) -> st.SearchStrategy[object]:
    return st.sampled_from((None, *values))


_ACCESS = ("cors", "basicAuth", "jwt", "authorization")
_KGATEWAY = ("cors", "jwt", "rbac", "rateLimit.local", "rateLimit.global")
_AGENT = ("traffic.cors", "traffic.authorization", "traffic.buffer", "traffic.jwtAuthentication")
_PROXY = ("timeout.connect", "timeout.read", "buffering.disable")
_AUTH = ("rules.authentication.a", "rules.authentication.b", "rules.authorization.a", "when")
_OIDC = ("rules.authentication.oidc", "rules.authorization.oidc", "rules.response.unauthenticated")


def _limits(draw: Draw, name: str) -> Object:
    rules = some("rateLimit.local.rules", "rateLimit.dryRun")(draw, name)
    if "local" in rules.get("rateLimit", {}):
        rules["rateLimit"]["local"]["rules"] = [{"by": name}]
    return rules


def _configured(process: Process, strategy: Merge = Merge.ATOMIC) -> tuple[ConfiguredKind, ...]:
    merging = Merging(process, default=strategy, source="the test")
    return (ConfiguredKind("example.org", "Thing", merging, targets=("Gateway", "HTTPRoute")),)


def _things(model: Model, spec: SpecOf, *configured: ConfiguredKind, one: str = "") -> Sort:
    return Sort(
        "example.org/v1",
        "Thing",
        "example",
        ("Gateway", "HTTPRoute"),
        ("a", "b", "c"),
        model,
        spec,
        routes=("HTTPRoute",),
        configured=configured,
        one=one,
        elsewhere="always",
    )


SORTS: Mapping[str, Sort] = {
    "nearest, if it does not ask to be merged": Sort(
        f"{EG}/v1alpha1",
        "SecurityPolicy",
        "eg",
        (*_GATEWAYS, *HTTP, "TCPRoute"),
        _ACCESS,
        merges.asked(Parts(not_parts=("mergeType",)), "mergeType", only_authorization=True),
        routes=(*HTTP, "TCPRoute"),
        one="oldest",
        asks="mergeType",
        on_tcp=("authorization",),  # validateSecurityPolicyForTCP
    ),
    "nearest, on listeners": Sort(
        f"{EG}/v1alpha1",
        "ClientTrafficPolicy",
        "eg",
        _GATEWAYS,
        ("timeout", "headers"),
        merges.nearest(Parts()),
        one="oldest",
        ends="listeners",
        has_ports=True,
        on_http=("headers",),  # translateClientTrafficPolicyForListener
    ),
    "nearest, on HTTP alone": Sort(
        f"{EG}/v1alpha1",
        "EnvoyExtensionPolicy",
        "eg",
        (*_GATEWAYS, *HTTP, "TCPRoute"),
        ("wasm", "lua"),
        merges.asked(Parts(not_parts=("mergeType",)), "mergeType"),
        routes=(*HTTP, "TCPRoute", "TLSRoute"),
        one="oldest",
        protocols=("HTTP", "HTTPS"),
        asks="mergeType",
    ),
    "field by field on layer 4": Sort(
        f"{EG}/v1alpha1",
        "BackendTrafficPolicy",
        "eg",
        ("Gateway", "TCPRoute", "TLSRoute"),
        ("loadBalancer", "timeout", "dns"),
        merges.field_by_field(Parts()),
        routes=("TCPRoute", "TLSRoute"),
        one="oldest",
        no_rule_of=("TLSRoute",),
    ),
    "field by field, by weight": Sort(
        "gateway.kgateway.dev/v1alpha1",
        "TrafficPolicy",
        "kgateway",
        (*_GATEWAYS, *HTTP),
        _KGATEWAY,
        merges.field_by_field(
            Parts(below=("rateLimit",)),
            weight=lambda policy: float(policy["metadata"].get("annotations", {}).get(_WEIGHT, 0)),
        ),
        routes=HTTP,
    ),
    "field by field, with locks": Sort(
        "agentgateway.dev/v1alpha1",
        "AgentgatewayPolicy",
        "agentgateway",
        (*_GATEWAYS, *HTTP, "Service"),
        _AGENT,
        merges.field_by_field(
            Parts(below=("traffic",), not_parts=("strategy",)),
            gathered=("traffic.authorization",),
            general=("traffic.buffer",),
            lock=lambda policy: "strategy" in policy["spec"],
        ),
        some(*_AGENT, strategy=_maybe({"inheritance": "Override"})),
        routes=HTTP,
        sections="number",
        backend_first=True,
        is_alone=True,
    ),
    "field by field, the younger first": Sort(
        "telemetry.istio.io/v1",
        "Telemetry",
        "istio",
        ("Gateway",),
        ("metrics", "accessLogging"),
        merges.field_by_field(Parts(), youngest=True),
        sections="",
    ),
    "field by field, where no two have the same": Sort(
        f"{NGINX}/v1alpha1",
        "ProxySettingsPolicy",
        "nginx",
        ("Gateway", *HTTP),
        _PROXY,
        merges.field_by_field(Parts(below=("timeout", "buffering"))),
        routes=HTTP,
        sections="",
        clash=_PROXY,
        refuses_overlap=True,
    ),
    "rules of all, and the rest where no two have the same": Sort(
        f"{NGINX}/v1alpha1",
        "RateLimitPolicy",
        "nginx",
        ("Gateway", *HTTP),
        ("rateLimit.local", "rateLimit.dryRun"),
        merges.field_by_field(Parts(below=("rateLimit",)), united=("rateLimit.local",)),
        _limits,
        routes=HTTP,
        sections="",
        clash=("rateLimit.dryRun",),
        refuses_overlap=True,
    ),
    "one alone on a target": Sort(
        f"{NGINX}/v1alpha1",
        "WAFPolicy",
        "nginx",
        ("Gateway", *HTTP),
        ("policySource", "securityLog"),
        merges.alone(Parts()),
        routes=HTTP,
        sections="",
        refuses_overlap=True,
    ),
    "one alone on a route, whole": Sort(
        "microgateway.airlock.com/v1alpha1",
        "ContentSecurityPolicy",
        "airlock",
        ("HTTPRoute",),
        ("secured", "unsecured"),
        merges.alone(Parts()),
        routes=("HTTPRoute",),
        sections="",
    ),
    "all": Sort(
        "security.istio.io/v1",
        "AuthorizationPolicy",
        "istio",
        ("Gateway",),
        ("action", "rules"),
        merges.all_of_them(Parts(implied=("action",))),
        sections="",
    ),
    "all of the oldest on each target": Sort(
        "application-networking.k8s.aws/v1alpha1",
        "IAMAuthPolicy",
        "lattice",
        ("Gateway", *HTTP),
        ("policy",),
        merges.all_of_them(Parts()),
        routes=HTTP,
        has_refs=False,
        sections="",
        one="oldest",
        by_name=True,
    ),
    "all that agree": Sort(
        "apisix.apache.org/v1alpha1",
        "HTTPRoutePolicy",
        "apisix",
        ("HTTPRoute",),
        ("priority", "vars"),
        merges.all_of_them(Parts()),
        some("vars", priority=st.sampled_from((1, 2))),
        routes=("HTTPRoute",),
        one="equal",
    ),
    "the oldest of the whole and its ports": _tls_to_backends(
        "nginx", merges.nearest(Parts()), "whole and sections"
    ),
    "a port before the whole": _tls_to_backends("eg", merges.nearest(Parts()), "oldest"),
    "those of one level": _tls_to_backends("example", merges.single_level(Parts()), "oldest"),
    "Kuadrant's fold": Sort(
        "kuadrant.io/v1",
        "AuthPolicy",
        "istio",
        ("Gateway", *HTTP),
        (*_AUTH, *_OIDC),
        merges.kuadrant(Parts(below=("rules.authentication", "rules.authorization")), "rules"),
        sided(some(*_AUTH), "atomic", "merge"),
        routes=HTTP,
        has_refs=False,
        sections="positional",
        sees_sets=False,
        elsewhere="always",
        within=True,
        other=("extensions.kuadrant.io/v1alpha1", "OIDCPolicy"),
    ),
    "all that are of one age": Sort(
        "kuadrant.io/v1",
        "TLSPolicy",
        "istio",
        ("Gateway",),
        ("issuerRef", "duration"),
        merges.every_equal(Parts()),
        has_refs=False,
        one="equals",
        ends="listeners",
        sees_sets=False,
        elsewhere="always",
    ),
    "nobody knows": Sort(
        "alb.networking.azure.io/v1",
        "WebApplicationFirewallPolicy",
        "azure",
        ("Gateway", "HTTPRoute"),
        ("default",),
        merges.unknown,
        some("default.webApplicationFirewall"),
        routes=("HTTPRoute",),
        has_refs=False,
        sections="",
    ),
    "GEP-713's fold": _things(
        merges.gep_713(Parts()),
        sided(some("a", "b", "c"), "atomic", "patch"),
        *_configured(Process.GEP_713),
    ),
    "defaults and overrides in one": _things(
        merges.both_sides, _two_sides, *_configured(Process.SINGLE)
    ),
    "none, as configured": _things(
        merges.nearest(Parts()), some("a", "b", "c"), *_configured(Process.NONE), one="oldest"
    ),
    "fields, as configured": _things(
        merges.field_by_field(Parts()), some("a", "b", "c"), *_configured(Process.FIELDS)
    ),
}
_WEIGHT = "kgateway.dev/policy-weight"
