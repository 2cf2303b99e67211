"""kgateway.

The first kgateway policies had `targetRef`; from v2.0 on they have `targetRefs` and
`targetSelectors`, and later also section names. The rows accept all of these.
"""

from functools import partial

from msgspec.structs import replace

from spokerender.kinds import kind, rows
from spokerender.kinds.columns import (
    NOTHING,
    About,
    Demand,
    Everybody,
    FieldCondition,
    Guarding,
    Need,
    Scale,
    Setting,
    Traits,
    Unseen,
)
from spokerender.kinds.merging import Apart, Fields, Merging, Names, Precedence, Process, Rank

_KGATEWAY = "gateway.kgateway.dev"
_EXTENDING = (
    *(("extAuth", "extAuth"), ("extProc", "extProc"), ("jwtAuth", "jwt"), ("oauth2", "oauth2")),
    ("rateLimit.global", "rateLimit"),
)


# The same names in policies, extensions and backends.
_NEEDS = (
    rows.any_object("spec.**.secretRef"),
    *(rows.any_object(f"spec.**.{field}", "Service") for field in ("backendRef", "jwksBackendRef")),
    rows.any_object("spec.**.caCertificateRefs[]", "ConfigMap"),
    rows.local_object("spec.**.configMapRef", "ConfigMap"),
    Need("spec.**.clientSecretRef"),
)
_EXTENSIONS = tuple(
    Need(
        f"spec.{field}.extensionRef",
        "GatewayExtension",
        _KGATEWAY,
        namespace_key="namespace",
        is_granted=False,
        part=part,
    )
    for field, part in _EXTENDING
)
_FAILING: tuple[tuple[str, About, bool], ...] = (
    *(("extAuth", "access", False), ("extProc", "access", False)),
    ("rateLimit.global", "limits", True),
)
_TARGETS: tuple[kind.ReferencePath, ...] = (
    rows.target_refs(section=kind.SECTION),
    rows.target_selectors(section=kind.SECTION),
)
_EVER_SINCE = (rows.target_ref(), *_TARGETS)
_LISTENERS = ("Gateway", "ListenerSet", "XListenerSet")

_KGATEWAY_SOURCE = "kgateway 48460f7"

# The chart's `controller.policyMerge`, which becomes KGW_POLICY_MERGE.
_MERGE = "policyMerge.trafficPolicy"
_DEEP = ("extAuth", "extProc", "transformation")

KGATEWAY = kind.Controller(
    "kgateway",
    names=("kgateway.dev/kgateway",),
    classes=("kgateway", "kgateway-waypoint"),
    reports=kind.Reports.KGATEWAY,
    valid="Valid",  # pkg/reports/policy.go, and api/v1alpha1/shared, PolicyReasonValid
    ancestors=kind.Ancestors.HOLDER,
    delegates=True,
    # pkg/pluginsdk/policy, errors of a policy: routes with it answer 500.
    needs_all=True,
    # pkg/krtcollections/policy.go reads the annotation from HTTPRoutes. On a Gateway it does
    # nothing, though the documentation says so.
    inherits=True,
    settings=tuple(Setting(f"{_MERGE}.{field}", ("ShallowMerge", "DeepMerge")) for field in _DEEP),
    release="48460f7",
    # Its releases up to 2.1 had agentgateway's proxy as one of their own.
    beside=("agentgateway",),
)
# Field by field, the older one preferred; nobody is refused.
_FIELDS = Merging(
    Process.FIELDS,
    first=Precedence(names=Names.PAIR),
    source=f"{_KGATEWAY_SOURCE}, pkg/pluginsdk/policy/merge.go",
)
# A policy's own weight comes before its age. Two providers of a gateway and of a route both run.
_WEIGHED = replace(
    _FIELDS,
    rules=("rateLimit.*",),
    first=Precedence(
        names=Names.PAIR,
        rank=Rank(("metadata", "annotations", "kgateway.dev/policy-weight"), highest_first=True),
    ),
    fields=Fields(
        apart=(
            Apart("extAuth", "extAuth.extensionRef.name", sides=True),
            Apart("extProc", "extProc.extensionRef.name", sides=True),
        ),
        # extensions2/plugins/trafficpolicy/merge.go, TrafficPolicyMergeOpts.
        deep=tuple((field, f"{_MERGE}.{field}") for field in _DEEP),
        # api/v1alpha1/kgateway, ACL: united, unless they differ in what can't be.
        opaque=("acl",),
    ),
    source=f"{_KGATEWAY_SOURCE}, pkg/krtcollections/policy.go; translator/irtranslator/route.go",
)
_LISTENER_FIELDS = replace(
    _FIELDS,
    rules=("default.httpSettings.*", "default.*", "perPort[port].*"),
    source=f"{_KGATEWAY_SOURCE}, pkg/pluginsdk/policy/merge.go",
)
_BACKEND_FIELDS = replace(_FIELDS, source=f"{_KGATEWAY_SOURCE}, backendconfigpolicy/merge.go")


