"""Other projects whose objects reference Gateways, or seem to."""

from functools import partial

from msgspec.structs import replace

from spokerender.kinds.columns import (
    About,
    Everybody,
    Guarding,
    Need,
    PortSharing,
    Reach,
    Scale,
    Traits,
    Trust,
)
from spokerender.kinds.kind import (
    BACKEND_TLS,
    SECTION,
    Controller,
    Kind,
    NamespaceRule,
    Sections,
    Targetless,
)
from spokerender.kinds.merging import Fields, Merging, Names, Order, Precedence, Process, Several
from spokerender.kinds.routing import ListenerRules, RoutingRules
from spokerender.kinds.rows import (
    ask_for,
    backend_ref,
    label_selector,
    parent_ref,
    target_ref,
    target_refs,
)
from spokerender.model.refs import CONFIG_MAP, GATEWAY_API, SECRET, SERVICE

# Traefik's rules for routes and listeners, where the Gateway API has none.
_HEADERS = ("RequestHeaderModifier", "ResponseHeaderModifier")
_HTTP = (*_HEADERS, "RequestRedirect", "URLRewrite", "ExtensionRef")
_NOT_HERE = (("Programmed", False, "Invalid"), ("ResolvedRefs", False, ""))
TRAEFIK_ROUTING = RoutingRules(
    backends=(SERVICE, ("traefik.io", "TraefikService")),
    filters=(("HTTPRoute", _HTTP), ("GRPCRoute", ("RequestHeaderModifier", "ExtensionRef"))),
    backend_filters=(("HTTPRoute", _HTTP),),
    extensions=(("traefik.io", "Middleware"),),
    wrong_filter=("ResolvedRefs", ""),
    wrong_backend_filter="InvalidKind",
    checks=("grant", "kind", "port"),
    checks_on=(
        ("HTTPRoute", ("grant", "filters", "kind", "port", "tls")),
        ("GRPCRoute", ("kind", "grant", "port")),
    ),
    wrong_tls="RefNotPermitted",
    no_port="UnsupportedProtocol",
    external_name="BackendNotFound",
    last=True,
    hostnames_last=True,  # httproute.go, buildMatchRule: priorities of routers
    listeners=ListenerRules(
        protocols=("HTTP", "HTTPS", "TLS", "TCP"),
        switched=(("TCP", "its setting experimentalChannel"),),
        outcomes=(
            ("UnsupportedProtocol", (("Accepted", False, ""),)),
            ("InvalidRouteKinds", (("ResolvedRefs", False, ""),)),
            ("WithoutTLS", (("Accepted", False, "InvalidTLSConfiguration"),)),
            ("InvalidCertificateRef", _NOT_HERE),
            ("RefNotPermitted", _NOT_HERE),
        ),
        completes=False,
        first_alone=True,
        needs_sound=True,
    ),
    source="traefik/traefik v3.7.13, pkg/provider/kubernetes/gateway",
)


_LINKERD = "policy.linkerd.io"
_CERT_MANAGER = "cert-manager.io"
_MONITORING = "monitoring.coreos.com"

_GATEWAY_REF = target_ref(
    path="spec.gatewayRef", namespace=NamespaceRule.ANY, group=GATEWAY_API, kind="Gateway"
)
_SOLVERS = (parent_ref("spec.acme.solvers[].http01.gatewayHTTPRoute.parentRefs[]"),)
# Traefik has no policies of its own. TCP, and TCPRoutes, are for its experimental channel.
TRAEFIK = Controller(
    "Traefik",
    names=("traefik.io/gateway-controller",),
    listener_sets=False,
    # By age and name alone: a policy for a port has no precedence.
    merges=(
        (
            BACKEND_TLS,
            Merging(
                Process.OLDEST,
                Several.ONE,
                first=Precedence(names=Names.PAIR),
                source="traefik/traefik fd5a576, pkg/provider/kubernetes/gateway/httproute.go",
            ),
        ),
    ),
    trust=Trust((CONFIG_MAP, SECRET), every=True),
    tls_listener=(("Passthrough", ("TLSRoute",)), ("Terminate", ("TLSRoute",))),
    routing=TRAEFIK_ROUTING,
    # It only refuses a second listener of the same port, protocol and hostname, as CRDs do.
    sharing=PortSharing(families=(), apart=("HTTP", "HTTPS", "TLS", "TCP", "UDP"), first_wins=True),
)
# Its routes look for their policies (internal/controller/policies.go): what no route finds has no
# status.
APACHE = Controller(
    "APISIX", names=("apisix.apache.org/apisix-ingress-controller",), needs_target=True
)
LINKERD_POLICY = Controller("Linkerd")
_INGRESS = "apache/apisix-ingress-controller d510f66"
_STATUS = "linkerd/linkerd2 b24cd40, policy-controller/k8s/status/src/index.rs"
_MONITORED = label_selector("spec.selector")

