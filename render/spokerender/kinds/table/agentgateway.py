"""agentgateway, which was once a part of kgateway, with its own rules for routes and listeners."""

from functools import partial
from itertools import chain

from msgspec.structs import replace

from spokerender.kinds import rows
from spokerender.kinds.columns import (
    IS_CEL,
    NOTHING,
    PARTIALLY_VALID,
    About,
    Demand,
    Guarding,
    Need,
    PortSharing,
    Reach,
    Scale,
    Traits,
)
from spokerender.kinds.kind import SECTION, Controller, Kind, Reports
from spokerender.kinds.merging import Apart, Fields, Merging, Order, Precedence, Process
from spokerender.kinds.routing import ListenerRules, RoutingRules
from spokerender.model.refs import SERVICE

# Its rules for routes and listeners, where the Gateway API has none.
_HEADERS = ("RequestHeaderModifier", "ResponseHeaderModifier")
_MIRRORED = (*_HEADERS, "RequestMirror")
_HTTP = (*_MIRRORED, "RequestRedirect", "URLRewrite", "CORS", "ExternalAuth")
_NOT_OPENED = (("Programmed", False, "Invalid"), ("ResolvedRefs", False, ""))
_NO_CLIENTS = (("Accepted", False, "NoValidCACertificate"), *_NOT_OPENED)
_NO_GRANT = ("ResolvedRefs", False, "RefNotPermitted")
_NOT_IN_SET = (("Accepted", False, "ListenersNotValid"), *_NOT_OPENED)
_CONFLICT = (
    ("Accepted", False, ""),
    ("Programmed", False, ""),
    ("ResolvedRefs", True, "ResolvedRefs"),
    ("Conflicted", True, ""),
)
AGENTGATEWAY_ROUTING = RoutingRules(
    backends=(
        SERVICE,
        ("agentgateway.dev", "AgentgatewayBackend"),
        ("inference.networking.k8s.io", "InferencePool"),
    ),
    filters=(("HTTPRoute", _HTTP), ("GRPCRoute", _MIRRORED)),
    backend_filters=(("HTTPRoute", (*_MIRRORED, "RequestRedirect")), ("GRPCRoute", _MIRRORED)),
    wrong_filter=("ResolvedRefs", "IncompatibleFilters"),
    wrong_backend_filter="IncompatibleFilters",
    checks=("filters", "grant", "kind", "port"),
    no_port="UnsupportedValue",
    wrong_port="",
    external_name="",
    last=True,
    ends=("IncompatibleFilters", "UnsupportedValue"),  # route_collections.go, computeRoute
    strict_mirrors=("HTTPRoute", "GRPCRoute"),
    delegates=True,  # conversion.go, buildAgwHTTPDestination
    listeners=ListenerRules(
        protocols=("HTTP", "HTTPS", "TLS", "TCP", "HBONE"),
        outcomes=(
            ("UnsupportedProtocol", (("Accepted", False, ""),)),
            ("InvalidRouteKinds", (("ResolvedRefs", False, ""),)),
            ("InvalidCertificateRef", _NOT_OPENED),
            ("RefNotPermitted", _NOT_OPENED),
            ("InvalidCACertificateRef", _NO_CLIENTS),
            ("InvalidCACertificateKind", _NO_CLIENTS),
            ("CARefNotPermitted", (*_NO_CLIENTS[:2], _NO_GRANT)),
            (
                "PartlyInvalidCACertificateRef",
                (("ResolvedRefs", False, "InvalidCACertificateRef"),),
            ),
            (
                "PartlyInvalidCACertificateKind",
                (("ResolvedRefs", False, "InvalidCACertificateKind"),),
            ),
            ("PartlyCARefNotPermitted", (_NO_GRANT,)),
            # translator/conversion.go, resolveGatewayBackendTLS.
            ("InvalidClientCertificateRef", (("ResolvedRefs", False, ""),)),
            ("ClientRefNotPermitted", (_NO_GRANT,)),
            ("ProtocolConflict", _CONFLICT),
            ("HostnameConflict", _CONFLICT),
        ),
        in_sets=(("InvalidCertificateRef", _NOT_IN_SET), ("RefNotPermitted", _NOT_IN_SET)),
        clients="some",
        hides_conflicts=True,
        options=(
            ("agentgateway.dev/tls-certificate-source", ("SPIFFE",)),
            ("gateway.istio.io/tls-terminate-mode", ("ISTIO_SIMPLE", "ISTIO_MUTUAL")),
        ),
        grants_last=True,
    ),
    source="agentgateway/agentgateway 75b4e6c, controller/pkg/agentgateway/translator "
    "(conversion, gateway_collection, route_collections).go and controller/pkg/syncer/syncer.go",
)


