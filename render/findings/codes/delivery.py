"""Delivery and output: SR18xx."""

from __future__ import annotations

from render.findings.results import ERROR, FindingKind

BAD_DELIVERY = FindingKind(
    "SR1801",
    ERROR,
    "a delivery file can't be made",
    "Mend the template, or the settings under spec.delivery in fleet.yaml that it uses.",
)
