"""Exports of spokes beside what was expected of them (SR29xx)."""

from spokerender.findings.results import ERROR, INFO, FindingKind

BAD_SNAPSHOT = FindingKind("SR2901", ERROR)
OTHER_CONDITION = FindingKind("SR2902", ERROR)
MISSING_OBJECT = FindingKind("SR2903", ERROR)
LEFTOVER_OBJECT = FindingKind("SR2904", ERROR)
DRIFT = FindingKind("SR2905", ERROR)
NOT_OBSERVED = FindingKind("SR2906", INFO)
