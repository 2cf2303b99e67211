"""The topology of a spoke (SR17xx) and the attachment of policies (SR21xx).

A finding of SR21xx names its rule (`attachment.rules`), the level of the rule and its source.
"""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind, Tags

MISSING_SECTION = FindingKind(
    "SR1701",
    ERROR,
    "a section name does not exist in its target on the spoke",
    "Correct the section name, or keep a listener of that name in the listeners of the placement.",
)
DUPLICATE_TARGET = FindingKind(
    "SR1702",
    ERROR,
    "an object targets one thing twice, or both a whole object and a section of it",
    "Give the entries different section names, or place the gateways apart.",
)
NOT_ADMITTED = FindingKind(
    "SR1703",
    ERROR,
    "a parent on the spoke does not admit a route or ListenerSet that its parent on the hub admits",
    "Open allowedRoutes or allowedListeners of the parent to the namespace that the object has on "
    "the spoke.",
)
HOSTNAME_OUTSIDE = FindingKind(
    "SR1704",
    ERROR,
    "the hostname of a route is outside the hostname of its listener",
    "Map the hostname in as.hostnames of the rule, or add a listener for it.",
)
NO_GRANT = FindingKind(
    "SR1705",
    ERROR,
    "a reference crosses namespaces without a ReferenceGrant",
    "Add a ReferenceGrant in the namespace of the referenced object, or refer to an object in the "
    "same namespace.",
)
DANGLING = FindingKind(
    "SR1706",
    ERROR,
    "a reference in the tree of a spoke resolves to nothing",
    "Place the referenced object on the same spoke, or keep the labels that its selector matches.",
)
ATTACHES_LESS = FindingKind(
    "SR1707",
    ERROR,
    "a policy or route attaches to less on a spoke than on the hub",
    "Keep on the spoke what attaches it on the hub, or accept the finding under spec.suppressions "
    "of fleet.yaml.",
)
ATTACHES_MORE = FindingKind(
    "SR1708",
    WARNING,
    "a policy or route attaches to more on a spoke than on the hub; an error for a security kind",
    "Place the gateways on different spokes, or keep the labels that distinguish them, or accept "
    "the finding under spec.suppressions of fleet.yaml.",
)


def _tags(rule: str, level: str, source: str) -> Tags:
    return ("rule", rule), ("level", level), ("source", source)


_P12 = _tags("P12", "MUST", "GEP-713, conflict resolution")
_P17_TARGETS = _tags("P17", "SHOULD", "BackendTLSPolicy, targetRefs (v1.4.1)")
_P17 = _tags("P17", "MUST", "BackendTLSPolicy, validation")

