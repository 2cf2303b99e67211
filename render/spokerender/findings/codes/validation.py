"""Whether the API server would take it: SR23xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

INVALID_VALUE = FindingKind(
    "SR2301",
    ERROR,
    "a value that the schema of its kind refuses",
    "Correct the value; the message says what the schema asks for.",
)
UNKNOWN_FIELD = FindingKind(
    "SR2302",
    ERROR,
    "a field that its kind does not have",
    "Correct the field's name or its indentation. Where a newer or experimental CRD has the field, "
    "say in `gatewayAPI` which one the spoke runs.",
)
RULE_BROKEN = FindingKind(
    "SR2303",
    ERROR,
    "an object that breaks a validation rule (CEL) of its CRD",
    "Change the object as the rule's message says.",
)
DUPLICATE_ITEM = FindingKind(
    "SR2304",
    ERROR,
    "two items of a list that have to differ are alike",
    "Keep one of the two, or give them different keys.",
)
BAD_METADATA = FindingKind(
    "SR2305",
    ERROR,
    "a name, namespace, label or annotation that no API server takes",
    "Correct it: names are DNS names, label values have at most 63 characters.",
)
NOT_SERVED = FindingKind(
    "SR2306",
    ERROR,
    "an apiVersion that the spoke does not serve",
    "Use a version that it serves, or install on the spoke the CRDs that serve this one.",
)
NO_SCHEMA = FindingKind(
    "SR2307",
    INFO,
    "a kind whose objects could not be validated for want of a CRD",
    "Put the CRD into the hub folder, or into a folder that `fleet.yaml` names for CRDs.",
)
UNEVALUATED = FindingKind(
    "SR2308",
    WARNING,
    "a rule or pattern of a CRD that could not be evaluated here",
    "Nothing is wrong with the object; try it on a cluster, as kubectl does with "
    "`--dry-run=server`.",
)
BAD_CRD = FindingKind(
    "SR2309",
    ERROR,
    "a CRD that can't be read, or has no usable schema",
    "Replace the file with the CRD as its project releases it.",
)
AMBIGUOUS_CRD = FindingKind(
    "SR2310",
    ERROR,
    "several CRDs define one kind, and nothing says which of them the spoke runs",
    "Set bundle and channel in `gatewayAPI` of the spoke, or keep one CRD for each kind.",
)
ABSENT_CRD = FindingKind(
    "SR2311",
    ERROR,
    "no CRD of the bundle and channel that the spoke runs",
    "Add the CRDs of that release, or correct `gatewayAPI` of the spoke.",
)
UNHEARD_VERSION = FindingKind(
    "SR2312",
    WARNING,
    "an apiVersion that its kind is not known to have, where no CRD is at hand",
    "Correct the version. If the spokes serve it, add the CRD that does: `spokerender crds add`.",
)
UNHEARD_FIELD = FindingKind(
    "SR2313",
    WARNING,
    "a field that its kind is not known to have, where no CRD is at hand",
    "Correct the field's name or its indentation. If the spokes know it, add the CRD that has it: "
    "`spokerender crds add`.",
)
