"""Metapolicies: SR28xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, WARNING, FindingKind

BAD_EXPRESSION = FindingKind(
    "SR2801",
    ERROR,
    "an expression or a template of a definition is wrong",
    "Correct it: what it says is checked before anything runs. The README of "
    "examples/metapolicies has the names and functions that there are.",
)
FAILED = FindingKind(
    "SR2802",
    ERROR,
    "a metapolicy's function fails",
    "Correct the metapolicy or its definition; ask has() for what need not be there.",
)
BAD_DEFINITION = FindingKind(
    "SR2803",
    ERROR,
    "a definition contradicts another one, or itself",
    "Let one definition be of a kind, and give each a name of its own.",
)
CYCLE = FindingKind(
    "SR2804",
    ERROR,
    "definitions wait for each other",
    "Say with spec.after which of them goes first, or let one of them read less.",
)
NOT_DECLARED = FindingKind(
    "SR2805",
    ERROR,
    "a metapolicy writes, or looks at, a kind that its definition does not declare",
    "Add the kind to spec.writes, or to spec.reads, of the definition: by these it gets its turn.",
)
MADE_TWICE = FindingKind(
    "SR2806",
    ERROR,
    "a metapolicy makes an object that is there already",
    "Rename or remove one of the two: of one name there can be one object.",
)
WRITTEN_TWICE = FindingKind(
    "SR2807",
    ERROR,
    "two metapolicies write different values into one field",
    "Let them agree, or let one of them leave the field alone.",
)
NOT_MADE = FindingKind(
    "SR2808",
    ERROR,
    "what a metapolicy makes is no object that can ship",
    "Give it apiVersion, kind and metadata.name, and names that Kubernetes takes.",
)
NOT_CHANGED = FindingKind(
    "SR2809",
    ERROR,
    "what a metapolicy changes is not rendered, or can't be changed so",
    "Change what is in the hub; what a spoke has of its own can't be changed from here.",
)
CHECKED = FindingKind(
    "SR2810",
    ERROR,
    "a check of a metapolicy's definition fails",
    "Do what the definition's author says; `spokerender metapolicies` tells which file has it.",
)
UNKNOWN_VERSION = FindingKind(
    "SR2811",
    ERROR,
    "a version of Kuadrant's operator that is not known",
    "Name one that is known: what its extensions make differs from version to version.",
)
FIRST_OF_SEVERAL = FindingKind(
    "SR2812",
    WARNING,
    "a definition takes the first of several gateways",
    "Let the metapolicy's target be on one gateway, or let the definition say which it means.",
)

ASSERTION = FindingKind(
    "SR2813",
    ERROR,
    "an assertion of the fleet file does not hold",
    "Do what its message says, or correct the assertion under spec.assertions of fleet.yaml.",
)

NOT_ALLOWED = FindingKind(
    "SR2814",
    ERROR,
    "a definition names code of the project, and it was not said that such code may run",
    "Look at what it names and, if you trust it, say --allow-project-code. A stranger's branch may "
    "name anything.",
)
FUNCTION = FindingKind(
    "SR2815",
    ERROR,
    "a KRM function can't be run, fails, or answers with something that is no ResourceList",
    "Run it by hand: it reads a ResourceList and writes one, within its time, memory and output.",
)
FUNCTION_TOLD = FindingKind(
    "SR2816",
    ERROR,
    "the function of a metapolicy has something to tell",
    "Do what it says; an error refuses the build, whatever a KRM function's exit status is.",
)
NOT_PURE = FindingKind(
    "SR2817",
    ERROR,
    "a function answers the same question differently",
    "Let it use no clock, no chance, no counter, no network and no order of a set or of a Go map.",
)
CODE_FAILS = FindingKind(
    "SR2818",
    ERROR,
    "the Python of a metapolicy can't be loaded, or fails",
    "Correct it; the message has the file and the line.",
)
EXTENSION = FindingKind(
    "SR2820",
    ERROR,
    "an extension can't be started, ends, hangs, or does not do as the protocol says",
    "Correct the extension; what it writes on its standard error is shown with -v.",
)

# What is wrong with PlanPolicies and OIDCPolicies, as kuadrant-operator 1.5.2 carries them out.
NO_PLAN = FindingKind(
    "SR2821",
    ERROR,
    "a PlanPolicy without plans",
    "Add a plan: what would be made of it has no limits, which the CRD refuses.",
)
TIER_TWICE = FindingKind(
    "SR2822",
    WARNING,
    "a PlanPolicy has a tier twice",
    "Give each tier a name of its own: the later one's limits replace the earlier's.",
)
TIER_QUOTES = FindingKind(
    "SR2823",
    WARNING,
    "a tier's name breaks the expression that it is put into",
    "Take letters, digits and dashes.",
)
NO_CATCH_ALL = FindingKind(
    "SR2824",
    WARNING,
    "a PlanPolicy has no tier for everybody else",
    'End with a tier whose predicate is "true": for a request in no plan the expression fails, and '
    "no limit counts.",
)
PREDICATE_FAILS = FindingKind(
    "SR2825",
    WARNING,
    "a plan's predicate may fail",
    "Ask with `in` or has() before a key is used: one predicate that fails makes all plans fail.",
)
PREDICATE_JOINED = FindingKind(
    "SR2826",
    WARNING,
    "a plan's predicate changes when its line breaks go",
    "Write it on one line without comments, or leave a space at each line's end.",
)
NO_IDENTITY = FindingKind(
    "SR2827",
    WARNING,
    "a PlanPolicy where nobody is authenticated",
    "Put an AuthPolicy on the target or on its gateway: without one no limit counts.",
)
FILTER_TAKEN = FindingKind(
    "SR2828",
    ERROR,
    "an AuthPolicy has a filter of the name that a plan needs",
    "Call the filter something else than kuadrant: the operator would replace it.",
)
PLAN_OVER_PLAN = FindingKind(
    "SR2829",
    WARNING,
    "a route and its gateway have PlanPolicies",
    "Keep one. Since 1.5 the route's counts on the route; before, the gateway's did.",
)
NO_CLIENT = FindingKind(
    "SR2831", ERROR, "an OIDCPolicy without a clientID", "Add the one that the provider gave you."
)
NO_ISSUER = FindingKind(
    "SR2832",
    WARNING,
    "an OIDCPolicy without issuerURL and jwksURL",
    "Add one: without either no token can be checked.",
)
NO_HOSTNAME = FindingKind(
    "SR2833",
    WARNING,
    "an OIDCPolicy on a gateway whose first listener has no hostname",
    "Give the listener a hostname: the URLs are made of it.",
)
WILD_HOSTNAME = FindingKind(
    "SR2834",
    WARNING,
    "an OIDCPolicy on a gateway whose first listener is for a wildcard",
    "Put a listener with one hostname first: the URLs and the cookie's domain are made of it.",
)
OTHER_LISTENER = FindingKind(
    "SR2835",
    WARNING,
    "an OIDCPolicy's URLs are those of another listener than its target's",
    "Put the target's listener first in the Gateway: the operator looks at no other.",
)
OTHER_CALLBACK = FindingKind(
    "SR2836",
    WARNING,
    "an OIDCPolicy's redirectURI leads past the callback's route",
    "End it with /auth/callback, which is the only path that is taken.",
)
TOKEN_IN_QUERY = FindingKind(
    "SR2837",
    WARNING,
    "an OIDCPolicy looks for the token in the query",
    "Take it from a cookie or a header: it is never put into the query, and the login goes round.",
)
TRAILING_SLASH = FindingKind(
    "SR2838",
    WARNING,
    "an OIDCPolicy's issuerURL ends with a slash",
    "Take it away, or say the authorizationEndpoint.",
)
CLAIMS_UNBOUND = FindingKind(
    "SR2839",
    WARNING,
    "an OIDCPolicy has claims and a jwksURL",
    "Say the issuerURL instead: without it the claims have an empty condition.",
)
CLAIM_BROKEN = FindingKind(
    "SR2840",
    WARNING,
    "a claim breaks the expression that it is put into",
    "Name it with letters, digits and underscores, and let its value have no quotes.",
)
EITHER_CREDENTIAL = FindingKind(
    "SR2841",
    WARNING,
    "an OIDCPolicy beside an AuthPolicy that merges with it",
    "Leave the target to one of them: a request needs the credential of only one.",
)
SAME_TARGET = FindingKind(
    "SR2842",
    WARNING,
    "an OIDCPolicy and an AuthPolicy on one target",
    "Keep one of them: which counts is decided by their age on the cluster.",
)
TOO_COSTLY = FindingKind(
    "SR2843",
    ERROR,
    "assertions, or metapolicies of one kind, ask for more work than a fleet of that size may",
    "Ask several things of an object in one assertion, and no loops in loops over all that there "
    "is. The assertions and metapolicies that are left are not evaluated.",
)