def _unless_disabled(field: str, lapses: FieldCondition | None = None) -> Guarding:
    return Guarding(field, unless=(((f"{field}.disable", ()),),), lapses=lapses)


# Its rate limits guard as well, but say nothing of who may call.
_CALLERS = Traits(
    guards=True,
    checks=rows.ask_for({"apiKeyAuth": "apiKey", "basicAuth": "basic", "jwtAuth": "jwt"}),
    guarding=(
        *map(_unless_disabled, ("apiKeyAuth", "basicAuth", "oauth2")),
        # api/v1alpha1/kgateway/gateway_extensions_types.go.
        _unless_disabled("extAuth", ("extAuth.extensionRef.failOpen", (True,))),
        _unless_disabled("jwtAuth", ("jwtAuth.extensionRef.validationMode", ("AllowMissing",))),
        *rows.guard_by_rules("rbac"),
        Guarding(
            "acl",
            unless=((("acl.defaultAction", ("Allow",)),),),
            everybody=Everybody(
                "acl.rules[]",
                ("action", ("Allow",)),
                networks=("cidrs",),
                aside=("name", "action"),
            ),
        ),
        # As its translation calls them (pluginsdk/ir), and what is written about it.
        *map(_unless_disabled, ("jwt", "oidc")),
        Guarding("httpACL"),
    ),
    besides=(
        # Its documentation: an empty `local` switches a limit from above off.
        Guarding(
            "rateLimit",
            unless=(
                (("rateLimit.local", (NOTHING,)), ("rateLimit.global", (None,))),
                (
                    ("rateLimit.global.descriptors", (NOTHING,)),
                    ("rateLimit.local", (None, NOTHING)),
                ),
            ),
            about="limits",
        ),
        # What is shadowed is counted, and not refused.
        Guarding(
            "csrf",
            unless=((("csrf.percentageShadowed", ()),), (("csrf.percentageEnabled", (0,)),)),
        ),
    ),
    scales=(
        *rows.rank_expressions("rbac"),
        *(
            Scale(f"{field}.extensionRef.failOpen", about, order=(True, False), unset=unset)
            for field, about, unset in _FAILING
        ),
        Scale(
            "jwtAuth.extensionRef.validationMode", order=("AllowMissing", "Strict"), unset="Strict"
        ),
        Scale("rateLimit.local.tokenBucket.maxTokens", "limits", number="weaker"),
        Scale("rateLimit.local.tokenBucket.tokensPerFill", "limits", number="weaker", unset=1),
        Scale("rateLimit.local.tokenBucket.fillInterval", "limits", number="stricter"),
        Scale("cors.allowOrigins", entries="weaker", wildcards=True),
        Scale("cors.allowCredentials", order=(True, False), unset=False),
        Scale("basicAuth.users", entries="weaker"),
        Scale("apiKeyAuth.keySources", entries="weaker", unset="other"),
        Scale("acl.defaultAction", order=("Allow", "Deny")),
        Scale(
            "acl.rules[].cidrs", entries="weaker", unless=((("acl.rules[].action", ("Deny",)),),)
        ),
        Scale(
            "acl.rules[].cidrs", entries="stricter", unless=((("acl.rules[].action", ("Allow",)),),)
        ),
        Scale("csrf.percentageEnabled", number="stricter"),
        Scale("csrf.additionalOrigins", entries="weaker"),
        Scale("buffer.maxRequestSize", "limits", number="weaker", unlimited=(None,)),
    ),
)
CONTROLLERS: tuple[kind.Controller, ...] = (KGATEWAY,)

