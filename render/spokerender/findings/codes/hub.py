"""The hub's files and objects: SR10xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, FindingKind

UNREADABLE = FindingKind(
    "SR1001",
    ERROR,
    "a hub file is not YAML as Kubernetes reads it",
    "Correct the YAML at the line that it names; kubectl would refuse it, or read it as "
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
    "one identity is defined twice",
    "Keep one of the two objects, or give them different names or namespaces.",
)
EMPTY_HUB = FindingKind(
    "SR1004",
    ERROR,
    "the hub has no object at all",
    "Put Gateways and policies into the folder that spec.hub of fleet.yaml names.",
)
SKIPPED_FILE = FindingKind(
    "SR1005",
    INFO,
    "a file of another tool lies in the hub and is passed over",
    "Nothing has to be done. If its patches matter, commit what the other tool makes of them "
    "instead.",
)
NO_NAMESPACE = FindingKind(
    "SR1006",
    INFO,
    "an object names no namespace and is taken to be in `default`",
    "Write metadata.namespace into the object, so that it does not depend on who applies it.",
)
BAD_NAME = FindingKind(
    "SR1007",
    ERROR,
    "a name or namespace that the API server would refuse",
    "Write the name out as Kubernetes takes it. Placeholders in hub files are not replaced.",
)
BAD_TYPE = FindingKind(
    "SR1008",
    ERROR,
    "an apiVersion or a kind that no API server has",
    "Write group, version and kind as `kubectl api-resources` lists them; the core group has no "
    "name: its apiVersion is v1.",
)
MISSING_TARGET = FindingKind(
    "SR1010",
    ERROR,
    "a policy or route names something that is not there",
    "Correct the name or the namespace, add the object to the hub, or declare it under "
    "spec.external of fleet.yaml if only the spokes have it.",
)
MALFORMED_REFERENCE = FindingKind(
    "SR1011",
    ERROR,
    "a reference that cannot be understood",
    "Write the reference as its kind's CRD has it: a mapping with group, kind and name, all of "
    "them texts.",
)
MISSPELT_KIND = FindingKind(
    "SR1015",
    ERROR,
    "an object of an unknown kind, where a known one is spelt nearly the same",
    "Correct the kind. If there is such a kind, add its CustomResourceDefinition to the hub.",
)
TOO_LONG = FindingKind(
    "SR1016",
    ERROR,
    "an object has a list that is longer than its CRD allows",
    "Split the object: no API server that has the kind takes it as it is, so it is set aside.",
)
TOO_MANY_PATHS = FindingKind(
    "SR1017",
    ERROR,
    "routes that are on too many listeners, or delegate to too many others",
    "Name in parentRefs the listener that is meant, or split the hub: there are more paths for "
    "requests than anybody can look at.",
)
TOO_MANY_EQUALS = FindingKind(
    "SR1018",
    ERROR,
    "too many policies of one kind on one target",
    "Make one policy of several, or put them on what they are for: applied together, the order of "
    "their making decides, and more than 120 can stand in more orders than anybody can try.",
)
TOO_MUCH_MERGED = FindingKind(
    "SR1019",
    ERROR,
    "policies of one kind that come together in too many ways",
    "Make one policy of several on one target, or let those of a gateway have fewer rules: what "
    "they come to is a product of policies, rules and orders that nobody can look at.",
)