# Secrets, certificates and services have the same names in policies, backends and models.
_NEEDS = (
    *(
        rows.local_object(f"spec.**.{field}", "Secret", data_key="key")
        for field in (
            *("secretRef", "clientSecretRef", "certificateRef", "signingKeyRef"),
            "mtlsCertificateRef[]",
        )
    ),
    rows.local_object("spec.**.caCertificateRefs[]", "ConfigMap"),
    # Without a ReferenceGrant: api/settings/settings.go, BackendRefGrantMode, as it is by default.
    replace(rows.any_object("spec.**.backendRef", "Service"), is_granted=False),
    Need("spec.**.modelRef", "AgentgatewayModel", "agentgateway.dev"),
)
# plugins/reference_indexes.go, validateBackendSection.
_PARTS = ("spec.mcp.targets[].name", "spec.ai.groups[].providers[].name")


# What its plugins parse as CEL before they send it (75b4e6c, plugins/*.go, isCEL). Of the rest of
# the API's expressions, some may be durations, and some are parsed by the proxy alone.
_EXPRESSIONS = (  # noqa: SIM905  (words)
    "traffic.**.expression traffic.**.matchExpressions[] traffic.*.conditional[].condition"
    " traffic.**.cost traffic.**.limitOverride traffic.**.bodyExpression"
    " traffic.directResponse.**.headers[].value traffic.extAuth.**.cache.key[]"
    " traffic.extAuth.**.http.path traffic.extAuth.**.http.redirect traffic.extAuth.**.http.body"
    " traffic.**.addRequestHeaders.* traffic.**.requestMetadata.* traffic.**.responseMetadata.*"
    " traffic.**.requestAttributes.* traffic.**.responseAttributes.* traffic.**.metadataContext.*.*"
    " traffic.transformation.**.set[].value traffic.transformation.**.add[].value"
    " traffic.transformation.**.body traffic.transformation.**.metadata.*"
    " backend.health.unhealthyCondition backend.mcp.authorization.policy.matchExpressions[]"
    " backend.ai.**.expression backend.ai.**.webhook.headers.* backend.mcp.guardrails.**.metadata.*"
    " backend.auth.**.source.expression backend.auth.**.additionalParams.*"
    " frontend.**.expression frontend.**.filter frontend.**.randomSampling"
    " frontend.**.clientSampling"
).split()

_AGENT_SOURCE = "agentgateway/agentgateway 75b4e6c, crates/agentgateway/src/store/binds.rs"

AGENTGATEWAY = Controller(
    "agentgateway",
    names=("agentgateway.dev/agentgateway", "kgateway.dev/agentgateway"),
    classes=("agentgateway",),
    reports=Reports.AGENTGATEWAY,
    # controller/pkg/agentgateway/plugins/traffic_plugin.go, resolvePolicyAncestorRefs.
    summary="StatusSummary",
    # The same file, PolicyConditionMap: with an error, nothing is said about attachment.
    valid="Valid",
    accepts_parts=True,
    delegates=True,
    hostnames_first=True,  # translator/conversion.go, ReferenceAllowed
    routing=AGENTGATEWAY_ROUTING,
    # translator/gateway_collection.go, validateListenerConflicts.
    sharing=PortSharing(families=(), apart=(), first_wins=True),
    denies_conflicts=True,  # translator/conversion.go, BuildListener
    tls_listener=(("Passthrough", ("TLSRoute",)), ("Terminate", ("TCPRoute", "TLSRoute"))),
)

# Who may call a tool of a backend is asked as who may make a request is.
_AUTHORIZATIONS = ("traffic.authorization", "backend.mcp.authorization")

# Its policies of one target are kept in a HashSet: nothing orders them.
_AGENT = Merging(
    Process.FIELDS,
    rules=("traffic.*", "backend.*", "frontend.*"),
    first=Precedence(order=Order.UNORDERED),
    fields=Fields(
        # Rules of all levels are asked together, until one of them locks the field.
        gathers=_AUTHORIZATIONS,
        # `set_if_unset`, from the Gateway down: the least specific level comes first.
        general=("traffic.buffer",),
        # What is asked before a route is chosen is merged by itself.
        apart=(Apart("traffic.*", "traffic.phase", absent="PostRouting"),),
        # It locks the fields that the policy sets; its documentation says all.
        lock=("strategy.inheritance", ("Override",)),
    ),
    source=_AGENT_SOURCE,
)
_LENIENT = ("Optional", "Permissive")
_FAILING = ("FailOpen", "FailClosed")
_MODES = ("Permissive", "Optional", "Strict")
_AUTHENTICATIONS = (
    *(f"traffic.{name}Authentication" for name in ("apiKey", "basic", "jwt")),
    "backend.mcp.authentication",
)


def _under_conditions(field: str, about: About = "access") -> Guarding:
    """Return the guard of `conditional` policies; the first with a true condition is in force."""
    rules = f"{field}.conditional[]"
    return Guarding(field, rules=rules, when=("condition",), several="first", about=about)


