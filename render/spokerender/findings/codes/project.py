"""The project: its own files (SR11xx), files and folders (SR12xx), arguments of commands (SR20xx).

And its suppressions (SR24xx).
"""

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

UNREADABLE_FILE = FindingKind("SR1101", ERROR)
WRONG_DOCUMENT = FindingKind("SR1102", ERROR)
UNKNOWN_KEY = FindingKind("SR1103", ERROR)
MISSING_KEY = FindingKind("SR1104", ERROR)
INVALID_VALUE = FindingKind("SR1105", ERROR)
OTHER_VERSION = FindingKind("SR1106", ERROR)
DUPLICATE_NAME = FindingKind("SR1107", ERROR)
MISSING = FindingKind("SR1201", ERROR)
EMPTY = FindingKind("SR1202", ERROR)
UNREADABLE = FindingKind("SR1203", ERROR)
TOO_LARGE = FindingKind("SR1204", ERROR)
BLOCKED = FindingKind("SR1205", ERROR)
FLUX_BOOTSTRAP = FindingKind("SR1206", ERROR)
FOREIGN = FindingKind("SR1207", INFO)
STRAY = FindingKind("SR1208", WARNING)
STALE = FindingKind("SR1209", ERROR)
OVERLAP = FindingKind("SR1210", ERROR)
STEERED = FindingKind("SR1211", ERROR)
FOREIGN_FOLDER = FindingKind("SR1212", ERROR)
HIDDEN = FindingKind("SR1213", WARNING)
BAD_NAME = FindingKind("SR2001", ERROR)
UNKNOWN_OBJECT = FindingKind("SR2002", ERROR)
AMBIGUOUS = FindingKind("SR2003", ERROR)
UNKNOWN_SPOKE = FindingKind("SR2004", ERROR)
UNKNOWN_CODE = FindingKind("SR2005", ERROR)
UNKNOWN_ROUTE = FindingKind("SR2006", ERROR)
UNKNOWN_POLICY_KIND = FindingKind("SR2007", ERROR)
STALE_SUPPRESSION = FindingKind("SR2401", WARNING)
