"""Istio's kinds. A target's `namespace` must be empty (validation of `PolicyTargetReference`).

Without targets, a policy applies to the workloads that its selector selects: with a Gateway's name
label (`kinds.references`) it is attached to that Gateway. Without a selector it applies to all
workloads of its namespace (in the root namespace: of the mesh), and so to the Gateways there. Any
other selector leads to no Gateway: such a policy is reported and not rendered.
"""

from functools import partial

from msgspec.structs import replace

from spokerender.kinds import kind, merging
from spokerender.kinds.columns import (
    NOTHING,
    Everybody,
    Guarding,
    More,
    Need,
    PortSharing,
    Reach,
    Scale,
    Traits,
)
from spokerender.kinds.routing import GatewayRules, ListenerRules, RoutingRules
from spokerender.kinds.rows import ask_for, label_selector, target_ref, target_refs
from spokerender.model.refs import CONFIG_MAP, SERVICE, SERVICE_IMPORT

_HEADERS = ("RequestHeaderModifier", "ResponseHeaderModifier")
_HTTP = (*_HEADERS, "RequestRedirect", "RequestMirror", "URLRewrite", "CORS")
_INVALID = (("Programmed", False, "Invalid"), ("ResolvedRefs", False, ""))
_NO_CLIENTS = (("Accepted", False, "NoValidCACertificate"), *_INVALID)
_CONFLICT = (("Accepted", False, ""), ("Programmed", False, ""), ("Conflicted", True, ""))
ROUTING = RoutingRules(
    backends=(SERVICE, ("networking.istio.io", "Hostname"), SERVICE_IMPORT),
    extended=tuple((f"inference.networking.{of}.io", "InferencePool") for of in ("k8s", "x-k8s")),
    by_service=("ServiceImport",),
    whole_expressions=True,  # Envoy, RouteMatch.safe_regex
    filters=(("HTTPRoute", _HTTP), ("GRPCRoute", (*_HEADERS, "RequestMirror"))),
    backend_filters=(("HTTPRoute", _HEADERS), ("GRPCRoute", _HEADERS)),
    wrong_filter=("ResolvedRefs", "InvalidFilter"),
    wrong_backend_filter="InvalidFilter",
    checks=("filters", "grant", "kind", "port", "tls"),
    wrong_tls="",  # backend_policies.go, InvalidSecretTypeURI: requests are blocked
    no_port="InvalidDestination",
    wrong_port="",
    external_name="",
    skips_unused=True,
    last=True,
    ends=("InvalidDestination", "InvalidFilter"),
    strict_mirrors=("GRPCRoute",),
    granted=(SERVICE,),  # gatewaycommon/references.go, ReferenceGrantsCollection
    gateways=GatewayRules(
        CONFIG_MAP,
        addresses=("Hostname",),
        alone="IPAddress",
        counted=("Accepted", "Programmed"),
        clients=False,
    ),
    listeners=ListenerRules(
        protocols=("HTTP", "HTTPS", "TLS", "TCP"),
        outcomes=(
            ("UnsupportedProtocol", (("Accepted", False, ""),)),
            ("InvalidRouteKinds", (("ResolvedRefs", False, ""),)),
            # It is not opened, and only a ListenerSet's says so.
            ("WithoutTLS", ()),
            ("InvalidCertificateRef", _INVALID),
            ("RefNotPermitted", _NO_CLIENTS),
            ("InvalidCACertificateRef", _NO_CLIENTS),
            ("InvalidCACertificateKind", _NO_CLIENTS),
            ("CARefNotPermitted", (*_NO_CLIENTS[:2], ("ResolvedRefs", False, "RefNotPermitted"))),
            ("ProtocolConflict", _CONFLICT),
            ("HostnameConflict", _CONFLICT),
        ),
        in_sets=(
            (
                "WithoutTLS",
                (("Accepted", False, "UnsupportedProtocol"), ("Programmed", False, "Invalid")),
            ),
        ),
        switched=(("HBONE", "the class of its Gateway"),),
        clients="one",
        partly="Accepted",  # gatewaycommon/conversion.go, ReportListenerSetStatus
        any_certificate=True,
        grants_last=True,
        may_lack=True,
        certificate_keys=(("tls.crt", "tls.key"), ("cert", "key")),
        drops_refused=True,
        counts_once=True,
    ),
    source="istio/istio eed52eb, pilot/pkg/config/kube/gateway (conversion, gateway_collection).go "
    "and gatewaycommon (conversion, listener_conflict).go",
)


