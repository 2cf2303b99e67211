"""Findings about objects that the API server would refuse: SR23xx."""

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

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
