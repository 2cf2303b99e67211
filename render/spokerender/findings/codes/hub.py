"""The hub's files and objects: SR10xx."""

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

UNREADABLE = FindingKind("SR1001", ERROR)
NOT_AN_OBJECT = FindingKind("SR1002", ERROR)
DUPLICATE = FindingKind("SR1003", ERROR)
EMPTY_HUB = FindingKind("SR1004", ERROR)
SKIPPED_FILE = FindingKind("SR1005", INFO)
NO_NAMESPACE = FindingKind("SR1006", WARNING)
BAD_NAME = FindingKind("SR1007", ERROR)
BAD_TYPE = FindingKind("SR1008", ERROR)
MISSING_TARGET = FindingKind("SR1010", ERROR)
KUSTOMIZED = FindingKind("SR1012", ERROR)
PLACEHOLDERS = FindingKind("SR1013", ERROR)
MALFORMED_REFERENCE = FindingKind("SR1011", ERROR)
MISSPELT_KIND = FindingKind("SR1015", ERROR)
TOO_LONG = FindingKind("SR1016", ERROR)
TOO_MANY_PATHS = FindingKind("SR1017", ERROR)
TOO_MANY_EQUALS = FindingKind("SR1018", ERROR)
TOO_MUCH_MERGED = FindingKind("SR1019", ERROR)