_TARGETS = (
    target_ref(namespace=kind.NamespaceRule.EMPTY),
    target_refs(namespace=kind.NamespaceRule.EMPTY),
)
_SELECTOR = label_selector("spec.selector")
_SELECTOR_FROM_ROOT = label_selector("spec.selector", from_root=True)
_SOURCE = "istio/istio 86c9f01, pilot/pkg"
_BY_AGE = merging.Precedence(names=merging.Names.PAIR)
_OLDEST = merging.Merging(
    merging.Process.NONE,
    merging.Several.ONE,
    first=_BY_AGE,
    source="istio/istio eed52eb, pilot/pkg/config/kube/gateway/backend_policies.go",
)

ISTIO = kind.Controller(
    "Istio",
    names=("istio.io/gateway-controller", "istio.io/mesh-controller"),
    classes=("istio", "istio-waypoint", "istio-east-west"),
    hostnames_first=True,  # config/kube/gateway/conversion.go, referenceAllowed
    isolates="within",  # config/kube/gateway/conversion.go, hostnameAllowedByIsolation
    routing=ROUTING,
    sharing=PortSharing(
        families=(("HTTP", "HTTPS", "TLS"), ("TCP", "UDP")),
        apart=(),
        first_wins=True,
        by_protocol=True,
    ),
    denies_conflicts=True,  # config/kube/gateway/conversion.go, listener conditions
    merges=(
        (kind.BACKEND_TLS, _OLDEST),
        # All of them have load balancing, be it empty, and of the second one with it nothing is
        # read. No session is persisted.
        (
            kind.BACKEND_TRAFFIC,
            replace(_OLDEST, counts=("retryConstraint",), loser=merging.Loser.SILENT),
        ),
    ),
    tls_listener=(("Passthrough", ("TLSRoute",)), ("Terminate", ("TCPRoute", "TLSRoute"))),
)

# Rules of all policies on a workload are in force together; a DENY needs no ALLOW to give way.
_TOGETHER = merging.Merging(
    merging.Process.ALL, first=_BY_AGE, source=f"{_SOURCE}/model/policyattachment.go"
)
_TOKENS = replace(_TOGETHER, source=f"{_SOURCE}/security/authn/policy_applier.go")
_PLUGINS = replace(
    _TOGETHER,
    first=merging.Precedence(
        names=merging.Names.PAIR,
        rank=merging.Rank(("spec", "priority"), highest_first=True, absent=float("-inf")),
    ),
    source=f"{_SOURCE}/model/push_context.go, sortByPriority",
)
_FILTERS = replace(
    _TOGETHER,
    first=merging.Precedence(names=merging.Names.PAIR, rank=merging.Rank(("spec", "priority"))),
    source=f"{_SOURCE}/model/envoyfilter.go",
)
# Per level the oldest; a level that leaves a field unset has the one above it.
_PER_LEVEL = merging.Merging(
    merging.Process.FIELDS,
    merging.Several.ONE,
    first=_BY_AGE,
    loser=merging.Loser.SILENT,
    fields=merging.Fields(unset=(("mtls.mode", ("UNSET", None)),)),
    source=f"{_SOURCE}/model/authentication.go",
)
# The younger one overrides, field by field.
_TELEMETRY = merging.Merging(
    merging.Process.FIELDS,
    rules=("tracing[].*",),
    first=merging.Precedence(order=merging.Order.YOUNGEST, names=merging.Names.PAIR),
    oldest_on=("Namespace",),  # namespaceWideTelemetryConfig
    source=f"{_SOURCE}/model/telemetry.go, applicableTelemetries",
)
_SOURCES = (
    *("principals", "requestPrincipals", "namespaces", "serviceAccounts"),
    *("ipBlocks", "remoteIpBlocks"),
)
_OPERATIONS = ("hosts", "ports", "methods", "paths")
_NAMED = (
    *("from", "to", "when[].values"),
    *(f"from[].source.{name}" for name in _SOURCES),
    *(f"to[].operation.{name}" for name in _OPERATIONS),
)
# security/v1beta1/authorization_policy.proto: a list of negative matches.
_EXCEPTED = (
    "when[].notValues",
    *(f"from[].source.not{name[:1].upper()}{name[1:]}" for name in _SOURCES),
    *(f"to[].operation.not{name.capitalize()}" for name in _OPERATIONS),
)
# Whoever sends no token is none of `notRequestPrincipals`, and whoever calls another path none of
# `notPaths`; `notIpBlocks` keeps addresses out.
_ANYBODY = Everybody(
    "rules[]",
    where=(("action", ("ALLOW", None)),),
    parts=("from", "source", "to", "operation"),
    networks=("ipBlocks", "remoteIpBlocks"),
    texts=("paths", "hosts"),
    methods=("methods",),
    conditions=("when",),
    exceptions=(
        *("notPaths", "notHosts", "notMethods", "notPorts", "notRequestPrincipals"),
        *("notPrincipals", "notNamespaces", "notServiceAccounts"),
    ),
)
# ALLOW is the default; of an empty rule every request is one. AUDIT decides nothing.
_AUDITS = (("action", ("AUDIT",)),)