NO_TARGET = FindingKind(
    "SR2101",
    ERROR,
    "a policy has no target",
    "Name the target in spec.targetRefs (spec.targetRef, spec.targetSelectors), or delete the "
    "policy.",
    _tags("P1", "MUST", "GEP-713, policy targets"),
)
NOTHING_SELECTED = FindingKind(
    "SR2102",
    WARNING,
    "the selector of a policy matches nothing",
    "Give the targets the labels that the selector matches, or name the targets.",
    _tags("P3", "MUST", "GEP-2648, conditions"),
)
MISSING_PORT = FindingKind(
    "SR2103",
    ERROR,
    "a section name is not a port of the Service",
    "Name one of the ports of the Service.",
    _tags("P4", "MUST", "GEP-2648, section names"),
)
NAMES_BACKEND = FindingKind(
    "SR2104",
    WARNING,
    "a section name is the name of a backend, not of a rule",
    "Target the backend itself, or name the rule of the route and target that name.",
    _tags("P5", "SHOULD NOT", "GEP-2648, section names"),
)
SEVERAL_FIELDS = FindingKind(
    "SR2105",
    ERROR,
    "a policy sets fields that exclude each other",
    "Keep one of the fields.",
    _tags("P6", "RECOMMENDED", "GEP-2648, migration from single to multiple targets"),
)
NOT_GRANTED = FindingKind(
    "SR2106",
    WARNING,
    "a policy targets another namespace without a ReferenceGrant",
    "Move the policy to the namespace of its target, or have the owner of that namespace add a "
    "ReferenceGrant.",
    _tags("P9", "MUST", "GEP-713, cross-namespace references; GEP-709"),
)
WRONG_TARGET = FindingKind(
    "SR2107",
    ERROR,
    "a policy targets an object of a kind that it can't attach to",
    "Target an object of a kind that the policy supports.",
    _tags("P10", "MUST", "GEP-713, target kinds; each policy's own documentation"),
)
TWO_LAYERS = FindingKind(
    "SR2108",
    WARNING,
    "direct policies of one kind are on two layers of one gateway",
    "Attach all of them to one layer: it is undefined which of them wins.",
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
    "Target the Gateways of the class; only a cluster-scoped policy can apply to a whole class.",
    _tags("P15", "MUST", "GEP-2649, cluster-scoped targets"),
)
MANY_ANCESTORS = FindingKind(
    "SR2111",
    WARNING,
    "a policy applies to more gateways than its status can list",
    "Split the policy: gateways that the status can't list may not be supported, and nothing "
    "reports it.",
    _tags("P16", "MUST", "PolicyStatus, ancestors"),
)
CONTENDED = FindingKind(
    "SR2112",
    WARNING,
    "policies of one kind conflict on one target",
    "Keep one of them, or let one target a section.",
    _P12,
)
CONTENDED_SECURITY = FindingKind(
    "SR2113",
    ERROR,
    "different security policies of one kind conflict on one target",
    "Keep one of them, or let one target a section: which of them protects the target is "
    "undefined.",
    _P12,
)
UNBROKEN = FindingKind(
    "SR2114",
    ERROR,
    "policies of one kind have the same target, and their controller does not resolve the conflict",
    "Keep one of them: the controller carries out all of them, and they overwrite each other.",
    _tags("P12", "MUST", "kuadrant-operator, isConflict"),
)
FLIPPED = FindingKind(
    "SR2115",
    WARNING,
    "another of several conflicting policies probably wins on a spoke than on the hub",
    "Keep one of the conflicting policies, or keep their names and namespaces on the spoke.",
    _P12,
)
BAD_AUTHORITIES = FindingKind(
    "SR2116",
    ERROR,
    "a policy for TLS to backends does not set which certificates to trust",
    "Set caCertificateRefs to ConfigMaps with the key ca.crt, or set wellKnownCACertificates: "
    "System.",
    _P17,
)
BAD_AUTHORITY = FindingKind(
    "SR2117",
    WARNING,
    "a CA certificate that a policy names can't be used",
    "Name a ConfigMap with the key ca.crt in the namespace of the policy.",
    _P17,
)
SEVERAL_TARGETS = FindingKind(
    "SR2118",
    INFO,
    "a policy has several targets, and its API recommends one",
    "Write one policy for each target.",
    _P17_TARGETS,
)

