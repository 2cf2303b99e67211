"""Advice about valid objects that lack the intended effect: SR22xx."""

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind, Severity

_MERGING = "kuadrant-operator, api/v1/merge_strategies.go"
_CONDITIONS = "kuadrant-operator, pull request 988"
_PATHS = "kuadrant-operator, internal/policymachinery/utils.go"
_ENFORCED = "kuadrant-operator, internal/kuadrant/errors.go"
_RECORDS = "kuadrant-operator, doc/user-guides/dns/load-balanced-dns.md"
_TLS = "kuadrant-operator, effective_tls_policies_reconciler.go"


def _sourced(code: str, severity: Severity, source: str) -> FindingKind:
    return FindingKind(code, severity, (("source", source),))


UNDETERMINED = _sourced("SR2201", WARNING, "GEP-713, conflict resolution")
GATED_OVERRIDE = _sourced("SR2202", WARNING, _CONDITIONS)
GATED_RULES = _sourced("SR2203", INFO, _CONDITIONS)
UNHEARD_FIELD = _sourced("SR2204", WARNING, _MERGING)
SECOND_BARE = _sourced("SR2205", WARNING, _MERGING)
NO_ROUTE_BENEATH = _sourced("SR2206", WARNING, _ENFORCED)
NO_RECORD = _sourced("SR2207", WARNING, "kuadrant-operator, effective_dnspolicies_reconciler.go")
POSITIONAL_RULE = _sourced("SR2208", WARNING, "policy-machinery, gateway_api_topology.go")
NOT_WITHIN = _sourced("SR2209", WARNING, _PATHS)
UNGUARDED = FindingKind("SR2210", WARNING)
UNEVEN = FindingKind("SR2211", WARNING)
WHOLLY_OVERRULED = _sourced("SR2212", INFO, _ENFORCED)
NO_CERTIFICATE = _sourced("SR2213", WARNING, _TLS)
SHARED_SECRET = _sourced("SR2214", WARNING, _TLS)
MIXED_BALANCING = _sourced("SR2215", WARNING, _RECORDS)
DEFAULT_GEO = _sourced("SR2216", WARNING, _RECORDS)
SAME_GEO = _sourced("SR2217", INFO, _RECORDS)
CONTINENT = _sourced("SR2218", WARNING, "Amazon Route 53, GeoLocation")
DELEGATION = _sourced(
    "SR2219", WARNING, "kuadrant-operator, doc/user-guides/dns/understanding_dns_delegation.md"
)
COUNTER_SPLIT = _sourced("SR2220", WARNING, "kuadrant-operator, ratelimit_workflow_helpers.go")
UNSEEN_LISTENER = _sourced("SR2221", WARNING, _PATHS)
NOT_KNOWN = _sourced("SR2222", WARNING, "the row of the kind, or that there is none")
UNKNOWN_NAMESPACE = _sourced("SR2223", WARNING, "Gateway API, RouteNamespaces")
UNKNOWN_LABELS = _sourced("SR2224", WARNING, "GEP-2648, target selectors")
SHADOWED = _sourced("SR2231", WARNING, "Gateway API, HTTPRouteRule matches")
REFUSED_LISTENER = _sourced("SR2233", WARNING, "GEP-1713, listener conflicts")
DETACHED = _sourced(
    "SR2234", ERROR, "Gateway API, ParentReference; RouteReasonNotAllowedByListeners"
)
OPTIONAL_CREDENTIALS = _sourced("SR2242", WARNING, "Istio, RequestAuthentication")
UNSERVED = _sourced("SR2240", ERROR, "Gateway API, HTTPRoute.spec.hostnames")
CLUSTER_OWNED = FindingKind("SR2241", WARNING)
ABSENT = FindingKind("SR2243", ERROR)
FAILING = _sourced("SR2244", ERROR, "Gateway API, ResolvedRefs and Accepted of routes")
ENDLESS = _sourced("SR2245", ERROR, "Gateway API, HTTPRequestRedirectFilter")
DOUBLED = _sourced("SR2246", ERROR, "Envoy Gateway, computeHosts; Envoy, virtual hosts")
IN_VAIN = FindingKind("SR2247", WARNING)
PASSED_BY = _sourced("SR2248", ERROR, "kuadrant-operator, wasm/utils.go; wasm-shim, factory.rs")
REFUSED_PREDICATE = _sourced("SR2250", ERROR, "kuadrant-operator, internal/cel")
UNPROCESSED = _sourced("SR2249", ERROR, "Gateway API, GatewayConditionAccepted")
