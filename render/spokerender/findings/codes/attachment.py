"""Attachment: SR21xx. Each names its rule (`attachment.rules`), its level and its source."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind, Tags


def _tags(rule: str, level: str, source: str) -> Tags:
    return ("rule", rule), ("level", level), ("source", source)


_P12 = _tags("P12", "MUST", "GEP-713, conflict resolution")
_P17_TARGETS = _tags("P17", "SHOULD", "BackendTLSPolicy, targetRefs (v1.4.1)")
_P17 = _tags("P17", "MUST", "BackendTLSPolicy, validation")

NO_TARGET = FindingKind(
    "SR2101",
    ERROR,
    "a policy has no target",
    "Name what it is for in spec.targetRefs (spec.targetRef, spec.targetSelectors), or delete it.",
    _tags("P1", "MUST", "GEP-713, policy targets"),
)
NOTHING_SELECTED = FindingKind(
    "SR2102",
    WARNING,
    "a policy's selector selects nothing",
    "Give the targets the labels that it selects, or name the targets.",
    _tags("P3", "MUST", "GEP-2648, conditions"),
)
MISSING_PORT = FindingKind(
    "SR2103",
    ERROR,
    "a section name that its Service does not have as a port",
    "Write the name of one of the Service's ports.",
    _tags("P4", "MUST", "GEP-2648, section names"),
)
NAMES_BACKEND = FindingKind(
    "SR2104",
    WARNING,
    "a section name that is a backend's name, not a rule's",
    "Target the backend itself; or name the route's rule, and target that.",
    _tags("P5", "SHOULD NOT", "GEP-2648, section names"),
)
SEVERAL_FIELDS = FindingKind(
    "SR2105",
    ERROR,
    "a policy has fields of which it may have one",
    "Keep one of them.",
    _tags("P6", "RECOMMENDED", "GEP-2648, migration from single to multiple targets"),
)
NOT_GRANTED = FindingKind(
    "SR2106",
    WARNING,
    "a policy reaches into another namespace without a ReferenceGrant",
    "Move the policy to its target's namespace, or have that namespace's owner grant it.",
    _tags("P9", "MUST", "GEP-713, cross-namespace references; GEP-709"),
)
WRONG_TARGET = FindingKind(
    "SR2107",
    ERROR,
    "a policy's target is of a kind that it can't attach to",
    "Target an object of a kind that the policy is for.",
    _tags("P10", "MUST", "GEP-713, target kinds; each policy's own documentation"),
)
TWO_LAYERS = FindingKind(
    "SR2108",
    WARNING,
    "direct policies of one kind are on two layers of one gateway",
    "Attach all of them to one layer: nothing says which of them would win.",
    _tags("P11", "MUST", "GEP-2648, design rules"),
)
TWO_STRATEGIES = FindingKind(
    "SR2109",
    ERROR,
    "a policy declares two merge strategies",
    "Keep one of `defaults`, `overrides` and the bare fields; write a second policy for the other.",
    _tags("P14", "MUST NOT", "GEP-713, merge strategies"),
)
CLASS_TARGET = FindingKind(
    "SR2110",
    WARNING,
    "a namespaced policy targets a GatewayClass",
    "Target the class's Gateways; only a cluster-scoped policy may be for all of a class.",
    _tags("P15", "MUST", "GEP-2649, cluster-scoped targets"),
)
MANY_ANCESTORS = FindingKind(
    "SR2111",
    WARNING,
    "a policy reaches more gateways than its status has entries for",
    "Split the policy: what has no entry may not be implemented, and nobody is told.",
    _tags("P16", "MUST", "PolicyStatus, ancestors"),
)
CONTENDED = FindingKind(
    "SR2112",
    WARNING,
    "policies of one kind contend for one target",
    "Keep one of them, or let one be for a section.",
    _P12,
)
CONTENDED_SECURITY = FindingKind(
    "SR2113",
    ERROR,
    "security policies of one kind contend for one target, and differ",
    "Keep one of them, or let one be for a section: which one protects is left to chance.",
    _P12,
)
UNBROKEN = FindingKind(
    "SR2114",
    ERROR,
    "policies of one kind have one target, and their controller breaks no tie",
    "Keep one of them: applied at once, all are carried out, and undo each other's work.",
    _tags("P12", "MUST", "kuadrant-operator, isConflict"),
)
FLIPPED = FindingKind(
    "SR2115",
    WARNING,
    "another policy is likely to hold on a spoke than on the hub",
    "Keep one of the contending policies, or keep their names and namespaces.",
    _P12,
)
BAD_AUTHORITIES = FindingKind(
    "SR2116",
    ERROR,
    "a policy for TLS to backends does not say whose certificates to trust",
    "Set caCertificateRefs, to ConfigMaps with the key ca.crt, or wellKnownCACertificates: System.",
    _P17,
)
BAD_AUTHORITY = FindingKind(
    "SR2117",
    WARNING,
    "a CA certificate that a policy names can't be used",
    "Name a ConfigMap of the policy's own namespace that has the key ca.crt.",
    _P17,
)
SEVERAL_TARGETS = FindingKind(
    "SR2118",
    INFO,
    "a policy has several targets where its API asks for one",
    "Write one policy for each target.",
    _P17_TARGETS,
)

SHARED_DOOR = FindingKind(
    "SR2119",
    ERROR,
    "a policy is refused because another route has its route's hostname, port and path",
    "Target both routes, or let them have different paths.",
    _tags("P10", "MUST", "NGINX Gateway Fabric, checkTargetRoutesForOverlap"),
)
SHARED_PORT = FindingKind(
    "SR2120",
    ERROR,
    "a policy is refused because other listeners share the port of its own",
    "Target all of the Gateway, or give the listener a port of its own.",
    _tags("P10", "MUST", "Envoy Gateway, validatePortOverlapForClientTrafficPolicy"),
)
FOREIGN_GATEWAY = FindingKind(
    "SR2141",
    ERROR,
    "a policy is for gateways of another controller: nobody carries it out",
    "Write a policy of that controller's, or place the gateway with a class of the policy's own.",
    _tags("P3", "MUST", "GatewayClass, controllerName; GEP-2648, conditions"),
)
UNRESOLVED = FindingKind(
    "SR2142",
    ERROR,
    "a policy is not accepted for what it names: it may not be named, or is not there",
    "Correct the reference, or add the ReferenceGrant; until then requests are refused.",
    _tags("P9", "MUST", "GEP-709; Envoy Gateway, internal/gatewayapi"),
)
FAILING_VALUE = FindingKind(
    "SR2143",
    ERROR,
    "a policy's controller can't work with a value: it refuses requests on the policy's targets",
    "Correct the value.",
    _tags("P19", "MUST", "Envoy Gateway, internal/gatewayapi"),
)
REFUSED_VALUE = FindingKind(
    "SR2144",
    ERROR,
    "a policy's controller refuses it for a value: nothing of it is carried out",
    "Correct the value.",
    _tags("P19", "MUST", "Envoy Gateway, internal/gatewayapi"),
)

NO_LABEL = FindingKind(
    "SR2121",
    INFO,
    "a policy's CRD has no policy label, or one with an odd value",
    "Label it `gateway.networking.k8s.io/policy: Direct` or `Inherited`.",
    _tags("C1", "SHOULD", "PolicyLabelKey; MUST in GEP-2648"),
)
NO_STATUS = FindingKind(
    "SR2122",
    INFO,
    "a policy's CRD has no spec, or no status with conditions",
    "Give it both, and the status subresource.",
    _tags("C2", "MUST", "GEP-713, policy objects"),
)
NOT_NAMED_POLICY = FindingKind(
    "SR2123",
    INFO,
    "a policy's kind does not say that it is one",
    "Let the kind end in `Policy` and the plural in `policies`.",
    _tags("C3", "SHOULD", "GEP-2648, naming"),
)
ODD_TARGETS = FindingKind(
    "SR2124",
    INFO,
    "a policy's CRD has its targets elsewhere than in targetRefs, or without group and kind",
    "Keep targets in spec.targetRefs, each with group, kind and name.",
    _tags("C4", "MUST", "GEP-713, policy targets"),
)
UNLIMITED_TARGETS = FindingKind(
    "SR2125",
    INFO,
    "a policy's CRD allows too many targets, or none",
    "Set minItems: 1 and maxItems: 16 or less.",
    _tags("C5", "MUST", "GEP-2648, multiple targets"),
)
BOTH_TARGET_FIELDS = FindingKind(
    "SR2126",
    INFO,
    "a policy's CRD allows targetRef and targetRefs at once",
    "Add a CEL rule that allows only one of them.",
    _tags("C6", "RECOMMENDED", "GEP-2648, migration from single to multiple targets"),
)
OPEN_NAMESPACE = FindingKind(
    "SR2127",
    INFO,
    "a policy's targets may be in other namespaces",
    "Use local references, or ask for a ReferenceGrant.",
    _tags("C7", "MUST", "GEP-713, cross-namespace references"),
)
SUSPECT_LABEL = FindingKind(
    "SR2128",
    INFO,
    "a policy's CRD says that it is direct, and is not",
    "Label it `Inherited`, or let it have one kind of target and no strategies.",
    _tags("C8", "MUST", "GEP-713, classes of policies"),
)
UNSELECTABLE = FindingKind(
    "SR2129",
    INFO,
    "a policy's CRD lets one object declare two merge strategies",
    "Add a CEL rule that allows only one of them.",
    _tags("C9", "MUST", "GEP-713, merge strategies"),
)
OTHER_STATUS = FindingKind(
    "SR2130",
    INFO,
    "a policy's CRD does not have the status that GEP-713 wants",
    "Use PolicyStatus: at most 16 ancestors, each with one to eight conditions.",
    _tags("C10", "SHOULD", "GEP-713, status; PolicyStatus"),
)
