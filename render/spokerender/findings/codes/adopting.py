"""Findings of `import`, `init`, `spoke` and `crds`: SR30xx."""

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

SECRET = FindingKind("SR3001", WARNING)
CONTROLLED = FindingKind("SR3002", INFO)
BEING_DELETED = FindingKind("SR3003", WARNING)
UNUSED_CRD = FindingKind("SR3004", INFO)
TWO_TALES = FindingKind("SR3005", ERROR)
NOT_EDITED = FindingKind("SR3006", WARNING)
NOTHING = FindingKind("SR3007", ERROR)
IN_THE_WAY = FindingKind("SR3008", ERROR)
LEFT_ALONE = FindingKind("SR3009", WARNING)
SPOKE_IS_THERE = FindingKind("SR3010", ERROR)
LAST_SPOKE = FindingKind("SR3011", ERROR)
ONLY_SPOKE = FindingKind("SR3012", ERROR)
UNEDITABLE = FindingKind("SR3013", ERROR)
NO_RESOURCE_LIST = FindingKind("SR3014", ERROR)
WRONG_FUNCTION_CONFIG = FindingKind("SR3015", ERROR)
NO_LONGER_RENDERED = FindingKind("SR3016", WARNING)
NO_CRD = FindingKind("SR3017", ERROR)
NOT_FROM_US = FindingKind("SR3018", ERROR)
SAID_TWICE = FindingKind("SR3020", WARNING)
NO_PLACEMENT = FindingKind("SR3019", ERROR)
