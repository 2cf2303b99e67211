"""NGINX Gateway Fabric's policies."""

from functools import partial

from msgspec.structs import replace

from spokerender.kinds import columns
from spokerender.kinds.kind import BACKEND_TLS, Ancestors, Controller, Kind, Targetless
from spokerender.kinds.merging import Fields, Merging, Names, Precedence, Process, Several
from spokerender.kinds.rows import any_object, ask_for, target_ref, target_refs

_APP_PROTECT = "appprotect.f5.com"
_ROUTES = ("HTTPRoute", "GRPCRoute")
_GATEWAY_OR_ROUTES = ("Gateway", *_ROUTES)

_SOURCE = "nginx/nginx-gateway-fabric e55bfe3, internal/controller"
_POLICIES = f"{_SOURCE}/nginx/config/policies"
_BY_AGE = Precedence(names=Names.PAIR)

NGINX = Controller(
    "NGINX Gateway Fabric",
    names=("gateway.nginx.org/nginx-gateway-controller",),
    # internal/controller/state/graph/policies.go, 16 of them at most; a target that is not there
    # is dropped.
    ancestors=Ancestors.TARGET,
    needs_target=True,
    affects=("{}Affected", "PolicyAffected"),  # state/graph/policies.go, addStatusToTargetRefs
    # One that names a port and one for the whole compete as if they were on one target.
    merges=(
        (
            BACKEND_TLS,
            Merging(
                Process.OLDEST,
                Several.ONE,
                first=_BY_AGE,
                source=f"{_SOURCE}/state/graph/backend_refs.go, selectBackendTLSPolicyForService",
            ),
        ),
    ),
    # It never takes a TCPRoute there.
    tls_listener=(("Passthrough", ("TLSRoute",)), ("Terminate", ("TLSRoute",))),
    # The same file: Accepted is False with TargetConflict, on any kind of policy for a route.
    refuses_overlap=True,
    # cmd/gateway/commands.go: the flags of its command.
    settings=(columns.Setting("snippets"), columns.Setting("payload-processor")),
    release="e55bfe3",
)

# `Conflicts` of each: a later policy that sets a field of an earlier one is refused whole. What is
# set for a server goes on to its locations, directive by directive.
_DISJOINT = Merging(Process.FIELDS, Several.DISJOINT, first=_BY_AGE)


def _disjoint(package: str, *rules: str, fields: Fields = _DISJOINT.fields) -> Merging:
    return replace(_DISJOINT, rules=rules, fields=fields, source=f"{_POLICIES}/{package}")


# Rules never conflict; those of a route take the place of all of the Gateway's (`limit_req`).
_RATES = _disjoint(
    "ratelimit",
    "rateLimit.dryRun",
    "rateLimit.local.rules",
    "rateLimit.logLevel",
    "rateLimit.rejectCode",
    fields=Fields(unites=("rateLimit.local.rules",)),
)
_OLDEST = Merging(
    Process.NONE, Several.ONE, first=_BY_AGE, source=f"{_SOURCE}/state/graph/policies.go"
)
# Never in conflict; but two on one target make each directive twice, and what nginx makes of that
# is not known.
_WAF = Merging(Process.FIELDS, Several.ALONE, source=f"{_POLICIES}/waf")
_SNIPPETS = Merging(
    Process.ALL,
    first=_BY_AGE,
    source=f"{_POLICIES}/snippetspolicy/validator.go",
)

_WAF_NEEDS = (
    columns.Need("spec.policySource.auth.secretRef"),
    columns.Need("spec.securityLogs[].logSource.auth.secretRef"),
    columns.Need("spec.policyRef.apPolicyRef", "APPolicy", _APP_PROTECT, namespace_key="namespace"),
    columns.Need(
        "spec.securityLogs[].logRef.apLogConfRef",
        "APLogConf",
        _APP_PROTECT,
        namespace_key="namespace",
    ),
)
_FILTERED = Merging(Process.ALL, source=f"{_SOURCE}/state/dataplane/configuration.go")
# A rule may name one only (internal/controller/state/graph/common_filter.go).
_AUTHENTICATED = Merging(
    counts=("basic", "jwt", "oidc"), source=f"{_SOURCE}/state/graph/authentication_filter.go"
)
_TOKENS = ("jwt", "oidc")
_AUTHENTICATION_NEEDS = (
    columns.Need("spec.basic.secretRef", keys=("auth",)),
    columns.Need("spec.jwt.file.secretRef", keys=("auth",)),
    columns.Need("spec.oidc.clientSecretRef", keys=("client-secret",)),
    columns.Need("spec.oidc.crlSecretRef", keys=("ca.crl",)),
    columns.Need("spec.oidc.caCertificateRefs[]", keys=("ca.crt",)),
    columns.Need("spec.jwt.remote.caCertificateRefs[]", keys=("ca.crt",)),
)


def _claims(token: str) -> tuple[columns.Scale, ...]:
    """Return the scales of rules about a token's claims, if any or all of the rules must hold."""
    rules = f"{token}.authorization.rules"
    all_of_them = ((f"{token}.authorization.require", ("All",)),)
    ways = ("Any", "All")
    return (
        columns.Scale(
            f"{token}.authorization.require", order=ways, unset="Any", entries_of="rules"
        ),
        columns.Scale(rules, entries="weaker", unset="open", unless=(all_of_them,)),
        columns.Scale(rules, entries="stricter", given=all_of_them),
        columns.Scale(f"{rules}[].require", order=ways, unset="Any", entries_of="claims"),
        columns.Scale(f"{rules}[].claims[].values", entries="weaker"),
    )