_apisix = partial(
    Kind,
    "apisix.apache.org",
    versions=("v1alpha1",),
    references=(target_refs(section=SECTION),),
    controller=APACHE,
)

# apache/apisix, apisix/plugins: those that ask who calls, and those that count requests.
_ASKING_PLUGINS = (
    *("key-auth", "basic-auth", "jwt-auth", "jwe-decrypt", "hmac-auth", "ldap-auth", "multi-auth"),
    *("openid-connect", "cas-auth", "saml-auth", "wolf-rbac", "forward-auth", "opa"),
    *("authz-keycloak", "authz-casdoor", "authz-casbin", "consumer-restriction", "acl"),
    *("ip-restriction", "ua-restriction", "referer-restriction", "uri-blocker"),
)
_COUNTING_PLUGINS = ("limit-count", "limit-req", "limit-conn")


def _plugin(name: str, about: About = "access") -> Guarding:
    config = f"plugins.{name}.config"
    # Who is nobody may call as somebody; and of openid-connect, whoever is not known.
    off = (
        ((f"{config}._meta.disable", (True,)),),
        ((f"{config}.anonymous_consumer", ()),),
        ((f"{config}.unauth_action", ("pass",)),),
    )
    everybody = Everybody(f"plugins.{name}.config", networks=("whitelist",), aside=("message",))
    lets = everybody if name == "ip-restriction" else None
    return Guarding(
        f"plugins.{name}",
        unless=off,
        about=about,
        everybody=lets,
        lapses=(f"{config}.allow_degradation", (True,)),
    )


def _of_plugin(field: str) -> str:
    return f"plugins.*.config.{field}"


_LAYER_4 = ("TCPRoute", "UDPRoute", "TLSRoute")

APISIX: tuple[Kind, ...] = (
    # A port's before the whole's; of two on the same nothing orders them.
    _apisix(
        "BackendTrafficPolicy",
        targets=("Service",),
        merging=Merging(
            Process.NONE,
            Several.ONE,
            first=Precedence(order=Order.UNORDERED),
            source=_INGRESS,
        ),
    ),
    _apisix(
        "Consumer",
        references=(_GATEWAY_REF,),
        needs=(Need("spec.credentials[].secretRef", namespace_key="namespace"),),
        # A gateway has many consumers.
        merging=Merging(Process.ALL, source=_INGRESS),
        targets=("Gateway",),
        # apache/apisix-ingress-controller, api/v1alpha1/consumer_types.go: inline ones.
        credentials=("spec.credentials[].config", "spec.plugins[].config"),
    ),
    # On one rule they hold together if they have one priority, and else none of them on the route.
    _apisix(
        "HTTPRoutePolicy",
        targets=("HTTPRoute",),
        merging=Merging(
            Process.ALL,
            Several.EQUAL,
            equal="priority",
            source=f"{_INGRESS}/internal/controller/httproutepolicy.go",
        ),
    ),
    # For the rules of routes that name it in an ExtensionRef: of two plugins of a name the last.
    _apisix(
        "PluginConfig",
        references=(),
        security=True,
        targets=("HTTPRoute", "GRPCRoute"),
        targetless=Targetless.FILTER,
        merging=Merging(
            Process.FIELDS,
            rules=("plugins[name]",),
            fields=Fields(general=("plugins.*",)),
            source=f"{_INGRESS}/internal/adc/translator/httproute.go",
        ),
        traits=Traits(
            guards=True,
            guarding=tuple(map(_plugin, _ASKING_PLUGINS)),
            besides=(
                *(_plugin(name, "limits") for name in _COUNTING_PLUGINS),
                *map(_plugin, ("csrf", "request-validation")),
            ),
            scales=(
                Scale(_of_plugin("whitelist"), entries="weaker", unset="open"),
                Scale(_of_plugin("blacklist"), entries="stricter"),
                Scale(_of_plugin("count"), "limits", number="weaker"),
                Scale(_of_plugin("time_window"), "limits", number="stricter"),
                Scale(_of_plugin("rate"), "limits", number="weaker"),
                Scale(_of_plugin("conn"), "limits", number="weaker"),
                Scale(_of_plugin("burst"), "limits", number="weaker"),
                *(
                    Scale(
                        f"plugins.{name}.config.allow_degradation",
                        "limits" if name in _COUNTING_PLUGINS else "access",
                        order=(True, False),
                        unset=False,
                    )
                    for name in ("forward-auth", *_COUNTING_PLUGINS)
                ),
                Scale(_of_plugin("block_rules"), entries="stricter"),
            ),
        ),
        # Its plugins have what they call others with.
        credentials=("spec.plugins[].config",),
    ),
    # Its plugins may restrict who gets in.
    _apisix(
        "L4RoutePolicy",
        security=True,
        targets=_LAYER_4,
        merging=Merging(Process.NONE, Several.ONE, source=_INGRESS),
        # A reference with a section name is passed over (internal/controller/policies.go).
        controller=replace(APACHE, sections=Sections.IGNORED),
    ),
)