_AGENT_CALLERS = Traits(
    guards=True,
    checks=(
        *rows.ask_for({_AUTHENTICATIONS[0]: "apiKey", _AUTHENTICATIONS[1]: "basic"}),
        *rows.ask_for({_AUTHENTICATIONS[2]: "jwt"}, "providers[].issuer"),
    ),
    guarding=(
        *chain.from_iterable(map(rows.guard_by_rules, _AUTHORIZATIONS)),
        Guarding(
            "traffic.extAuth",
            rules="traffic.extAuth.backendRef",
            lapses=("traffic.extAuth.failureMode", _FAILING[:1]),
        ),
        _under_conditions("traffic.extAuth"),
        *(Guarding(field, unless=(((f"{field}.mode", _LENIENT),),)) for field in _AUTHENTICATIONS),
    ),
    besides=(
        *(
            Guarding(
                "traffic.rateLimit",
                rules=f"traffic.rateLimit.{way}",
                void=((("descriptors", (NOTHING,)),),),
                about="limits",
            )
            for way in ("global", "local[]")
        ),
        _under_conditions("traffic.rateLimit", "limits"),
        Guarding("traffic.csrf"),
        # However empty, it has connections to backends encrypted.
        Guarding("backend.tls", about="encryption"),
    ),
    scales=(
        *(Scale(f"{name}.mode", order=_MODES, unset="Strict") for name in _AUTHENTICATIONS[:-1]),
        Scale(f"{_AUTHENTICATIONS[-1]}.mode", order=_MODES),
        Scale("traffic.jwtAuthentication.providers", entries="weaker"),
        *(
            Scale(f"{name}.audiences", entries="weaker", unset="open")
            for name in ("traffic.jwtAuthentication.providers[]", _AUTHENTICATIONS[-1])
        ),
        *chain.from_iterable(map(rows.rank_expressions, _AUTHORIZATIONS)),
        Scale("traffic.rateLimit.local", "limits", entries="stricter"),
        *(
            Scale(f"traffic.rateLimit.local[].{name}", "limits", number="weaker")
            for name in ("requests", "tokens")
        ),
        Scale("traffic.rateLimit.local[].burst", "limits", number="weaker", unset=0),
        Scale("traffic.rateLimit.local[].unit", "limits", number="stricter"),
        *(
            Scale(f"traffic.{name}.failureMode", order=_FAILING, unset=_FAILING[-1])
            for name in ("extAuth", "extProc")
        ),
        Scale("traffic.rateLimit.global.failureMode", "limits", order=_FAILING, unset=_FAILING[-1]),
        Scale("traffic.cors.allowOrigins", entries="weaker", wildcards=True),
        Scale("traffic.csrf.additionalOrigins", entries="weaker"),
        Scale(
            "backend.tls.insecureSkipVerify",
            "encryption",
            order=("All", "Hostname", None),
        ),
        Scale("backend.tls.caCertificateRefs", "encryption", entries="weaker", trusts=True),
        Scale("frontend.tls.minProtocolVersion", "encryption", order=("1.2", "1.3")),
        Scale("frontend.http.maxBufferSize", "limits", number="weaker"),
    ),
)

CONTROLLERS: tuple[Controller, ...] = (AGENTGATEWAY,)

_row = partial(Kind, "agentgateway.dev", versions=("v1alpha1",))

KINDS: tuple[Kind, ...] = (
    _row(
        "AgentgatewayPolicy",
        references=(
            rows.target_refs(section=SECTION),
            rows.target_selectors(section=SECTION, max_items=16),
        ),
        needs=_NEEDS,
        security=True,
        targets=(
            "Gateway",
            "ListenerSet",
            "HTTPRoute",
            "GRPCRoute",
            "Service",
            "AgentgatewayBackend",
            "InferencePool",
        ),
        # `spec`, CEL: exactly one of them must be set.
        alternatives=(("targetRefs", "targetSelectors"),),
        merging=_AGENT,
        controller=AGENTGATEWAY,
        traits=_AGENT_CALLERS,
        demands=tuple(
            Demand(f"spec.{path}", IS_CEL, "is not CEL", fails=False, reason=PARTIALLY_VALID)
            for path in _EXPRESSIONS
        ),
        # binds.rs; the API's comment has it the other way round.
        reach=Reach(before_routes=True),
        # kgateway-dev/kgateway, api/v1alpha1: BackendAuth takes a key inline.
        credentials=("spec.backend.auth.key",),
    ),
    _row(
        "AgentgatewayModel",
        references=(rows.parent_ref("spec.parentRefs[]", max_items=16),),
        needs=_NEEDS,
    ),
    _row("AgentgatewayBackend", needs=_NEEDS, parts=_PARTS),
)
