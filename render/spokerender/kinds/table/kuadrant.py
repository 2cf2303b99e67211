"""Kuadrant's policies (CRDs of kuadrant-operator v1.5)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from spokerender.kinds.columns import (
    UNKNOWN,
    Counters,
    Demand,
    Everybody,
    Guarding,
    Need,
    Reach,
    Records,
    Scale,
    Traits,
)
from spokerender.kinds.kind import SECTION, Controller, FoundBy, Kind, Reports, Sections
from spokerender.kinds.merging import Merge, Merging, Process, Several, Ties, Writes
from spokerender.kinds.rows import ask_for, target_ref

# Authorino resolves what an AuthPolicy names in the namespace of its own AuthConfigs.
_AUTHORINO = "in Authorino's namespace"
_AUTHORINO_OR_ALL = "in Authorino's namespace, or in every one with allNamespaces"

# The rules are in `spec`, in its defaults or in its overrides.
_AUTH_NEEDS = (
    *(
        Need(f"spec.**.{way}.selector", selects=True, elsewhere=_AUTHORINO_OR_ALL)
        for way in ("apiKey", "x509")
    ),
    *(
        Need(f"spec.**.{field}", elsewhere=_AUTHORINO)
        for field in ("credentialsRef", "sharedSecretRef", "clientSecretRef", "signingKeyRefs[]")
    ),
)
_DNS_NEEDS = (
    Need("spec.providerRefs[]"),
    Need(
        "spec",
        labels=(("kuadrant.io/default-provider", "true"),),
        unless=("spec.providerRefs[]", "spec.delegate"),
    ),
    Need("spec.healthCheck.additionalHeadersRef"),
)
_ISSUER = Need("spec.issuerRef", "Issuer", "cert-manager.io", group_key="group", kind_key="kind")
# tls_workflow.go, LinkIssuerToTLSPolicy and LinkClusterIssuerToTLSPolicy
_KIND_OF_ISSUER = Demand(
    _ISSUER.path,
    "has(self.kind) && self.kind in ['Issuer', 'ClusterIssuer']",
    "has to say that its kind is Issuer or ClusterIssuer, or no issuer is found",
    fails=False,
)
# dnspolicy_types.go, ExcludeAddresses.Validate: any error but its own is of reason Unknown.
_EXCLUDED = Demand(
    "spec.excludeAddresses[]",
    "!self.contains('/') || isCIDR(self)",
    "is no CIDR",
    fails=False,
    reason=UNKNOWN,
)

_CORE = "kuadrant.io"

_OPERATOR = "Kuadrant/kuadrant-operator ae69881"

KUADRANT = Controller(
    "Kuadrant",
    # policy-machinery (v0.9.0) calls rules without a name by their position.
    sections=Sections.POSITIONAL,
    # internal/gatewayapi/utils.go; api/v1/merge_strategies.go, objectsInRequestPath: a path without
    # a hostname of the route within the listener's gets no configuration.
    within=True,
    # Neither the operator nor policy-machinery knows ListenerSets: their listeners are on no path.
    listener_sets=False,
    reports=Reports.KUADRANT,
    # internal/controller, common.go, gateway_ and route_policy_discoverability_reconciler.go.
    affects=("kuadrant.io/{}Affected", "Accepted"),
    affects_below=True,
)

# kuadrant-operator, `Rules()` of each kind: what is merged as one, and never split.
_AUTH_RULES = Merging(
    process=Process.KUADRANT,
    rules=(
        "patterns.*",
        "when",
        "rules.authentication.*",
        "rules.metadata.*",
        "rules.authorization.*",
        "rules.callbacks.*",
        "rules.response.unauthenticated",
        "rules.response.unauthorized",
        "rules.response.success.headers.*",
        "rules.response.success.filters.*",
    ),
    substance="rules",
    condition="when",
    variable="auth",
    source=f"{_OPERATOR}, api/v1/merge_strategies.go; api/v1/authpolicy_types.go",
)
_LIMITS = Merging(
    process=Process.KUADRANT,
    rules=("when", "limits.*"),
    substance="limits",
    condition="when",
    variable="ratelimit",
    source=f"{_OPERATOR}, api/v1/merge_strategies.go; api/v1/ratelimitpolicy_types.go",
)
# `isConflict` of both wants the other to be strictly older: equals are both carried out.
_ONE_EACH = Merging(
    process=Process.NONE,
    several=Several.ONE,
    ties=Ties.UNBROKEN,
    source=f"{_OPERATOR}, isConflict",
)
# It makes an AuthPolicy of its name, with overrides that merge; and a route for the callback.
_OIDC = Merging(
    process=Process.KUADRANT,
    writes=Writes(
        _CORE,
        "AuthPolicy",
        Merge.MERGE,
        rules=(
            ("rules.authentication.oidc", "provider"),
            ("rules.authentication.oidc", "auth.tokenSource"),
            ("rules.authorization.oidc", "auth.claims"),
            ("rules.response.unauthenticated", "provider"),
        ),
        overrides=True,
    ),
    source=f"{_OPERATOR}, cmd/extensions/oidc-policy",
)
_WINDOWS = (("daily", "24h"), ("weekly", "168h"), ("monthly", "730h"), ("yearly", "8760h"))


def _write_limit(plan: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the limit that is written for a plan (planpolicy_types.go, ToRateLimits)."""
    limits = plan.get("limits") or {}
    rates = [{"limit": limits[key], "window": window} for key, window in _WINDOWS if key in limits]
    when = [{"predicate": f'auth.kuadrant.plan == "{plan.get("tier")}"'}]
    return {"when": when, "rates": [*rates, *limits.get("custom", ())]}


