"""A spoke's own topology: SR17xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, WARNING, FindingKind

MISSING_SECTION = FindingKind(
    "SR1701",
    ERROR,
    "a section name that its target does not have on the spoke",
    "Correct the section name, or see to it that the placement's listeners keep one of that name.",
)
DUPLICATE_TARGET = FindingKind(
    "SR1702",
    ERROR,
    "one target twice, or whole and section mixed, in one object",
    "Give the entries different section names, or place the gateways apart.",
)
NOT_ADMITTED = FindingKind(
    "SR1703",
    ERROR,
    "a route or ListenerSet is no longer admitted by its parent",
    "Open allowedRoutes or allowedListeners of the parent to the namespace that the object has "
    "on the spoke.",
)
HOSTNAME_OUTSIDE = FindingKind(
    "SR1704",
    ERROR,
    "a route's hostname is left outside its listener",
    "Map the hostname in the rule's as.hostnames, or add a listener for it.",
)
NO_GRANT = FindingKind(
    "SR1705",
    ERROR,
    "a reference crosses a namespace without a ReferenceGrant",
    "Add a ReferenceGrant in the namespace that is referred to, or refer to something in the "
    "own namespace.",
)
DANGLING = FindingKind(
    "SR1706",
    ERROR,
    "a reference in a spoke's tree resolves to nothing",
    "Place what it refers to on the same spoke, or keep the labels that its selector looks for.",
)
ATTACHES_LESS = FindingKind(
    "SR1707",
    ERROR,
    "a policy or route attaches to less on a spoke than on the hub",
    "Keep on the spoke what attached it on the hub; or accept it under spec.suppressions of "
    "fleet.yaml, if it is meant to be so there.",
)
ATTACHES_MORE = FindingKind(
    "SR1708",
    WARNING,
    "a policy or route attaches to more on a spoke than on the hub; an error for a security kind",
    "Place the gateways apart, or keep the labels that tell them apart; or accept it under "
    "spec.suppressions of fleet.yaml, if it is meant to be so there.",
)
