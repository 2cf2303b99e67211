"""The hub's files and objects: SR10xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, FindingKind

UNREADABLE = FindingKind(
    "SR1001",
    ERROR,
    "a hub file is not YAML as Kubernetes reads it",
    "Correct the YAML at the line that the finding names; kubectl would refuse it, or read it as "
    "something else.",
)
NOT_AN_OBJECT = FindingKind(
    "SR1002",
    ERROR,
    "a document is not a Kubernetes object",
    "Give the document an apiVersion, a kind and a metadata.name, or move the file out of the "
    "hub folder.",
)
DUPLICATE = FindingKind(
    "SR1003",
    ERROR,
    "two objects have the same identity",
    "Keep one of the two objects, or give them different names or namespaces.",
)
EMPTY_HUB = FindingKind(
    "SR1004",
    ERROR,
    "the hub has no objects",
    "Put Gateways and policies into the folder that spec.hub of fleet.yaml names.",
)
SKIPPED_FILE = FindingKind(
    "SR1005",
    INFO,
    "a file of another tool is in the hub and is skipped",
    "No action is required. If its patches matter, commit the other tool's output instead.",
)
NO_NAMESPACE = FindingKind(
    "SR1006",
    INFO,
    "an object has no namespace and is assumed to be in `default`",
    "Set metadata.namespace, so that the result does not depend on who applies the object.",
)
BAD_NAME = FindingKind(
    "SR1007",
    ERROR,
    "a name or namespace is invalid: the API server would refuse it",
    "Write a name that Kubernetes accepts. Placeholders in hub files are not replaced.",
)
BAD_TYPE = FindingKind(
    "SR1008",
    ERROR,
    "no API server has this apiVersion or kind",
    "Write group, version and kind as `kubectl api-resources` lists them; for the core group the "
    "apiVersion is v1.",
)
MISSING_TARGET = FindingKind(
    "SR1010",
    ERROR,
    "a policy or route refers to an object that is not in the hub",
    "Correct the name or the namespace, add the object to the hub, or declare it under "
    "spec.external of fleet.yaml if only the spokes have it.",
)
MALFORMED_REFERENCE = FindingKind(
    "SR1011",
    ERROR,
    "a reference is malformed",
    "Write the reference as the CRD of its kind defines it: a mapping with group, kind and name, "
    "all of them strings.",
)
MISSPELT_KIND = FindingKind(
    "SR1015",
    ERROR,
    "an unknown kind is spelled almost like a known one",
    "Correct the kind. If the kind exists, add its CustomResourceDefinition to the hub.",
)
TOO_LONG = FindingKind(
    "SR1016",
    ERROR,
    "a list in an object is longer than its CRD allows",
    "Split the object: no API server accepts it as it is, so it is ignored.",
)
TOO_MANY_PATHS = FindingKind(
    "SR1017",
    ERROR,
    "routes attach to too many listeners, or delegate to too many other routes",
    "Name the listener in parentRefs, or split the hub into several projects: there are more "
    "request paths than can be analyzed.",
)
TOO_MANY_EQUALS = FindingKind(
    "SR1018",
    ERROR,
    "too many policies of one kind target one object",
    "Combine the policies, or give them different targets: if they are applied together, the "
    "order of their creation decides, and more than 120 can be created in too many orders to try.",
)
TOO_MUCH_MERGED = FindingKind(
    "SR1019",
    ERROR,
    "policies of one kind can combine in too many ways",
    "Combine the policies on one target, or reduce the rules in the policies of a gateway: the "
    "combinations are a product of policies, rules and orders.",
)