# It makes a bare RateLimitPolicy of its name.
_PLAN = Merging(
    process=Process.KUADRANT,
    writes=Writes(
        _CORE,
        "RateLimitPolicy",
        Merge.ATOMIC,
        rules=(("limits.*", "plans[]"),),
        name="tier",
        derive=_write_limit,
        is_vital=True,
    ),
    source=f"{_OPERATOR}, cmd/extensions/plan-policy",
)
_SEVERAL_UNKNOWN = Merging(
    Process.ALONE, Several.ALONE, source=f"{_OPERATOR}: what several come to is not known"
)

# A policy that is in the path to no route is Accepted and not Enforced.
_IDLE = Traits(needs_routes=True)
_ASKS = Traits(needs_routes=True, guards=True)
_WAYS, _SELECTED = "rules.authentication.*", "selector.matchLabels.*"
# Without authentication, or with one that is anonymous, nobody is asked who they are.
_GUARD = Traits(
    needs_routes=True,
    guards=True,
    off=frozenset({"insecure"}),
    named=("patterns", "patternRef", "allOf"),
    issuers=tuple(
        f"{proper}.rules.authentication.*.jwt.issuerUrl"
        for proper in ("spec", "spec.defaults", "spec.overrides")
    ),
    guarding=(
        # Authorino asks who calls before it asks what the caller may do (auth_pipeline.go).
        Guarding(
            "rules.authentication",
            unless=((("rules.authentication.*.anonymous", ()),),),
            rules="rules.authentication.*",
            when=("when[]",),
            several="any",
            answers="rules.response.unauthenticated.code",
            # Authorino, docs/features.md: `plain` takes what is there for an identity.
            everybody=Everybody(
                "rules.authentication.*",
                headers=("plain",),
                selectors=("apiKey",),
                aside=("credentials", "priority", "metrics", "cache", "defaults", "overrides"),
            ),
        ),
        Guarding(
            "rules.authorization",
            rules="rules.authorization.*",
            when=("when[]",),
            asks=("patternMatching.patterns", "opa.rego"),
            several="all",
            answers="rules.response.unauthorized.code",
        ),
    ),
    # Authorino, docs/features.md.
    checks=(
        *ask_for({f"{_WAYS}.apiKey": "apiKey", f"{_WAYS}.x509": "certificate"}, _SELECTED),
        *ask_for({f"{_WAYS}.jwt": "jwt"}, "issuerUrl"),
        *ask_for({f"{_WAYS}.kubernetesTokenReview": "token"}, "audiences[]"),
        *ask_for({f"{_WAYS}.oauth2Introspection": "oauth2"}, "endpoint"),
    ),
    # Authorino asks every rule, and one that says no is enough.
    narrowing=("rules.authorization.*",),
    scales=(
        # For Prometheus alone (Authorino, api/v1beta3).
        *(
            Scale(f"rules.{phase}.*.metrics", is_name=True)
            for phase in ("authentication", "metadata", "authorization", "callbacks")
        ),
        Scale("rules.authentication.*.apiKey.allNamespaces", order=(True, False), unset=False),
        Scale("rules.authentication.*.x509.allNamespaces", order=(True, False), unset=False),
        *(
            Scale(f"rules.authentication.*.{way}.selector.{labels}", entries="stricter")
            for way in ("apiKey", "x509")
            for labels in ("matchLabels", "matchExpressions")
        ),
        # One of them is enough (kubernetes, TokenReviewSpec); without one, the host that is called.
        Scale(
            "rules.authentication.*.kubernetesTokenReview.audiences",
            entries="weaker",
            unset="other",
        ),
        *(
            Scale(f"rules.{phase}.*.cache.ttl", number="weaker", unset=0)
            for phase in ("authentication", "authorization")
        ),
    ),
)
# `Proper()` of both reads the block alone, and no rule of the CRDs refuses a `when` beside it.
_COUNTS = Traits(
    needs_routes=True,
    unheard=("when",),
    counters=Counters("limit.", "limits", services=(("ratelimit-service", ""),)),
    guarding=(
        Guarding("limits", rules="limits.*", when=("when[]",), several="all", about="limits"),
    ),
    scales=(
        Scale("limits.*.rates", "limits", rate=("limit", "window")),
        # Each value of a counter has a count of its own.
        Scale("limits.*.counters", "limits", entries="weaker"),
    ),
)
# Neither this kind nor OIDCPolicy has `when`: a plan has the condition of whom it is for.
_PLANS = replace(
    _IDLE,
    guarding=(
        Guarding("limits", rules="limits.*", when=("predicate",), several="first", about="limits"),
    ),
    scales=(
        *(
            Scale(f"limits.*.limits.{name}", "limits", number="weaker")
            for name in ("daily", "weekly", "monthly", "yearly")
        ),
        Scale("limits.*.limits.custom", "limits", rate=("limit", "window")),
    ),
)
# tokenratelimitpolicy_status_updater.go
_OF_TOKENS = (
    ("ratelimit-check-service", "0"),
    ("ratelimit-report-service", 'responseBodyJSON("/usage/total_tokens")'),
)
_TOKENS = replace(
    _COUNTS, counters=Counters("tokenlimit.", "limits", services=_OF_TOKENS), each_alone=True
)
_RECORDS = Traits(
    needs_routes=True,
    off=frozenset({"delegate", "defaultGeo"}),
    records=Records(
        balancing="spec.loadBalancing",
        geo="spec.loadBalancing.geo",
        weight="spec.loadBalancing.weight",
        default="spec.loadBalancing.defaultGeo",
        delegate="spec.delegate",
        # Route 53's codes of continents; the others are no code of ISO 3166-1.
        continents=("AF", "AN", "AS", "EU", "NA", "OC", "SA"),
        countries=("AF", "AS", "NA", "SA"),
        prefix="GEO-",
    ),
)

