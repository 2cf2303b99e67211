"""Delivery and output: SR18xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, FindingKind

BAD_DELIVERY = FindingKind(
    "SR1801",
    ERROR,
    "a delivery file can't be made",
    "Mend the template, or the settings under spec.delivery in fleet.yaml that it uses.",
)
MISPLACED = FindingKind(
    "SR1805",
    ERROR,
    "an engine would look for the trees where they are not",
    "Say in `path` of the engine where the trees are from the top of their repository. It is never "
    "read off the checkout, so that the same sources always render to the same bytes.",
)
