"""What is synced (SR13xx) and where it is placed (SR14xx)."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

NO_SYNC_LIST = FindingKind(
    "SR1301",
    ERROR,
    "no list of policy kinds to sync exists",
    "List the kinds under policiesToSync, in the parameters of the GatewayClass or in fleet.yaml.",
)
BAD_PARAMETERS = FindingKind(
    "SR1302",
    ERROR,
    "the parameters of a GatewayClass are invalid",
    "Correct the ConfigMap of the GatewayClass at the field that the finding names.",
)
FOREIGN_PARAMETERS = FindingKind(
    "SR1303",
    INFO,
    "the parameters of a GatewayClass belong to another controller",
    "No action is required: the kinds to sync are those that fleet.yaml lists.",
)
UNKNOWN_KIND = FindingKind(
    "SR1304",
    ERROR,
    "the sync list names an unknown kind",
    "Correct the group and the kind or resource, or add the CustomResourceDefinition of the kind "
    "to the hub.",
)
ASSUMED_SHAPE = FindingKind(
    "SR1305",
    INFO,
    "the references of an unknown kind were found by their structure",
    "Add the CustomResourceDefinition of the kind to the hub, so that its references need not be "
    "guessed.",
)
CLASS_UNCHANGED = FindingKind(
    "SR1306",
    ERROR,
    "a GatewayClass with sync parameters would be used on a spoke",
    "Set downstreamClass in the parameters of the class, or gatewayClassName in `as` of the "
    "placement rule.",
)
UNKNOWN_CLASS = FindingKind(
    "SR1307",
    ERROR,
    "a Gateway names a GatewayClass that is not in the hub",
    "Add the GatewayClass with its parameters to the hub, or list the kinds to sync in fleet.yaml.",
)
UNUSED_POLICY_KIND = FindingKind(
    "SR1308",
    WARNING,
    "spec.policyKinds configures an unknown policy kind",
    "Correct the group and kind under spec.policyKinds of fleet.yaml, or remove the entry.",
)
NO_GATEWAY = FindingKind(
    "SR1401",
    ERROR,
    "a placement rule names a Gateway that is not in the hub",
    "Correct the rule's namespace/name or its selector, add the Gateway to the hub, or set "
    "optional: true.",
)
NO_SPOKE = FindingKind(
    "SR1402",
    ERROR,
    "a rule or an override names a spoke that is not declared",
    "Declare the spoke under spec.spokes, correct its name, or set optional: true.",
)
EMPTY_SELECTION = FindingKind(
    "SR1403",
    WARNING,
    "a spoke selector matches no spoke",
    "Correct the selector or the labels of the spokes, or set optional: true if no spoke needs to "
    "match yet.",
)
UNPLACED_GATEWAY = FindingKind(
    "SR1404",
    WARNING,
    "a Gateway is placed on no spoke",
    "Name the Gateway in a rule of the placement, or remove it from the hub.",
)
PLACED_TWICE = FindingKind(
    "SR1405",
    ERROR,
    "two rules place one Gateway on the same spoke",
    "Make the two rules select different spokes, or remove one of them.",
)
BAD_TEMPLATE = FindingKind(
    "SR1406",
    ERROR,
    "an expression can't be evaluated",
    "Correct the expression, or give the spoke the label or value that it uses.",
)
BAD_VALUE = FindingKind(
    "SR1407",
    ERROR,
    "a value of the placement is invalid for the field that uses it",
    "Correct the rule, or the values of the spoke that it uses.",
)
EMPTY_SPOKE = FindingKind(
    "SR1408",
    INFO,
    "nothing is placed on a spoke",
    "Name the spoke in a rule, or remove it from the placement.",
)
UNUSED_HOSTNAME = FindingKind(
    "SR1409",
    WARNING,
    "a key under hostnames of a rule maps nothing",
    "Correct or remove the key: it must be a hostname of the gateway's listeners or routes on the "
    "hub, or a wildcard that covers one which no longer key covers.",
)
TOO_MANY_EXPRESSIONS = FindingKind(
    "SR1410",
    ERROR,
    "the placement evaluates too many expressions",
    "Write values that are the same for all spokes without an expression, or split the placement "
    "into several projects.",
)
TOO_MUCH_PLACED = FindingKind(
    "SR1411",
    ERROR,
    "rules place gateways on spokes too many times",
    "Place each gateway on a spoke by one rule, or split the placement into several projects.",
)
