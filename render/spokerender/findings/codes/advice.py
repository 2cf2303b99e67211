"""Advice about valid objects without the intended effect: SR22xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

_MERGING = (("source", "kuadrant-operator, api/v1/merge_strategies.go"),)
_CONDITIONS = (("source", "kuadrant-operator, pull request 988"),)
_PATHS = (("source", "kuadrant-operator, internal/policymachinery/utils.go"),)
_ENFORCED = (("source", "kuadrant-operator, internal/kuadrant/errors.go"),)
_RECORDS = (("source", "kuadrant-operator, doc/user-guides/dns/load-balanced-dns.md"),)
_DELEGATES = (("source", "kuadrant-operator, doc/user-guides/dns/understanding_dns_delegation.md"),)
_SKIPPED = (("source", "kuadrant-operator, effective_dnspolicies_reconciler.go"),)
_TLS = (("source", "kuadrant-operator, effective_tls_policies_reconciler.go"),)
_COUNTERS = (("source", "kuadrant-operator, ratelimit_workflow_helpers.go"),)
_NAMES = (("source", "policy-machinery, gateway_api_topology.go"),)
_ORDER = (("source", "GEP-713, conflict resolution"),)
_PROVIDER = (("source", "Amazon Route 53, GeoLocation"),)

UNDETERMINED = FindingKind("SR2201", WARNING, tags=_ORDER)
GATED_OVERRIDE = FindingKind("SR2202", WARNING, tags=_CONDITIONS)
GATED_RULES = FindingKind("SR2203", INFO, tags=_CONDITIONS)
UNHEARD_FIELD = FindingKind("SR2204", WARNING, tags=_MERGING)
SECOND_BARE = FindingKind("SR2205", WARNING, tags=_MERGING)
NO_ROUTE_BENEATH = FindingKind("SR2206", WARNING, tags=_ENFORCED)
NO_RECORD = FindingKind("SR2207", WARNING, tags=_SKIPPED)
POSITIONAL_RULE = FindingKind("SR2208", WARNING, tags=_NAMES)
NOT_WITHIN = FindingKind("SR2209", WARNING, tags=_PATHS)
UNGUARDED = FindingKind("SR2210", WARNING)
UNEVEN = FindingKind("SR2211", WARNING)
WHOLLY_OVERRULED = FindingKind("SR2212", INFO, tags=_ENFORCED)
NO_CERTIFICATE = FindingKind("SR2213", WARNING, tags=_TLS)
SHARED_SECRET = FindingKind("SR2214", WARNING, tags=_TLS)
MIXED_BALANCING = FindingKind("SR2215", WARNING, tags=_RECORDS)
DEFAULT_GEO = FindingKind("SR2216", WARNING, tags=_RECORDS)
SAME_GEO = FindingKind("SR2217", INFO, tags=_RECORDS)
CONTINENT = FindingKind("SR2218", WARNING, tags=_PROVIDER)
DELEGATION = FindingKind("SR2219", WARNING, tags=_DELEGATES)
COUNTER_SPLIT = FindingKind("SR2220", WARNING, tags=_COUNTERS)
UNSEEN_LISTENER = FindingKind("SR2221", WARNING, tags=_PATHS)
NOT_KNOWN = FindingKind(
    "SR2222", WARNING, tags=(("source", "the row of the kind, or that there is none"),)
)
UNKNOWN_NAMESPACE = FindingKind(
    "SR2223", WARNING, tags=(("source", "Gateway API, RouteNamespaces"),)
)
SHADOWED = FindingKind("SR2231", WARNING, tags=(("source", "Gateway API, HTTPRouteRule matches"),))
KEPT_OUT = FindingKind(
    "SR2232", WARNING, tags=(("source", "Gateway API, HTTPRoute and GRPCRoute hostnames"),)
)
REFUSED_LISTENER = FindingKind(
    "SR2233", WARNING, tags=(("source", "GEP-1713, listener conflicts"),)
)
DETACHED = FindingKind(
    "SR2234",
    WARNING,
    tags=(("source", "Gateway API, ParentReference; RouteReasonNotAllowedByListeners"),),
)
UNSERVED = FindingKind("SR2240", ERROR, tags=(("source", "Gateway API, HTTPRoute.spec.hostnames"),))
