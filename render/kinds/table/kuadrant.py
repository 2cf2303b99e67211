"""Kuadrant's policies (CRDs of kuadrant-operator v1.5)."""

from __future__ import annotations

from dataclasses import replace

from render.kinds.controllers import Controller, Reports, Sections
from render.kinds.kind import SECTION, Kind, Need
from render.kinds.merging import Merging, Process, Several, Ties
from render.kinds.rows import row, secret, target_ref
from render.kinds.traits import NO_TRAITS, Counters, Guarding, Records, Traits

CORE = "kuadrant.io"

# The RFC on policy sync: a synced copy says that it is one.
_SYNCED = (("kuadrant.io/policy-synced", "true"),)
_TARGET = (target_ref(section=SECTION),)

# Authorino resolves what an AuthPolicy names in the namespace of its own AuthConfigs.
_AUTHORINO = "in Authorino's namespace"
_AUTHORINO_OR_ALL = "in Authorino's namespace, or in every one with allNamespaces"

OPERATOR = "Kuadrant/kuadrant-operator ae69881"

KUADRANT = Controller(
    "Kuadrant",
    sections=Sections.POSITIONAL,
    within=True,
    listener_sets=False,
    reports=Reports.KUADRANT,
)

_RULES = ("spec.rules", "spec.defaults.rules", "spec.overrides.rules")
_SELECTED_SECRETS = ("authentication.*.apiKey.selector", "authentication.*.x509.selector")
_NAMED_SECRETS = (
    "authentication.*.oauth2Introspection.credentialsRef",
    "metadata.*.http.sharedSecretRef",
    "metadata.*.http.oauth2.clientSecretRef",
    "metadata.*.uma.credentialsRef",
    "authorization.*.opa.externalPolicy.sharedSecretRef",
    "authorization.*.opa.externalPolicy.oauth2.clientSecretRef",
    "authorization.*.spicedb.sharedSecretRef",
    "response.success.headers.*.wristband.signingKeyRefs[]",
    "response.success.filters.*.wristband.signingKeyRefs[]",
    "callbacks.*.http.sharedSecretRef",
    "callbacks.*.http.oauth2.clientSecretRef",
)
_AUTH_NEEDS = tuple(
    need
    for rules in _RULES
    for need in (
        *(
            Need(f"{rules}.{path}", selects=True, elsewhere=_AUTHORINO_OR_ALL)
            for path in _SELECTED_SECRETS
        ),
        *(Need(f"{rules}.{path}", elsewhere=_AUTHORINO) for path in _NAMED_SECRETS),
    )
)
_DNS_NEEDS = (
    secret("spec.providerRefs[]"),
    Need(
        "spec",
        labels=(("kuadrant.io/default-provider", "true"),),
        unless=("spec.providerRefs[]", "spec.delegate"),
    ),
    secret("spec.healthCheck.additionalHeadersRef"),
)
_ISSUER = Need("spec.issuerRef", "Issuer", "cert-manager.io", group_key="group", kind_key="kind")

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
    source=f"{OPERATOR}, api/v1/merge_strategies.go; api/v1/authpolicy_types.go",
)
_LIMITS = Merging(
    process=Process.KUADRANT,
    rules=("when", "limits.*"),
    substance="limits",
    condition="when",
    source=f"{OPERATOR}, api/v1/merge_strategies.go; api/v1/ratelimitpolicy_types.go",
)
# `isConflict` of both wants the other to be strictly older: equals are both carried out.
_ONE_EACH = Merging(
    process=Process.NONE,
    several=Several.ONE,
    ties=Ties.UNBROKEN,
    source=f"{OPERATOR}, isConflict",
)
# A policy that is in the path to no route is Accepted and not Enforced.
IDLE = Traits(needs_routes=True)
# Without authentication, or with one that is anonymous, nobody is asked who they are.
_GUARD = Traits(
    needs_routes=True,
    guards=True,
    guarding=(
        Guarding("rules.authorization"),
        Guarding("rules.authentication", unless=((("rules.authentication.*.anonymous", ()),),)),
    ),
)
# `Proper()` of both reads the block alone, and no rule of the CRDs refuses a `when` beside it.
_COUNTS = Traits(
    needs_routes=True,
    unheard=("when",),
    counters=Counters("limit.", "limits"),
    guarding=(Guarding("limits"),),
)
_TOKENS = replace(_COUNTS, counters=Counters("tokenlimit.", "limits"))
_CERTIFICATES = Traits(certificates=True)
_RECORDS = Traits(
    needs_routes=True,
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

GATEWAY = ("Gateway",)
WITH_HTTP = ("Gateway", "HTTPRoute")
WITH_ROUTES = ("Gateway", "HTTPRoute", "GRPCRoute")


def policy(  # noqa: PLR0913  (as many columns as these kinds differ in)
    group: str,
    kind: str,
    version: str,
    targets: tuple[str, ...],
    *,
    security: bool,
    needs: tuple[Need, ...] = (),
    merging: Merging | None = None,
    traits: Traits = NO_TRAITS,
) -> Kind:
    """A policy of Kuadrant's, of which a synced copy says that it is one."""
    return row(
        group,
        kind,
        version,
        references=_TARGET,
        needs=needs,
        security=security,
        annotations=_SYNCED,
        targets=targets,
        merging=merging,
        controller=KUADRANT,
        traits=traits,
    )


KINDS: tuple[Kind, ...] = (
    policy(
        CORE,
        "AuthPolicy",
        "v1",
        WITH_ROUTES,
        security=True,
        needs=_AUTH_NEEDS,
        merging=_AUTH_RULES,
        traits=_GUARD,
    ),
    policy(
        CORE,
        "RateLimitPolicy",
        "v1",
        WITH_ROUTES,
        security=True,
        merging=_LIMITS,
        traits=_COUNTS,
    ),
    policy(
        CORE,
        "TokenRateLimitPolicy",
        "v1alpha1",
        WITH_HTTP,
        security=True,
        merging=_LIMITS,
        traits=_TOKENS,
    ),
    policy(
        CORE,
        "TLSPolicy",
        "v1",
        GATEWAY,
        security=True,
        needs=(_ISSUER,),
        merging=_ONE_EACH,
        traits=_CERTIFICATES,
    ),
    policy(
        CORE,
        "DNSPolicy",
        "v1",
        GATEWAY,
        security=False,
        needs=_DNS_NEEDS,
        merging=_ONE_EACH,
        traits=_RECORDS,
    ),
    row(CORE, "Kuadrant", "v1beta1"),
    row(CORE, "DNSRecord", "v1alpha1"),
)
