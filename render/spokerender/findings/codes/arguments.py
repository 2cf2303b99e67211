"""What a command's arguments name: SR20xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, FindingKind

BAD_NAME = FindingKind(
    "SR2001",
    ERROR,
    "an argument that is no KIND/[NAMESPACE/]NAME",
    "Write the object as KIND[.GROUP]/[NAMESPACE/]NAME, such as AuthPolicy/shop/checkout.",
)
UNKNOWN_OBJECT = FindingKind(
    "SR2002",
    ERROR,
    "an argument names no object",
    "Name an object of the hub, or one of a spoke's tree: explain without an argument sums up "
    "what there is.",
)
AMBIGUOUS = FindingKind(
    "SR2003",
    ERROR,
    "an argument names several objects",
    "Say more of its name: the group, as in AuthPolicy.kuadrant.io/shop/checkout, or the "
    "namespace.",
)
UNKNOWN_SPOKE = FindingKind(
    "SR2004",
    ERROR,
    "an argument names no spoke",
    "Name a spoke that the placement declares under spec.spokes.",
)
UNKNOWN_CODE = FindingKind(
    "SR2005",
    ERROR,
    "an argument is no finding's code",
    "Name a code such as SR1010: spokerender rules lists all of them.",
)
UNKNOWN_ROUTE = FindingKind(
    "SR2006",
    ERROR,
    "an argument names no route",
    "Name a route of the hub as [KIND/][NAMESPACE/]NAME, such as HTTPRoute/shop/checkout.",
)
UNKNOWN_POLICY_KIND = FindingKind(
    "SR2007",
    ERROR,
    "an argument names no kind of policy",
    "Name a kind of policy that the hub or the tool knows, such as AuthPolicy; a kind that neither "
    "knows is described by its CRD or under spec.policyKinds of fleet.yaml.",
)
