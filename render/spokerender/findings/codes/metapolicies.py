"""Metapolicies: SR28xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, WARNING, FindingKind

BAD_EXPRESSION = FindingKind(
    "SR2801",
    ERROR,
    "an expression or template of a definition is invalid",
    "Correct it: definitions are checked before they run. The README of examples/metapolicies "
    "lists names and functions.",
)
FAILED = FindingKind(
    "SR2802",
    ERROR,
    "the function of a metapolicy fails",
    "Correct the metapolicy or its definition; test optional fields with has().",
)
BAD_DEFINITION = FindingKind(
    "SR2803",
    ERROR,
    "a definition contradicts itself or another definition",
    "Keep one definition for each kind, with a unique name.",
)
CYCLE = FindingKind(
    "SR2804",
    ERROR,
    "definitions depend on each other in a cycle",
    "Set their order with spec.after, or let one of them read less.",
)
NOT_DECLARED = FindingKind(
    "SR2805",
    ERROR,
    "a metapolicy writes or reads a kind that its definition does not declare",
    "Add the kind to spec.writes or spec.reads of the definition, which determine the order of "
    "definitions.",
)
MADE_TWICE = FindingKind(
    "SR2806",
    ERROR,
    "a metapolicy creates an object that exists already",
    "Rename or remove one of the two objects.",
)
WRITTEN_TWICE = FindingKind(
    "SR2807",
    ERROR,
    "two metapolicies write different values to one field",
    "Let both write the same value, or let one of them leave the field alone.",
)
NOT_MADE = FindingKind(
    "SR2808",
    ERROR,
    "a metapolicy creates an invalid object",
    "Set apiVersion, kind and metadata.name, and use names that Kubernetes accepts.",
)
NOT_CHANGED = FindingKind(
    "SR2809",
    ERROR,
    "a metapolicy changes an object that is not rendered, or in a way that is not possible",
    "Change an object of the hub; objects that only a spoke has can't be changed.",
)
CHECKED = FindingKind(
    "SR2810",
    ERROR,
    "a check of a metapolicy's definition fails",
    "Do what the message of the check says; `spokerender metapolicies` prints the file of the "
    "definition.",
)
UNKNOWN_VERSION = FindingKind(
    "SR2811",
    ERROR,
    "a version of the Kuadrant operator is unknown",
    "Name a known version: the output of its extensions differs between versions.",
)
FIRST_OF_SEVERAL = FindingKind(
    "SR2812",
    WARNING,
    "a definition uses the first of several gateways",
    "Attach the target of the metapolicy to one gateway, or let the definition select one.",
)

ASSERTION = FindingKind(
    "SR2813",
    ERROR,
    "an assertion of the fleet file is false",
    "Do what the message of the assertion says, or correct the assertion under spec.assertions of "
    "fleet.yaml.",
)

NOT_ALLOWED = FindingKind(
    "SR2814",
    ERROR,
    "a definition runs code of the project, and that is not allowed",
    "Review the code and, if you trust it, set --allow-project-code. A pull request from a "
    "stranger can name any code.",
)
FUNCTION = FindingKind(
    "SR2815",
    ERROR,
    "a KRM function can't be run, fails, or does not return a ResourceList",
    "Run it by hand: it must read a ResourceList and write one, within its limits of time, memory "
    "and output.",
)
FUNCTION_TOLD = FindingKind(
    "SR2816",
    ERROR,
    "the function of a metapolicy reports a result",
    "Do what the message says; an error refuses the build, whatever the exit status of the KRM "
    "function.",
)
NOT_PURE = FindingKind(
    "SR2817",
    ERROR,
    "a function gives different results for the same input",
    "Let it use no clock, randomness, counter or network, and no order of a set or of a Go map.",
)
CODE_FAILS = FindingKind(
    "SR2818",
    ERROR,
    "the Python code of a metapolicy can't be loaded, or fails",
    "Correct the code; the message names the file and the line.",
)
EXTENSION = FindingKind(
    "SR2820",
    ERROR,
    "an extension can't be started, exits, hangs, or violates the protocol",
    "Correct the extension; -v shows what it writes to standard error.",
)

# What is wrong with PlanPolicies and OIDCPolicies, as kuadrant-operator 1.5.2 carries them out.
NO_PLAN = FindingKind(
    "SR2821",
    ERROR,
    "a PlanPolicy has no plans",
    "Add a plan: otherwise the resulting policy has no limits, which its CRD refuses.",
)
TIER_TWICE = FindingKind(
    "SR2822",
    WARNING,
    "a PlanPolicy has a tier twice",
    "Give each tier a unique name: the limits of the later tier replace those of the earlier.",
)
TIER_QUOTES = FindingKind(
    "SR2823",
    WARNING,
    "the name of a tier breaks the expression that contains it",
    "Use letters, digits and dashes.",
)
NO_CATCH_ALL = FindingKind(
    "SR2824",
    WARNING,
    "a PlanPolicy has no tier for all other requests",
    'End with a tier whose predicate is "true": for a request without a plan the expression '
    "fails, and no limit applies.",
)
PREDICATE_FAILS = FindingKind(
    "SR2825",
    WARNING,
    "the predicate of a plan may fail",
    "Test keys with `in` or has() before use: if one predicate fails, all plans fail.",
)
PREDICATE_JOINED = FindingKind(
    "SR2826",
    WARNING,
    "the predicate of a plan changes its meaning when line breaks are removed",
    "Write it on one line without comments, or end each line with a space.",
)
NO_IDENTITY = FindingKind(
    "SR2827",
    WARNING,
    "a PlanPolicy applies to requests without authentication",
    "Attach an AuthPolicy to the target or to its gateway: without one no limit applies.",
)
FILTER_TAKEN = FindingKind(
    "SR2828",
    ERROR,
    "an AuthPolicy has a filter with the name that a plan needs",
    "Rename the filter `kuadrant`: the operator would replace it.",
)
PLAN_OVER_PLAN = FindingKind(
    "SR2829",
    WARNING,
    "a route and its gateway both have a PlanPolicy",
    "Keep one. Since 1.5 the PlanPolicy of the route applies to the route; before, that of the "
    "gateway did.",
)
NO_CLIENT = FindingKind(
    "SR2831", ERROR, "an OIDCPolicy has no clientID", "Add the clientID that the provider gave you."
)
NO_ISSUER = FindingKind(
    "SR2832",
    WARNING,
    "an OIDCPolicy has neither issuerURL nor jwksURL",
    "Add one of them: otherwise no token can be verified.",
)
NO_HOSTNAME = FindingKind(
    "SR2833",
    WARNING,
    "an OIDCPolicy is on a gateway whose first listener has no hostname",
    "Give the listener a hostname: the URLs contain it.",
)
WILD_HOSTNAME = FindingKind(
    "SR2834",
    WARNING,
    "an OIDCPolicy is on a gateway whose first listener has a wildcard hostname",
    "Put a listener with one hostname first: the URLs and the domain of the cookie contain it.",
)
OTHER_LISTENER = FindingKind(
    "SR2835",
    WARNING,
    "the URLs of an OIDCPolicy are those of another listener than its target",
    "Put the listener of the target first in the Gateway: the operator uses the first one only.",
)
OTHER_CALLBACK = FindingKind(
    "SR2836",
    WARNING,
    "the redirectURI of an OIDCPolicy does not lead to the route of the callback",
    "End it with /auth/callback, the only path that the route matches.",
)
TOKEN_IN_QUERY = FindingKind(
    "SR2837",
    WARNING,
    "an OIDCPolicy reads the token from the query",
    "Read it from a cookie or a header: the query never has it, so the login repeats forever.",
)
TRAILING_SLASH = FindingKind(
    "SR2838",
    WARNING,
    "the issuerURL of an OIDCPolicy ends with a slash",
    "Remove the slash, or set authorizationEndpoint.",
)
CLAIMS_UNBOUND = FindingKind(
    "SR2839",
    WARNING,
    "an OIDCPolicy has claims and a jwksURL",
    "Set issuerURL instead: without it the claims have an empty condition.",
)
CLAIM_BROKEN = FindingKind(
    "SR2840",
    WARNING,
    "a claim breaks the expression that contains it",
    "Use letters, digits and underscores in its name, and no quotes in its value.",
)
EITHER_CREDENTIAL = FindingKind(
    "SR2841",
    WARNING,
    "an OIDCPolicy is beside an AuthPolicy that merges with it",
    "Let only one of them have the target: a request needs the credential of only one.",
)
SAME_TARGET = FindingKind(
    "SR2842",
    WARNING,
    "an OIDCPolicy and an AuthPolicy have the same target",
    "Keep one of them: their age on the cluster decides which one applies.",
)
TOO_COSTLY = FindingKind(
    "SR2843",
    ERROR,
    "assertions, or the metapolicies of one kind, do too much work",
    "Ask several questions about an object in one assertion, and avoid nested loops over "
    "everything. The remaining assertions and metapolicies are not evaluated.",
)
