"""Overrides: SR16xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, WARNING, FindingKind

OVERRIDE_UNUSED = FindingKind(
    "SR1601",
    ERROR,
    "an override matches nothing",
    "Correct the override's target or its spokes, or set optional: true if it may match nothing.",
)
OVERRIDE_FAILED = FindingKind(
    "SR1602",
    ERROR,
    "a patch can't be applied",
    "Correct the patch: each path in it has to lead to something in the rendered object.",
)
OVERRIDE_FORBIDDEN = FindingKind(
    "SR1603",
    ERROR,
    "an override changes an identity or a gateway reference",
    "Name, move and retarget with the rule's as, which rewrites every reference as well.",
)
OVERRIDE_INVALID = FindingKind(
    "SR1604",
    ERROR,
    "an override makes an object that no API server takes",
    "Correct the override: listeners complete and distinct, hostnames in lower case, labels and "
    "annotations texts.",
)
SIMILAR_KEY = FindingKind(
    "SR1605",
    WARNING,
    "an override adds a key beside one that is nearly the same",
    "Correct the key. If both are meant, have the kind's CRD in the hub, or write the key with a "
    "JSON patch's add.",
)
TOO_MANY_OVERRIDES = FindingKind(
    "SR1606",
    ERROR,
    "overrides change more than a fleet of that size has",
    "Make one override of several that mean the same objects, or say in the hub what holds "
    "everywhere: each override is applied to each object that it means, one after the other.",
)