def _scales_of_rules(more: More, condition: More, unless: tuple[str | None, ...]) -> list[Scale]:
    """Return the scales of rules for actions not in `unless`; `more`: how further rules count."""
    other = ((("action", unless),),)
    return [
        Scale("rules", entries=more, unless=other),
        # security/v1beta1/authorization_policy.proto: without `from`, whoever it comes from.
        *(
            Scale(f"rules[].{name}", entries=more, unset="open", wildcards=True, unless=other)
            for name in _NAMED
        ),
        *(
            Scale(f"rules[].{name}", entries=condition, wildcards=True, unless=other)
            for name in _EXCEPTED
        ),
        Scale("rules[].when", entries=condition, unless=other),
    ]


_GUARD = Traits(
    guards=True,
    guarding=(
        Guarding(
            "*",
            unless=(
                _AUDITS,
                (("action", ("DENY", "CUSTOM")),),
                (("rules[]", (NOTHING,)),),
            ),
            beside="any",
            everybody=_ANYBODY,
        ),
        # Of no rule no request is one, so nothing is denied.
        Guarding(
            "rules",
            unless=(_AUDITS, (("action", ("ALLOW", None)),)),
            rules="rules[]",
            when=("from", "to", "when[]"),
            beside="all",
        ),
    ),
    scales=(
        Scale("action", order=("ALLOW",), unset="ALLOW", given=(("action", ("ALLOW", None)),)),
        *_scales_of_rules("weaker", "stricter", ("DENY", "AUDIT", "CUSTOM")),
        *_scales_of_rules("stricter", "weaker", ("ALLOW", "AUDIT", None)),
    ),
)
_STRICT = Traits(
    guarding=(
        Guarding(
            "mtls",
            unless=((("mtls.mode", ("PERMISSIVE", "DISABLE", "UNSET", None)),),),
            about="encryption",
        ),
    ),
    scales=tuple(
        Scale(field, "encryption", order=("DISABLE", "PERMISSIVE", "STRICT"), unset="PERMISSIVE")
        for field in ("mtls.mode", "portLevelMtls.*.mode")
    ),
)
_NETWORKING = "networking.istio.io"
_SECURITY = "security.istio.io"
_EXTENSIONS = "extensions.istio.io"

CONTROLLERS: tuple[kind.Controller, ...] = (ISTIO,)

_row = partial(kind.Kind, versions=("v1", "v1beta1"))
_policy = partial(
    _row,
    references=(*_TARGETS, *_SELECTOR_FROM_ROOT),
    security=True,
    merging=_TOGETHER,
    targets=("Gateway", "GatewayClass", "Service", "ServiceEntry"),
    controller=ISTIO,
    # A Gateway is asked for what targets it; waypoints alone for what targets the others.
    reach=Reach(mesh=("GatewayClass", "Service", "ServiceEntry")),
    # `spec`, CEL: only one of targetRefs or selector can be set.
    alternatives=(("targetRef", "targetRefs", "selector"),),
    targetless=kind.Targetless.NAMESPACE,
    found_by=kind.FoundBy.WORKLOAD,
)
_networking = partial(kind.Kind, _NETWORKING, versions=("v1", "v1beta1", "v1alpha3"))
_BY_LABELS = kind.ReferencePath("spec.workloadSelector.labels", kind.Role.LABEL)