CONTROLLERS: tuple[Controller, ...] = (NGINX,)

_policy = partial(
    Kind,
    "gateway.nginx.org",
    versions=("v1alpha1",),
    references=(target_refs(unique=True),),
    controller=NGINX,
)


# For the rules of routes that name it in an ExtensionRef.
_filter = partial(
    _policy, references=(), security=True, targetless=Targetless.FILTER, targets=_ROUTES
)


def _unless(setting: str) -> columns.Demand:
    """Return the demand that a setting is on, without which a kind is ignored (manager.go)."""
    says = f"is read with --{setting} only"
    return columns.Demand("spec", "", says, fails=False, reason=columns.DISABLED, setting=setting)


def _needs_proxy(feature: str) -> columns.Unseen:
    """Return the field `spec`: the NginxProxy must have `feature` on (`ValidateGlobalSettings`)."""
    return columns.Unseen("spec", f"the NginxProxy of its gateways has to have {feature} on")


KINDS: tuple[Kind, ...] = (
    _policy(
        "ClientSettingsPolicy",
        references=(target_ref(),),
        targets=_GATEWAY_OR_ROUTES,
        merging=_disjoint("clientsettings", "body.*", "keepAlive.*"),
        # nginx, client_max_body_size and keepalive_requests: the defaults.
        traits=columns.Traits(
            scales=(
                columns.Scale(
                    "body.maxSize", "limits", number="weaker", unset="1m", unlimited=("0", 0)
                ),
                columns.Scale("keepAlive.requests", "limits", number="weaker", unset=1000),
            )
        ),
    ),
    _policy(
        "PayloadProcessor",
        references=(target_ref(),),
        needs=(
            columns.Need("spec.processors[].extProcess.authTokenRef"),
            any_object("spec.processors[].extProcess.backendRef", "Service"),
        ),
        targets=("Gateway", "HTTPRoute"),
        merging=_OLDEST,
        demands=(_unless("payload-processor"),),
    ),
    _policy(
        "ExternalLoadBalancer",
        references=(target_refs(max_items=1),),
        targets=("Gateway",),
        merging=_OLDEST,
    ),
    _policy(
        "ObservabilityPolicy",
        versions=("v1alpha2",),
        targets=_ROUTES,
        merging=_disjoint("observability"),
        unseen=(_needs_proxy("telemetry"),),
    ),
    _policy(
        "ProxySettingsPolicy",
        targets=_GATEWAY_OR_ROUTES,
        merging=_disjoint("proxysettings", "buffering.*", "timeout.*"),
    ),
    _policy(
        "RateLimitPolicy",
        security=True,
        targets=_GATEWAY_OR_ROUTES,
        merging=_RATES,
        traits=columns.Traits(
            guarding=(
                columns.Guarding(
                    "rateLimit.local.rules",
                    unless=((("rateLimit.dryRun", (True,)),),),
                    about="limits",
                ),
            ),
            scales=(
                columns.Scale("rateLimit.local.rules", "limits", entries="stricter"),
                columns.Scale("rateLimit.local.rules[].rate", "limits", rate=()),
                *(
                    columns.Scale(
                        f"rateLimit.local.rules[].{name}", "limits", number="weaker", unset=0
                    )
                    for name in ("burst", "delay")
                ),
                columns.Scale(
                    "rateLimit.local.rules[].noDelay", "limits", order=(True, False), unset=False
                ),
                columns.Scale("rateLimit.logLevel", is_name=True),
                columns.Scale("rateLimit.dryRun", "limits", order=(True, False), unset=False),
            ),
        ),
    ),
    # Configuration of the user's own, of which some denies.
    _policy(
        "SnippetsPolicy",
        security=True,
        targets=("Gateway",),
        merging=_SNIPPETS,
        demands=(_unless("snippets"),),
    ),
    _policy(
        "UpstreamSettingsPolicy",
        targets=("Service",),
        merging=_disjoint("upstreamsettings", "keepAlive.*"),
    ),
    _policy(
        "WAFPolicy",
        needs=_WAF_NEEDS,
        security=True,
        targets=_GATEWAY_OR_ROUTES,
        merging=_WAF,
        unseen=(_needs_proxy("WAF"),),
    ),
    _filter(
        "AuthenticationFilter",
        needs=_AUTHENTICATION_NEEDS,
        merging=_AUTHENTICATED,
        traits=columns.Traits(
            guards=True,
            checks=ask_for({"basic": "basic", "jwt": "jwt", "oidc": "oidc"}),
            guarding=(columns.Guarding("basic"), columns.Guarding("oidc"), columns.Guarding("jwt")),
            scales=(
                columns.Scale("basic.realm", is_name=True),
                columns.Scale("jwt.realm", is_name=True),
                columns.Scale("jwt.leeway", number="weaker"),
                *(scale for token in _TOKENS for scale in _claims(token)),
            ),
        ),
    ),
    # As a SnippetsPolicy.
    _filter("SnippetsFilter", merging=_FILTERED, demands=(_unless("snippets"),)),
    Kind("gateway.nginx.org", "NginxProxy", ("v1alpha2",)),
)
