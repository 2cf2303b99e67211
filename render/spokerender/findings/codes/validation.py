"""Whether the API server would take it: SR23xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

INVALID_VALUE = FindingKind(
    "SR2301",
    ERROR,
    "the schema of its kind refuses a value",
    "Correct the value; the message says what the schema requires.",
)
UNKNOWN_FIELD = FindingKind(
    "SR2302",
    ERROR,
    "an object has a field that its kind does not have",
    "Correct the name or the indentation of the field. If a newer or experimental CRD has the "
    "field, set in `gatewayAPI` which CRDs the spoke runs.",
)
RULE_BROKEN = FindingKind(
    "SR2303",
    ERROR,
    "an object breaks a validation rule (CEL) of its CRD",
    "Change the object as the message of the rule says.",
)
DUPLICATE_ITEM = FindingKind(
    "SR2304",
    ERROR,
    "two items of a list are equal and have to be unique",
    "Keep one of the two, or give them different keys.",
)
BAD_METADATA = FindingKind(
    "SR2305",
    ERROR,
    "a name, namespace, label or annotation is invalid: the API server refuses it",
    "Correct it: names are DNS names, label values have at most 63 characters.",
)
NOT_SERVED = FindingKind(
    "SR2306",
    ERROR,
    "the spoke does not serve an apiVersion",
    "Use a version that the spoke serves, or install the CRDs of this version on the spoke.",
)
NO_SCHEMA = FindingKind(
    "SR2307",
    INFO,
    "objects of a kind were not validated because its CRD is missing",
    "Add the CRD to the hub folder, or to a folder that fleet.yaml names for CRDs.",
)
UNEVALUATED = FindingKind(
    "SR2308",
    WARNING,
    "a rule or pattern of a CRD can't be evaluated here",
    "The object may be valid: try it on a cluster, with kubectl and `--dry-run=server`.",
)
BAD_CRD = FindingKind(
    "SR2309",
    ERROR,
    "a CRD can't be read, or has no usable schema",
    "Replace the file with the CRD that its project releases.",
)
AMBIGUOUS_CRD = FindingKind(
    "SR2310",
    ERROR,
    "several CRDs define one kind, and it is not known which of them the spoke runs",
    "Set bundle and channel in `gatewayAPI` of the spoke, or keep one CRD for each kind.",
)
ABSENT_CRD = FindingKind(
    "SR2311",
    ERROR,
    "the CRDs of the bundle and channel that the spoke runs are missing",
    "Add the CRDs of that release, or correct `gatewayAPI` of the spoke.",
)
UNHEARD_VERSION = FindingKind(
    "SR2312",
    WARNING,
    "a kind is not known to have this apiVersion, and its CRD is missing",
    "Correct the version. If the spokes serve it, add its CRD with `spokerender crds add`.",
)
UNHEARD_FIELD = FindingKind(
    "SR2313",
    WARNING,
    "a kind is not known to have this field, and its CRD is missing",
    "Correct the name or the indentation of the field. If the spokes have it, add the CRD with "
    "`spokerender crds add`.",
)