_row = partial(kind.Kind, _KGATEWAY, versions=("v1alpha1",))
_policy = partial(_row, references=_EVER_SINCE, controller=KGATEWAY)

KINDS: tuple[kind.Kind, ...] = (
    # Without a target it is for the rules of routes that name it in an ExtensionRef.
    _policy(
        "TrafficPolicy",
        references=_TARGETS,
        needs=(*_EXTENSIONS, *_NEEDS),
        demands=(
            Demand(
                "spec.acl.rules[].cidrs[]",
                "!self.contains('/') || cidr(self) == cidr(self).masked()",
                "has to be a network without bits of hosts",
            ),
            # CEL of its CRD (api/v1alpha1/kgateway/traffic_policy_types.go).
            *(
                Demand(f"spec.{field}", "", "is for routes", targets=_LISTENERS, fails=False)
                for field in ("autoHostRewrite", "urlRewrite", "tracing", "statPrefix")
            ),
            Demand(
                "spec",
                "!has(self.retry) || !has(self.targetRefs) || "
                "self.targetRefs.all(t, t.kind != 'Gateway' || has(t.sectionName))",
                "has retry for a whole Gateway, which is for its listeners or for routes",
                fails=False,
                cure="name a listener in sectionName, or target routes",
            ),
        ),
        unseen=(
            Unseen("spec.apiKeyAuth.secretSelector", "which Secrets it selects, no file tells"),
        ),
        security=True,
        targets=(*_LISTENERS, "HTTPRoute", "GRPCRoute"),
        targetless=kind.Targetless.FILTER,
        merging=_WEIGHED,
        traits=_CALLERS,
    ),
    _policy(
        "RoutePolicy",
        references=(rows.target_ref(),),
        security=True,
        targetless=kind.Targetless.FILTER,
        merging=Merging(Process.UNKNOWN, source="of releases before 2.0, which nobody has read"),
    ),
    _policy(
        "ListenerPolicy",
        needs=_NEEDS,
        security=True,
        targets=("Gateway",),
        merging=_LISTENER_FIELDS,
        # It may hold the validation of client certificates.
        traits=Traits(
            guarding=(Guarding("default.clientCertificateValidation"),),
            scales=(
                Scale(
                    "default.clientCertificateValidation.caCertificateRefs",
                    entries="weaker",
                    trusts=True,
                ),
            ),
        ),
    ),
    # Of releases 2.0 to 2.2; what ListenerPolicy does took its place.
    _policy("HTTPListenerPolicy", targets=_LISTENERS, merging=_LISTENER_FIELDS),
    _policy(
        "BackendConfigPolicy",
        references=(rows.target_refs(), rows.target_selectors()),
        needs=_NEEDS,
        targets=("Service", "Backend", "Hostname"),
        merging=_BACKEND_FIELDS,
        # kgateway 48460f7, api/v1alpha1/kgateway/backend_config_policy_types.go.
        traits=Traits(
            besides=(Guarding("tls", about="encryption"),),
            scales=(
                Scale("tls.insecureSkipVerify", "encryption", order=(True, False), unset=False),
            ),
        ),
    ),
    _row("GatewayExtension", needs=_NEEDS, extends=True),
    _row(
        "Backend",
        needs=(*_NEEDS, Need("spec.priorityGroups[].backendRefs[]", "Backend", _KGATEWAY)),
    ),
    _row("DirectResponse"),
)
