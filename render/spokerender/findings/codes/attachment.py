"""The topology of a spoke (SR17xx) and the attachment of policies (SR21xx).

A finding of SR21xx names its rule (`attachment.rules`), the level of the rule and its source.
"""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind, Tags

MISSING_SECTION = FindingKind("SR1701", ERROR)
DUPLICATE_TARGET = FindingKind("SR1702", ERROR)
NOT_ADMITTED = FindingKind("SR1703", ERROR)
HOSTNAME_OUTSIDE = FindingKind("SR1704", ERROR)
NO_GRANT = FindingKind("SR1705", ERROR)
DANGLING = FindingKind("SR1706", ERROR)
ATTACHES_LESS = FindingKind("SR1707", ERROR)
ATTACHES_MORE = FindingKind("SR1708", WARNING)


def _tags(rule: str, level: str, source: str) -> Tags:
    return ("rule", rule), ("level", level), ("source", source)


_P12 = _tags("P12", "MUST", "GEP-713, conflict resolution")
_P17_TARGETS = _tags("P17", "SHOULD", "BackendTLSPolicy, targetRefs (v1.4.1)")
_P17 = _tags("P17", "MUST", "BackendTLSPolicy, validation")

NO_TARGET = FindingKind("SR2101", ERROR, tags=_tags("P1", "MUST", "GEP-713, policy targets"))
NOTHING_SELECTED = FindingKind("SR2102", WARNING, tags=_tags("P3", "MUST", "GEP-2648, conditions"))
MISSING_PORT = FindingKind("SR2103", ERROR, tags=_tags("P4", "MUST", "GEP-2648, section names"))
NAMES_BACKEND = FindingKind(
    "SR2104", WARNING, tags=_tags("P5", "SHOULD NOT", "GEP-2648, section names")
)
SEVERAL_FIELDS = FindingKind(
    "SR2105",
    ERROR,
    tags=_tags("P6", "RECOMMENDED", "GEP-2648, migration from single to multiple targets"),
)
NOT_GRANTED = FindingKind(
    "SR2106", WARNING, tags=_tags("P9", "MUST", "GEP-713, cross-namespace references; GEP-709")
)
WRONG_TARGET = FindingKind(
    "SR2107",
    ERROR,
    tags=_tags("P10", "MUST", "GEP-713, target kinds; each policy's own documentation"),
)
TWO_LAYERS = FindingKind("SR2108", WARNING, tags=_tags("P11", "MUST", "GEP-2648, design rules"))
TWO_STRATEGIES = FindingKind(
    "SR2109", ERROR, tags=_tags("P14", "MUST NOT", "GEP-713, merge strategies")
)
CLASS_TARGET = FindingKind(
    "SR2110", WARNING, tags=_tags("P15", "MUST", "GEP-2649, cluster-scoped targets")
)
MANY_ANCESTORS = FindingKind(
    "SR2111", WARNING, tags=_tags("P16", "MUST", "PolicyStatus, ancestors")
)
CONTENDED = FindingKind("SR2112", WARNING, tags=_P12)
CONTENDED_SECURITY = FindingKind("SR2113", ERROR, tags=_P12)
UNBROKEN = FindingKind("SR2114", ERROR, tags=_tags("P12", "MUST", "kuadrant-operator, isConflict"))
FLIPPED = FindingKind("SR2115", WARNING, tags=_P12)
BAD_AUTHORITIES = FindingKind("SR2116", ERROR, tags=_P17)
BAD_AUTHORITY = FindingKind("SR2117", WARNING, tags=_P17)
SEVERAL_TARGETS = FindingKind("SR2118", INFO, tags=_P17_TARGETS)

SHARED_DOOR = FindingKind(
    "SR2119", ERROR, tags=_tags("P10", "MUST", "NGINX Gateway Fabric, checkTargetRoutesForOverlap")
)
SHARED_PORT = FindingKind(
    "SR2120",
    ERROR,
    tags=_tags("P10", "MUST", "Envoy Gateway, validatePortOverlapForClientTrafficPolicy"),
)
FOREIGN_GATEWAY = FindingKind(
    "SR2141", ERROR, tags=_tags("P3", "MUST", "GatewayClass, controllerName; GEP-2648, conditions")
)
UNRESOLVED = FindingKind(
    "SR2142", ERROR, tags=_tags("P9", "MUST", "GEP-709; Envoy Gateway, internal/gatewayapi")
)
FAILING_VALUE = FindingKind(
    "SR2143", ERROR, tags=_tags("P19", "MUST", "Envoy Gateway, internal/gatewayapi")
)
REFUSED_VALUE = FindingKind(
    "SR2144", ERROR, tags=_tags("P19", "MUST", "Envoy Gateway, internal/gatewayapi")
)

NO_LABEL = FindingKind(
    "SR2121", INFO, tags=_tags("C1", "SHOULD", "PolicyLabelKey; MUST in GEP-2648")
)
NO_STATUS = FindingKind("SR2122", INFO, tags=_tags("C2", "MUST", "GEP-713, policy objects"))
NOT_NAMED_POLICY = FindingKind("SR2123", INFO, tags=_tags("C3", "SHOULD", "GEP-2648, naming"))
ODD_TARGETS = FindingKind("SR2124", INFO, tags=_tags("C4", "MUST", "GEP-713, policy targets"))
UNLIMITED_TARGETS = FindingKind(
    "SR2125", INFO, tags=_tags("C5", "MUST", "GEP-2648, multiple targets")
)
BOTH_TARGET_FIELDS = FindingKind(
    "SR2126",
    INFO,
    tags=_tags("C6", "RECOMMENDED", "GEP-2648, migration from single to multiple targets"),
)
OPEN_NAMESPACE = FindingKind(
    "SR2127", INFO, tags=_tags("C7", "MUST", "GEP-713, cross-namespace references")
)
SUSPECT_LABEL = FindingKind(
    "SR2128", INFO, tags=_tags("C8", "MUST", "GEP-713, classes of policies")
)
UNSELECTABLE = FindingKind("SR2129", INFO, tags=_tags("C9", "MUST", "GEP-713, merge strategies"))
OTHER_STATUS = FindingKind(
    "SR2130", INFO, tags=_tags("C10", "SHOULD", "GEP-713, status; PolicyStatus")
)
