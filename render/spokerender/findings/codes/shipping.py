"""Shipping and retargeting: SR15xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

NOT_SHIPPED = FindingKind(
    "SR1501",
    INFO,
    "an object is shipped to no spoke, and why",
    "Nothing has to be done if the reason that it gives is right. Otherwise place the gateway, "
    "or list the kind.",
)
UNLISTED_POLICY = FindingKind(
    "SR1502",
    WARNING,
    "a placed gateway is left without a policy: kind not listed",
    "List the kind in the GatewayClass's parameters or under spec.policiesToSync of "
    "fleet.yaml, or take the policy out of the hub.",
)
ENTRY_DROPPED = FindingKind(
    "SR1503",
    INFO,
    "a reference to a gateway that is not on the spoke was dropped",
    "Nothing has to be done: the entry would name nothing on that spoke. Place the other "
    "gateway there as well if it is to stay.",
)
TARGET_ON_SPOKE = FindingKind(
    "SR1504",
    INFO,
    "a shipped policy's target is not rendered; the spoke has it",
    "Make sure that the spoke has the object; spokerender explain lists what each spoke needs.",
)
LOCAL_TARGETS_APART = FindingKind(
    "SR1505",
    ERROR,
    "a local policy's targets land in different namespaces",
    "Write one policy, or one ReferenceGrant, for each target that moves.",
)
NAMESPACE_UNSAYABLE = FindingKind(
    "SR1506",
    ERROR,
    "a kind cannot name a target in another namespace",
    "Keep the gateway in its namespace, or move the policy's other targets to the same one.",
)
LABEL_UNSAYABLE = FindingKind(
    "SR1516",
    ERROR,
    "a gateway's name on the spoke can't be a label's value, by which an object selects it",
    "Give the gateway a name of at most 63 characters in the rule's as.name.",
)
IDENTITY_TWICE = FindingKind(
    "SR1507",
    ERROR,
    "two objects have one identity on a spoke",
    "Give the two different names or namespaces on the hub, or place their gateways on "
    "different spokes.",
)
FREE_STRING = FindingKind(
    "SR1509",
    WARNING,
    "a free text still has a name or hostname that changed",
    "Change the text per spoke with an override if it means the gateway. If it means something "
    "else, leave it as it is.",
)
HOSTNAME_CONFLICT = FindingKind(
    "SR1510",
    ERROR,
    "a hostname is mapped in two ways",
    "Give the rules of these gateways the same hostnames, or split the route.",
)
GATEWAYS_COLLAPSE = FindingKind(
    "SR1511",
    ERROR,
    "two hub gateways became one on a spoke",
    "Give one of the gateways another name or namespace in its rule's as, or let the policies "
    "target different sections.",
)
UNPRINTABLE = FindingKind(
    "SR1512",
    ERROR,
    "a string that kustomize cannot carry",
    "Write the string without the character that it names, or encode it.",
)
LEFT_ON_HUB = FindingKind(
    "SR1513",
    WARNING,
    "an object that should be synced is on no spoke",
    "Attach it to a Gateway that is placed, list its kind, or take it out of the hub.",
)
NOT_APPLIED = FindingKind(
    "SR1514",
    ERROR,
    "an annotation or label by which an engine would not apply an object as it is in the tree",
    "Take the mark out. What shall not be on a spoke is taken out of the hub, or not placed there.",
)
MARKED = FindingKind(
    "SR1515",
    WARNING,
    "an annotation or label by which an engine does more with an object than apply it",
    "Take the mark out; or accept it under spec.suppressions of fleet.yaml, if it is meant.",
)
