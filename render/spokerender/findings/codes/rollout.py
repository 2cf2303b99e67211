"""Rollouts: groups and waves of spokes (SR26xx)."""

from spokerender.findings.results import ERROR, INFO, FindingKind

BAD_GROUP = FindingKind("SR2601", ERROR)
BAD_RECORD = FindingKind("SR2602", ERROR)
UNKNOWN_WAVE = FindingKind("SR2603", ERROR)
HELD_CHANGED = FindingKind("SR2604", ERROR)
WAITING = FindingKind("SR2605", INFO)