KINDS: tuple[kind.Kind, ...] = (
    # security/v1beta1/authorization_policy.proto: ALLOW is the default, and without rules it is for
    # no request, so that all are denied.
    _policy(
        _SECURITY,
        "AuthorizationPolicy",
        merging=replace(_TOGETHER, implied=(("action", "ALLOW"),), pooled="rules"),
        traits=_GUARD,
        # pilot/pkg/security/authz/builder/builder.go, isDryRun.
        dry_run="istio.io/dry-run",
    ),
    # It refuses bad tokens and lets requests without any pass, so it guards nothing by itself.
    _policy(
        _SECURITY,
        "RequestAuthentication",
        merging=replace(_TOKENS, pooled="jwtRules"),
        traits=Traits(
            optional=True,
            checks=ask_for({"jwtRules[]": "jwt"}, "issuer"),
            # security/v1beta1/request_authentication.proto: a plain boolean.
            off=frozenset({"forwardOriginalToken"}),
            issuers=("spec.jwtRules[].issuer", "spec.jwtRules[].jwksUri"),
            # A token of any of their issuers is taken.
            guarding=(Guarding("jwtRules", rules="jwtRules[]", beside="any"),),
            scales=(
                Scale("jwtRules", entries="weaker", unset="open"),
                Scale("jwtRules[].audiences", entries="weaker", unset="open"),
            ),
        ),
        # istio/api, security/v1/request_authentication.proto: a key of type `oct` is a secret.
        credentials=("spec.jwtRules[].jwks",),
    ),
    _row(
        _SECURITY,
        "PeerAuthentication",
        references=_SELECTOR_FROM_ROOT,
        security=True,
        targetless=kind.Targetless.NAMESPACE,
        merging=_PER_LEVEL,
        controller=ISTIO,
        # It is about what workloads of the mesh say to each other.
        reach=Reach(mesh=("Namespace", "Gateway")),
        traits=_STRICT,
    ),
    _policy(
        "telemetry.istio.io",
        "Telemetry",
        versions=("v1", "v1alpha1"),
        # pilot/pkg/model/telemetry.go, applicableTelemetries: of the root namespace only one for
        # all counts elsewhere, none that selects.
        references=(*_TARGETS, *_SELECTOR),
        security=False,
        merging=_TELEMETRY,
    ),
    # Filters of the user's own, of which some authorize; so are those of TrafficExtension and
    # EnvoyFilter.
    _policy(
        _EXTENSIONS,
        "WasmPlugin",
        versions=("v1alpha1",),
        needs=(Need("spec", name="imagePullSecret"),),
        merging=_PLUGINS,
        traits=Traits(
            scales=(Scale("failStrategy", order=("FAIL_OPEN", "FAIL_CLOSE"), unset="FAIL_CLOSE"),)
        ),
        # istio/api, extensions/v1alpha1/wasm.proto: handed to the plugin as it is.
        credentials=("spec.pluginConfig", "spec.vmConfig.env[].value"),
    ),
    _policy(
        _EXTENSIONS,
        "TrafficExtension",
        versions=("v1alpha1",),
        references=(*_TARGETS[1:], *_SELECTOR_FROM_ROOT),
        merging=_PLUGINS,
        alternatives=(("targetRefs", "selector"),),
    ),
    _policy(
        _NETWORKING,
        "EnvoyFilter",
        versions=("v1alpha3",),
        references=(*_TARGETS[1:], replace(_BY_LABELS, from_root=True)),
        merging=_FILTERS,
        traits=Traits(ordered=("configPatches",)),
        alternatives=(("targetRefs", "workloadSelector"),),
    ),
    _networking("Sidecar", references=(_BY_LABELS,)),
    _networking(
        "ProxyConfig",
        versions=("v1beta1",),
        references=_SELECTOR[:1],
        merging=replace(
            _PER_LEVEL,
            rules=("environmentVariables.*",),
            source=f"{_SOURCE}/model/proxy_config.go",
        ),
        controller=ISTIO,
        targetless=kind.Targetless.NAMESPACE,
    ),
    # Istio's own Gateway, and what names it, has nothing to do with the Gateway API's.
    _networking("Gateway", references=(kind.ReferencePath("spec.selector", kind.Role.LABEL),)),
    _networking("VirtualService"),
    _networking("DestinationRule"),
    _networking("ServiceEntry", plural="serviceentries"),
    _networking("WorkloadEntry", plural="workloadentries"),
)