_linkerd = partial(
    Kind,
    _LINKERD,
    versions=("v1alpha1",),
    references=(target_ref(),),
    security=True,
    controller=LINKERD_POLICY,
)

# Linkerd's default group is its own: without a group, nothing here names the Gateway API.
LINKERD: tuple[Kind, ...] = (
    # A request needs one that admits it, whichever. It opens rather than guards: a Server denies
    # what nothing authorizes, and what has no Server is no affair of a Gateway's paths.
    _linkerd(
        "AuthorizationPolicy",
        merging=Merging(Process.ALL, source="linkerd/linkerd2 b24cd40, policy-controller"),
        targets=("Server", "HTTPRoute", "GRPCRoute", "Namespace"),
        reach=Reach(beside=("Server", "Namespace")),
        # Whoever it admits has passed all of them.
        traits=Traits(scales=(Scale("requiredAuthenticationRefs", entries="stricter"),)),
    ),
    _linkerd(
        "HTTPLocalRateLimitPolicy",
        targets=("Server",),
        merging=Merging(
            Process.NONE,
            Several.ONE,
            first=Precedence(names=Names.NAME),
            refusal="RateLimitReasonAlreadyExists",
            source=_STATUS,
        ),
        reach=Reach(beside=("Server",)),
    ),
    Kind(
        _LINKERD,
        "HTTPRoute",
        ("v1beta3", "v1beta2", "v1beta1", "v1alpha1"),
        references=(
            parent_ref("spec.parentRefs[]", group=_LINKERD, max_items=32),
            backend_ref("spec.rules[].backendRefs[]"),
        ),
    ),
)

_SAID = ("ipStrategy", "rejectStatusCode")
# For the rules of routes that name it in an ExtensionRef; each of them is one step of a chain.
MIDDLEWARE = Kind(
    "traefik.io",
    "Middleware",
    ("v1alpha1",),
    needs=(
        *(Need(f"spec.{field}", name="secret") for field in ("basicAuth", "digestAuth")),
        Need("spec.forwardAuth.tls", name="caSecret"),
        Need("spec.forwardAuth.tls", name="certSecret"),
        Need("spec.chain.middlewares[]", "Middleware", "traefik.io", namespace_key="namespace"),
    ),
    security=True,
    targets=("HTTPRoute", "GRPCRoute"),
    targetless=Targetless.FILTER,
    merging=Merging(
        Process.ALL, source="traefik/traefik v3.7.13, pkg/provider/kubernetes/gateway/httproute.go"
    ),
    controller=TRAEFIK,
    traits=Traits(
        guards=True,
        checks=ask_for({"basicAuth": "basic"}),
        guarding=(
            *map(Guarding, ("basicAuth", "digestAuth", "forwardAuth")),
            *(
                Guarding(name, everybody=Everybody(name, networks=("sourceRange",), aside=_SAID))
                for name in ("ipAllowList", "ipWhiteList")
            ),
        ),
        besides=(
            Guarding("rateLimit", unless=((("rateLimit.average", (0, None)),),), about="limits"),
            Guarding("inFlightReq", about="limits"),
        ),
        scales=(
            Scale("ipAllowList.sourceRange", entries="weaker"),
            Scale("ipWhiteList.sourceRange", entries="weaker"),
            *(
                Scale(f"forwardAuth.{name}", order=(True, False), unset=False)
                for name in ("trustForwardHeader", "tls.insecureSkipVerify")
            ),
            Scale("basicAuth.realm", is_name=True),
            Scale("digestAuth.realm", is_name=True),
            Scale("rateLimit", "limits", average=(("average", None), ("period", "1s"))),
            Scale("rateLimit.burst", "limits", number="weaker", unset=1),
            Scale("inFlightReq.amount", "limits", number="weaker"),
            Scale(
                "buffering.maxRequestBodyBytes", "limits", number="weaker", unset=0, unlimited=(0,)
            ),
        ),
    ),
)

CONTROLLERS: tuple[Controller, ...] = (APACHE, LINKERD_POLICY, TRAEFIK)

KINDS: tuple[Kind, ...] = (
    *APISIX,
    *LINKERD,
    MIDDLEWARE,
    Kind(_CERT_MANAGER, "Issuer", ("v1",), references=_SOLVERS),
    Kind(_CERT_MANAGER, "ClusterIssuer", ("v1",), namespaced=False, references=_SOLVERS),
    Kind(_CERT_MANAGER, "Certificate", ("v1",)),
    # A Canary's targetRef is a Deployment.
    Kind(
        "flagger.app",
        "Canary",
        ("v1beta1",),
        plural="canaries",
        references=(parent_ref("spec.service.gatewayRefs[]"),),
    ),
    Kind(_MONITORING, "PodMonitor", ("v1",), references=_MONITORED),
    Kind(_MONITORING, "ServiceMonitor", ("v1",), references=_MONITORED),
)