SHARED_DOOR = FindingKind(
    "SR2119",
    ERROR,
    "a policy is refused because another route has the hostname, port and path of its route",
    "Target both routes, or give them different paths.",
    _tags("P10", "MUST", "NGINX Gateway Fabric, checkTargetRoutesForOverlap"),
)
SHARED_PORT = FindingKind(
    "SR2120",
    ERROR,
    "a policy is refused because other listeners share the port of its listener",
    "Target the whole Gateway, or give the listener its own port.",
    _tags("P10", "MUST", "Envoy Gateway, validatePortOverlapForClientTrafficPolicy"),
)
FOREIGN_GATEWAY = FindingKind(
    "SR2141",
    ERROR,
    "a policy targets a gateway of another controller, and no controller carries it out",
    "Write a policy of that controller, or place the gateway with a class of the policy's "
    "controller.",
    _tags("P3", "MUST", "GatewayClass, controllerName; GEP-2648, conditions"),
)
UNRESOLVED = FindingKind(
    "SR2142",
    ERROR,
    "a policy is not accepted because it refers to an object that does not exist or is not "
    "permitted",
    "Correct the reference, or add a ReferenceGrant; until then requests are refused.",
    _tags("P9", "MUST", "GEP-709; Envoy Gateway, internal/gatewayapi"),
)
FAILING_VALUE = FindingKind(
    "SR2143",
    ERROR,
    "the controller of a policy can't use a value and refuses requests to the targets of the "
    "policy",
    "Correct the value.",
    _tags("P19", "MUST", "Envoy Gateway, internal/gatewayapi"),
)
REFUSED_VALUE = FindingKind(
    "SR2144",
    ERROR,
    "the controller of a policy refuses the policy because of a value, and carries out nothing of "
    "it",
    "Correct the value.",
    _tags("P19", "MUST", "Envoy Gateway, internal/gatewayapi"),
)

NO_LABEL = FindingKind(
    "SR2121",
    INFO,
    "the CRD of a policy has no policy label, or an invalid one",
    "Label it `gateway.networking.k8s.io/policy: Direct` or `Inherited`.",
    _tags("C1", "SHOULD", "PolicyLabelKey; MUST in GEP-2648"),
)
NO_STATUS = FindingKind(
    "SR2122",
    INFO,
    "the CRD of a policy has no spec, or no status with conditions",
    "Add both, and the status subresource.",
    _tags("C2", "MUST", "GEP-713, policy objects"),
)
NOT_NAMED_POLICY = FindingKind(
    "SR2123",
    INFO,
    "the kind of a policy does not end in `Policy`",
    "Let the kind end in `Policy` and the plural in `policies`, as GEP-2648 recommends.",
    _tags("C3", "SHOULD", "GEP-2648, naming"),
)
ODD_TARGETS = FindingKind(
    "SR2124",
    INFO,
    "the CRD of a policy has its targets outside targetRefs, or without group and kind",
    "Keep the targets in spec.targetRefs, with group, kind and name.",
    _tags("C4", "MUST", "GEP-713, policy targets"),
)
UNLIMITED_TARGETS = FindingKind(
    "SR2125",
    INFO,
    "the CRD of a policy allows too many targets, or none",
    "Set minItems: 1 and maxItems: 16 or less.",
    _tags("C5", "MUST", "GEP-2648, multiple targets"),
)
BOTH_TARGET_FIELDS = FindingKind(
    "SR2126",
    INFO,
    "the CRD of a policy allows targetRef and targetRefs at once",
    "Add a CEL rule that allows only one of them.",
    _tags("C6", "RECOMMENDED", "GEP-2648, migration from single to multiple targets"),
)
OPEN_NAMESPACE = FindingKind(
    "SR2127",
    INFO,
    "the CRD of a policy allows targets in other namespaces",
    "Use local references, or require a ReferenceGrant.",
    _tags("C7", "MUST", "GEP-713, cross-namespace references"),
)
SUSPECT_LABEL = FindingKind(
    "SR2128",
    INFO,
    "the CRD of a policy is labelled as direct, and the policy is inherited",
    "Label it `Inherited`, or allow one kind of target and no merge strategies.",
    _tags("C8", "MUST", "GEP-713, classes of policies"),
)
UNSELECTABLE = FindingKind(
    "SR2129",
    INFO,
    "the CRD of a policy allows two merge strategies in one object",
    "Add a CEL rule that allows only one of them.",
    _tags("C9", "MUST", "GEP-713, merge strategies"),
)
OTHER_STATUS = FindingKind(
    "SR2130",
    INFO,
    "the CRD of a policy does not have the status that GEP-713 recommends",
    "Use PolicyStatus: at most 16 ancestors, each with one to eight conditions.",
    _tags("C10", "SHOULD", "GEP-713, status; PolicyStatus"),
)
