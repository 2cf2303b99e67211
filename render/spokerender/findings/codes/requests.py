"""Tests of requests (SR31xx)."""

from spokerender.findings.results import ERROR, FindingKind

TEST_FAILED = FindingKind("SR3101", ERROR)
NOT_DECIDED = FindingKind("SR3102", ERROR)
NO_MATCH = FindingKind("SR3103", ERROR)
