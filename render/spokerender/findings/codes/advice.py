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
    "the policy in force depends on which policy is older, and files don't show that",
    "Combine the policies, or put them on different targets. For a security kind it is an error; "
    "policies that merge to the same result in either order are not reported.",
    _ORDER,
)
GATED_OVERRIDE = FindingKind(
    "SR2202",
    WARNING,
    "the condition of another policy can switch off an override",
    "Give the overriding policy its own condition, which replaces the other one.",
    _CONDITIONS,
)
GATED_RULES = FindingKind(
    "SR2203",
    INFO,
    "a condition also applies to the rules of policies below it",
    "Write the condition into the rules that it is intended for, or into each policy.",
    _CONDITIONS,
)
UNHEARD_FIELD = FindingKind(
    "SR2204",
    WARNING,
    "a field beside defaults or overrides has no effect",
    "Move the field into the block.",
    _MERGING,
)
SECOND_BARE = FindingKind(
    "SR2205",
    WARNING,
    "one target has several policies without a merge strategy, of which only the newest is in "
    "force",
    "Combine the policies, or give all of them a merge strategy.",
    _MERGING,
)
NO_ROUTE_BENEATH = FindingKind(
    "SR2206",
    WARNING,
    "the target of a policy is on no path to a route",
    "Attach a route to the target, or correct the target.",
    _ENFORCED,
)
NO_RECORD = FindingKind(
    "SR2207",
    WARNING,
    "a listener has no hostname, so no DNS record is created for it",
    "Give the listener a hostname, or target only listeners that have one.",
    _SKIPPED,
)
POSITIONAL_RULE = FindingKind(
    "SR2208",
    WARNING,
    "a policy targets a rule without a name by its position",
    "Name the rule in the route and target that name.",
    _NAMES,
)
NOT_WITHIN = FindingKind(
    "SR2209",
    WARNING,
    "the hostname of a route is wider than that of its listener, and policies are not in force "
    "there",
    "Narrow the hostname of the route, or widen that of the listener. If a security policy is "
    "lost it is an error.",
    _PATHS,
)
UNGUARDED = FindingKind(
    "SR2210",
    WARNING,
    "no policy restricts who may call a route, while policies restrict other routes of the fleet",
    "Attach a policy for authentication or authorization to the route or above it, or suppress "
    "the finding for the route.",
)
UNEVEN = FindingKind(
    "SR2211",
    WARNING,
    "a security policy is in force on a route on some spokes and not on others",
    "Place the policy and its target on the same spokes.",
)
WHOLLY_OVERRULED = FindingKind(
    "SR2212",
    INFO,
    "nothing of a policy is in force on the spoke",
    "No action is required if it is a default for future policies; otherwise remove it, or merge "
    "it.",
    _ENFORCED,
)
NO_CERTIFICATE = FindingKind(
    "SR2213",
    WARNING,
    "no certificate can be issued for a listener that a policy covers",
    "Give the listener a hostname, TLS mode Terminate, and a Secret in the namespace of the "
    "Gateway.",
    _TLS,
)
SHARED_SECRET = FindingKind(
    "SR2214",
    WARNING,
    "the certificates of two listeners go into the same Secret",
    "Give each listener its own Secret.",
    _TLS,
)
MIXED_BALANCING = FindingKind(
    "SR2215",
    WARNING,
    "a hostname is load-balanced on some spokes and not on others",
    "Set load balancing in every policy for the hostname, or in none.",
    _RECORDS,
)
DEFAULT_GEO = FindingKind(
    "SR2216",
    WARNING,
    "a hostname has several default geos, or none",
    "Set the default in the policies of exactly one geo.",
    _RECORDS,
)
SAME_GEO = FindingKind(
    "SR2217",
    INFO,
    "a hostname has the same geo and weight on every spoke",
    "No action is required if an even split is intended; otherwise override the values for each "
    "spoke.",
    _RECORDS,
)
CONTINENT = FindingKind(
    "SR2218",
    WARNING,
    "the code of a continent has no prefix",
    "Write the prefix before the code, such as GEO-EU.",
    _PROVIDER,
)
DELEGATION = FindingKind(
    "SR2219",
    WARNING,
    "a hostname is delegated on some spokes and not on others, or from different namespaces",
    "Delegate the hostname in every policy, from the same namespace, or in none.",
    _DELEGATES,
)
COUNTER_SPLIT = FindingKind(
    "SR2220",
    WARNING,
    "a rename splits a counter that spokes may share",
    "Give the policy and the route the same namespace and name on every spoke.",
    _COUNTERS,
)
UNSEEN_LISTENER = FindingKind(
    "SR2221",
    WARNING,
    "a route is on a ListenerSet, which the controller of the policies above it does not support",
    "Move the listener into the Gateway, or protect the route in another way.",
    _PATHS,
)
NOT_KNOWN = FindingKind(
    "SR2222",
    WARNING,
    "the policy in force can't be determined for policies of this kind",
    "Describe in fleet.yaml (policyKinds) how policies of the kind combine, or suppress the "
    "finding.",
    (("source", "the row of the kind, or that there is none"),),
)
UNKNOWN_NAMESPACE = FindingKind(
    "SR2223",
    WARNING,
    "a listener admits namespaces by labels that no file has; the route is assumed to be admitted",
    "Write the labels of the namespace under spec.namespaces of the placement, or under a spoke "
    "where they differ, or add the Namespace to the hub.",
    (("source", "Gateway API, RouteNamespaces"),),
)
SHADOWED = FindingKind(
    "SR2231",
    WARNING,
    "two routes match the same requests and have different policies in force",
    "Let one route match the requests, or attach the same policies to both: the older route takes "
    "all requests.",
    (("source", "Gateway API, HTTPRouteRule matches"),),
)
KEPT_OUT = FindingKind(
    "SR2232",
    WARNING,
    "an HTTPRoute and a GRPCRoute have a hostname in common on one listener",
    "Give them different hostnames or listeners: only one of them is accepted.",
    (("source", "Gateway API, HTTPRoute and GRPCRoute hostnames"),),
)
REFUSED_LISTENER = FindingKind(
    "SR2233",
    WARNING,
    "a listener of a ListenerSet conflicts with an earlier one",
    "Change its port or hostname: otherwise it is Conflicted, and its port is not opened.",
    (("source", "GEP-1713, listener conflicts"),),
)
DETACHED = FindingKind(
    "SR2234",
    WARNING,
    "no listener of its parents accepts a route",
    "Let a listener accept the route (protocol, tls.mode, allowedRoutes, hostname), or correct "
    "parentRefs.",
    (("source", "Gateway API, ParentReference; RouteReasonNotAllowedByListeners"),),
)
UNSERVED = FindingKind(
    "SR2240",
    ERROR,
    "no listener of its gateways serves a hostname of a route",
    "Add a listener for the hostname, map it in as.hostnames of the rule, or remove it from the "
    "route.",
    (("source", "Gateway API, HTTPRoute.spec.hostnames"),),
)
