"""The topology of a spoke (SR17xx), attachment (SR21xx) and validation of objects (SR23xx).

A finding of SR21xx has tags with its rule (`attachment.attach`), the rule's level and source.
"""

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind, Severity

MISSING_SECTION = FindingKind("SR1701", ERROR)
DUPLICATE_TARGET = FindingKind("SR1702", ERROR)
NOT_ADMITTED = FindingKind("SR1703", ERROR)
HOSTNAME_OUTSIDE = FindingKind("SR1704", ERROR)
NO_GRANT = FindingKind("SR1705", ERROR)
DANGLING = FindingKind("SR1706", ERROR)
ATTACHES_LESS = FindingKind("SR1707", ERROR)
ATTACHES_MORE = FindingKind("SR1708", WARNING)
OTHER_BACKEND = FindingKind("SR1709", ERROR)
SHARED_GRANT = FindingKind("SR1710", WARNING)


def _rule(code: str, severity: Severity, rule: str, level: str, source: str) -> FindingKind:
    return FindingKind(code, severity, (("rule", rule), ("level", level), ("source", source)))


NO_TARGET = _rule("SR2101", ERROR, "P1", "MUST", "GEP-713, policy targets")
NOTHING_SELECTED = _rule("SR2102", WARNING, "P3", "MUST", "GEP-2648, conditions")
MISSING_PORT = _rule("SR2103", ERROR, "P4", "MUST", "GEP-2648, section names")
NAMES_BACKEND = _rule("SR2104", WARNING, "P5", "SHOULD NOT", "GEP-2648, section names")
SEVERAL_FIELDS = _rule(
    "SR2105", ERROR, "P6", "RECOMMENDED", "GEP-2648, migration from single to multiple targets"
)
NOT_GRANTED = _rule("SR2106", WARNING, "P9", "MUST", "GEP-713, cross-namespace references; GEP-709")
WRONG_TARGET = _rule(
    "SR2107", ERROR, "P10", "MUST", "GEP-713, target kinds; each policy's own documentation"
)
TWO_LAYERS = _rule("SR2108", WARNING, "P11", "MUST", "GEP-2648, design rules")
TWO_STRATEGIES = _rule("SR2109", ERROR, "P14", "MUST NOT", "GEP-713, merge strategies")
CLASS_TARGET = _rule("SR2110", WARNING, "P15", "MUST", "GEP-2649, cluster-scoped targets")
MANY_ANCESTORS = _rule("SR2111", WARNING, "P16", "MUST", "PolicyStatus, ancestors")
CONTENDED = _rule("SR2112", WARNING, "P12", "MUST", "GEP-713, conflict resolution")
CONTENDED_SECURITY = _rule("SR2113", ERROR, "P12", "MUST", "GEP-713, conflict resolution")
UNBROKEN = _rule("SR2114", ERROR, "P12", "MUST", "kuadrant-operator, isConflict")
FLIPPED = _rule("SR2115", WARNING, "P12", "MUST", "GEP-713, conflict resolution")
BAD_AUTHORITIES = _rule("SR2116", ERROR, "P17", "MUST", "BackendTLSPolicy, validation")
BAD_AUTHORITY = _rule("SR2117", WARNING, "P17", "MUST", "BackendTLSPolicy, validation")
SEVERAL_TARGETS = _rule("SR2118", INFO, "P17", "SHOULD", "BackendTLSPolicy, targetRefs (v1.4.1)")

SHARED_DOOR = _rule(
    "SR2119", ERROR, "P10", "MUST", "NGINX Gateway Fabric, checkTargetRoutesForOverlap"
)
SHARED_PORT = _rule(
    "SR2120", ERROR, "P10", "MUST", "Envoy Gateway, validatePortOverlapForClientTrafficPolicy"
)
FOREIGN_GATEWAY = _rule(
    "SR2141", ERROR, "P3", "MUST", "GatewayClass, controllerName; GEP-2648, conditions"
)
UNRESOLVED = _rule("SR2142", ERROR, "P9", "MUST", "GEP-709; Envoy Gateway, internal/gatewayapi")
FAILING_VALUE = _rule("SR2143", ERROR, "P19", "MUST", "Envoy Gateway, internal/gatewayapi")
REFUSED_VALUE = _rule("SR2144", ERROR, "P19", "MUST", "Envoy Gateway, internal/gatewayapi")

NO_LABEL = _rule("SR2121", INFO, "C1", "SHOULD", "PolicyLabelKey; MUST in GEP-2648")
NO_STATUS = _rule("SR2122", INFO, "C2", "MUST", "GEP-713, policy objects")
NOT_NAMED_POLICY = _rule("SR2123", INFO, "C3", "SHOULD", "GEP-2648, naming")
ODD_TARGETS = _rule("SR2124", INFO, "C4", "MUST", "GEP-713, policy targets")
UNLIMITED_TARGETS = _rule("SR2125", INFO, "C5", "MUST", "GEP-2648, multiple targets")
BOTH_TARGET_FIELDS = _rule(
    "SR2126", INFO, "C6", "RECOMMENDED", "GEP-2648, migration from single to multiple targets"
)
OPEN_NAMESPACE = _rule("SR2127", INFO, "C7", "MUST", "GEP-713, cross-namespace references")
SUSPECT_LABEL = _rule("SR2128", INFO, "C8", "MUST", "GEP-713, classes of policies")
UNSELECTABLE = _rule("SR2129", INFO, "C9", "MUST", "GEP-713, merge strategies")
OTHER_STATUS = _rule("SR2130", INFO, "C10", "SHOULD", "GEP-713, status; PolicyStatus")


INVALID_VALUE = FindingKind("SR2301", ERROR)
UNKNOWN_FIELD = FindingKind("SR2302", ERROR)
RULE_BROKEN = FindingKind("SR2303", ERROR)
DUPLICATE_ITEM = FindingKind("SR2304", ERROR)
BAD_METADATA = FindingKind("SR2305", ERROR)
NOT_SERVED = FindingKind("SR2306", ERROR)
NO_SCHEMA = FindingKind("SR2307", INFO)
UNEVALUATED = FindingKind("SR2308", WARNING)
BAD_CRD = FindingKind("SR2309", ERROR)
AMBIGUOUS_CRD = FindingKind("SR2310", ERROR)
ABSENT_CRD = FindingKind("SR2311", ERROR)
UNHEARD_VERSION = FindingKind("SR2312", ERROR)
UNHEARD_FIELD = FindingKind("SR2313", WARNING)
