"""What is synced: SR13xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

NO_SYNC_LIST = FindingKind(
    "SR1301",
    ERROR,
    "nothing says which policy kinds to sync",
    "List the kinds under policiesToSync, in the GatewayClass's parameters or in fleet.yaml.",
)
BAD_PARAMETERS = FindingKind(
    "SR1302",
    ERROR,
    "a GatewayClass's parameters can't be used",
    "Correct the ConfigMap that the GatewayClass names, at the field that the finding names.",
)
FOREIGN_PARAMETERS = FindingKind(
    "SR1303",
    INFO,
    "a GatewayClass's parameters belong to another controller",
    "Nothing has to be done: the kinds to sync are those that fleet.yaml lists.",
)
UNKNOWN_KIND = FindingKind(
    "SR1304",
    ERROR,
    "a kind to sync that nobody knows",
    "Correct the group and the kind or resource, or add its CustomResourceDefinition to the hub.",
)
ASSUMED_SHAPE = FindingKind(
    "SR1305",
    INFO,
    "the references of an unknown kind were found by structure",
    "Add the kind's CustomResourceDefinition to the hub, so that its references need not be "
    "guessed.",
)
CLASS_UNCHANGED = FindingKind(
    "SR1306",
    ERROR,
    "a class with sync parameters would end up on a spoke",
    "Set downstreamClass in the class's parameters, or gatewayClassName in the placement "
    "rule's as.",
)
UNKNOWN_CLASS = FindingKind(
    "SR1307",
    ERROR,
    "a Gateway names a GatewayClass that is not in the hub",
    "Add the GatewayClass with its parameters to the hub, or list the kinds in fleet.yaml.",
)
UNUSED_POLICY_KIND = FindingKind(
    "SR1308",
    WARNING,
    "a configured policy kind that nothing is known of",
    "Correct the group and kind under spec.policyKinds of fleet.yaml, or take the entry out.",
)