# It configures the filters of these two; elsewhere a policy is Accepted and never Enforced.
_ENFORCED = Reach(controllers=("Istio", "Envoy Gateway"))
_WITH_HTTP = ("Gateway", "HTTPRoute")
_WITH_ROUTES = ("Gateway", "HTTPRoute", "GRPCRoute")

CONTROLLERS: tuple[Controller, ...] = (KUADRANT,)

_any_policy = partial(
    Kind,
    versions=("v1",),
    references=(target_ref(section=SECTION),),
    # The RFC on policy sync: a synced copy says that it is one.
    annotations=(("kuadrant.io/policy-synced", "true"),),
    targets=("Gateway",),
    controller=KUADRANT,
)
_policy = partial(_any_policy, _CORE)
_enforced = partial(_policy, reach=_ENFORCED, found_by=FoundBy.PLUGIN)
_extension = partial(_any_policy, "extensions.kuadrant.io", versions=("v1alpha1",), reach=_ENFORCED)

KINDS: tuple[Kind, ...] = (
    _enforced(
        "AuthPolicy",
        targets=_WITH_ROUTES,
        security=True,
        needs=_AUTH_NEEDS,
        merging=_AUTH_RULES,
        traits=_GUARD,
    ),
    _enforced(
        "RateLimitPolicy",
        targets=_WITH_ROUTES,
        security=True,
        merging=_LIMITS,
        traits=_COUNTS,
    ),
    _enforced(
        "TokenRateLimitPolicy",
        versions=("v1alpha1",),
        targets=_WITH_HTTP,
        security=True,
        merging=_LIMITS,
        traits=_TOKENS,
    ),
    _policy(
        "TLSPolicy",
        security=True,
        needs=(_ISSUER,),
        demanded=(_ISSUER.path,),
        demands=(_KIND_OF_ISSUER,),
        merging=_ONE_EACH,
        traits=Traits(certificates=True, guarding=(Guarding("*", about="encryption"),)),
    ),
    _policy(
        "DNSPolicy", needs=_DNS_NEEDS, demands=(_EXCLUDED,), merging=_ONE_EACH, traits=_RECORDS
    ),
    _extension("OIDCPolicy", targets=_WITH_HTTP, security=True, merging=_OIDC, traits=_ASKS),
    _extension("PlanPolicy", targets=_WITH_ROUTES, security=True, merging=_PLAN, traits=_PLANS),
    _extension(
        "ThreatPolicy",
        targets=_WITH_HTTP,
        security=True,
        merging=_SEVERAL_UNKNOWN,
        traits=replace(_IDLE, guarding=(Guarding("*"),)),
    ),
    _extension("TelemetryPolicy", merging=_SEVERAL_UNKNOWN),
    Kind(_CORE, "Kuadrant", ("v1beta1",)),
    Kind(_CORE, "DNSRecord", ("v1alpha1",)),
)
