"""Findings about sync lists (SR13xx) and placement (SR14xx)."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

NO_SYNC_LIST = FindingKind("SR1301", ERROR)
BAD_PARAMETERS = FindingKind("SR1302", ERROR)
FOREIGN_PARAMETERS = FindingKind("SR1303", INFO)
UNKNOWN_KIND = FindingKind("SR1304", ERROR)
ASSUMED_SHAPE = FindingKind("SR1305", INFO)
CLASS_UNCHANGED = FindingKind("SR1306", ERROR)
UNKNOWN_CLASS = FindingKind("SR1307", ERROR)
UNUSED_POLICY_KIND = FindingKind("SR1308", WARNING)
NO_GATEWAY = FindingKind("SR1401", ERROR)
NO_SPOKE = FindingKind("SR1402", ERROR)
EMPTY_SELECTION = FindingKind("SR1403", WARNING)
UNPLACED_GATEWAY = FindingKind("SR1404", WARNING)
PLACED_TWICE = FindingKind("SR1405", ERROR)
BAD_TEMPLATE = FindingKind("SR1406", ERROR)
BAD_VALUE = FindingKind("SR1407", ERROR)
EMPTY_SPOKE = FindingKind("SR1408", INFO)
UNUSED_HOSTNAME = FindingKind("SR1409", WARNING)
TOO_MANY_EXPRESSIONS = FindingKind("SR1410", ERROR)
TOO_MUCH_PLACED = FindingKind("SR1411", ERROR)
RENAMED_GATEWAY = FindingKind("SR1412", ERROR)
