"""What is valid and does not do what was meant: SR22xx."""

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

UNDETERMINED = FindingKind(
    "SR2201",
    WARNING,
    "what is in force depends on which policy is older, and files can't tell",
    "Make one policy of them, or put them on different targets. It is an error for a security "
    "kind; policies that merge alike in either order are fine.",
    _ORDER,
)
GATED_OVERRIDE = FindingKind(
    "SR2202",
    WARNING,
    "an override that somebody else's condition can switch off",
    "Give the overriding policy a condition of its own; that one takes the other's place.",
    _CONDITIONS,
)
GATED_RULES = FindingKind(
    "SR2203",
    INFO,
    "a condition decides about rules of policies below it as well",
    "Write the condition into the rules that it is meant for, or into each policy.",
    _CONDITIONS,
)
UNHEARD_FIELD = FindingKind(
    "SR2204",
    WARNING,
    "a field beside defaults or overrides that has no effect there",
    "Move the field into the block.",
    _MERGING,
)
SECOND_BARE = FindingKind(
    "SR2205",
    WARNING,
    "several policies without a merge strategy on one target: the newest holds alone",
    "Make one policy of them, or let all of them merge.",
    _MERGING,
)
NO_ROUTE_BENEATH = FindingKind(
    "SR2206",
    WARNING,
    "a policy whose target is in the path to no route",
    "Attach a route to the target, or correct the target.",
    _ENFORCED,
)
NO_RECORD = FindingKind(
    "SR2207",
    WARNING,
    "a listener without a hostname, for which no DNS record is made",
    "Give the listener a hostname, or target only listeners that have one.",
    _SKIPPED,
)
POSITIONAL_RULE = FindingKind(
    "SR2208",
    WARNING,
    "a target that is a rule without a name, by its position",
    "Name the rule in the route and target that name.",
    _NAMES,
)
NOT_WITHIN = FindingKind(
    "SR2209",
    WARNING,
    "a route's hostname reaches beyond its listener's: policies are not in force there",
    "Give the route a hostname within the listener's, or the listener one that takes it in. It is "
    "an error where a security policy is lost.",
    _PATHS,
)
UNGUARDED = FindingKind(
    "SR2210",
    WARNING,
    "something that anyone may call, while others of the fleet say who may",
    "Attach a policy that decides who may call, to it or above it, or suppress the finding for it.",
)
UNEVEN = FindingKind(
    "SR2211",
    WARNING,
    "a security policy is in force on a route on some spokes and not on others",
    "Place the policy and its target alike on all spokes.",
)
WHOLLY_OVERRULED = FindingKind(
    "SR2212",
    INFO,
    "a policy of which nothing is in force anywhere on the spoke",
    "Nothing has to be done if it is a default for what comes later; else remove it, or merge.",
    _ENFORCED,
)
NO_CERTIFICATE = FindingKind(
    "SR2213",
    WARNING,
    "a listener that a policy covers and for which no certificate can be made",
    "Give the listener a hostname, TLS mode Terminate, and a Secret of the Gateway's namespace.",
    _TLS,
)
SHARED_SECRET = FindingKind(
    "SR2214",
    WARNING,
    "two listeners whose certificates go into one Secret",
    "Give each listener a Secret of its own.",
    _TLS,
)
MIXED_BALANCING = FindingKind(
    "SR2215",
    WARNING,
    "a hostname that is load-balanced on some spokes and not on others",
    "Set load balancing in every policy for the hostname, or in none.",
    _RECORDS,
)
DEFAULT_GEO = FindingKind(
    "SR2216",
    WARNING,
    "a hostname with several default geos, or with none",
    "Set the default for the policies of exactly one geo.",
    _RECORDS,
)
SAME_GEO = FindingKind(
    "SR2217",
    INFO,
    "a hostname with the same geo and weight on every spoke",
    "Nothing has to be done if an even split is meant; else override the values for each spoke.",
    _RECORDS,
)
CONTINENT = FindingKind(
    "SR2218",
    WARNING,
    "a continent's code without its prefix",
    "Write the prefix before the code of a continent, such as GEO-EU.",
    _PROVIDER,
)
DELEGATION = FindingKind(
    "SR2219",
    WARNING,
    "a hostname that is delegated on some spokes and not on others, or from different namespaces",
    "Delegate in every policy for the hostname, from the same namespace, or in none.",
    _DELEGATES,
)
COUNTER_SPLIT = FindingKind(
    "SR2220",
    WARNING,
    "a rename that splits a counter which spokes may have in common",
    "Let policy and route have the same namespace and name on every spoke.",
    _COUNTERS,
)
UNSEEN_LISTENER = FindingKind(
    "SR2221",
    WARNING,
    "a route on a ListenerSet, which the controller of policies above it does not know",
    "Move the listener into the Gateway, or guard the route by other means.",
    _PATHS,
)
NOT_KNOWN = FindingKind(
    "SR2222",
    WARNING,
    "policies of a kind of which nobody can tell what is in force",
    "Say in fleet.yaml (policyKinds) how they come together; or suppress the finding.",
    (("source", "the row of the kind, or that there is none"),),
)
UNKNOWN_NAMESPACE = FindingKind(
    "SR2223",
    WARNING,
    "a listener admits namespaces by labels that no file tells: taken to admit the route",
    "Write the namespace's labels under spec.namespaces of the placement, or under a spoke where "
    "they differ; or have the Namespace in the hub.",
    (("source", "Gateway API, RouteNamespaces"),),
)
SHADOWED = FindingKind(
    "SR2231",
    WARNING,
    "two routes for the same requests, on which different policies are in force",
    "Let one route have the requests, or let the same policies be on both: the older takes all.",
    (("source", "Gateway API, HTTPRouteRule matches"),),
)
KEPT_OUT = FindingKind(
    "SR2232",
    WARNING,
    "an HTTPRoute and a GRPCRoute with a hostname in common on one listener",
    "Give them different hostnames, or listeners of their own: one of them is not accepted.",
    (("source", "Gateway API, HTTPRoute and GRPCRoute hostnames"),),
)
REFUSED_LISTENER = FindingKind(
    "SR2233",
    WARNING,
    "a ListenerSet's listener that is not distinct from one that comes first",
    "Give it another port or hostname: it is Conflicted, and its port is not opened.",
    (("source", "GEP-1713, listener conflicts"),),
)
DETACHED = FindingKind(
    "SR2234",
    WARNING,
    "a route that no listener of its parents takes",
    "Let a listener take it (protocol, tls.mode, allowedRoutes, hostname), or correct parentRefs.",
    (("source", "Gateway API, ParentReference; RouteReasonNotAllowedByListeners"),),
)
UNSERVED = FindingKind(
    "SR2240",
    ERROR,
    "a hostname of a route that no listener of its gateways serves",
    "Add a listener for the hostname, map it in the rule's as.hostnames, or take it out of the "
    "route.",
    (("source", "Gateway API, HTTPRoute.spec.hostnames"),),
)
