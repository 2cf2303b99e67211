"""Deletions: SR19xx."""

from __future__ import annotations

from render.findings.results import ERROR, WARNING, FindingKind

DELETION = FindingKind(
    "SR1901",
    ERROR,
    "a deletion that nobody acknowledged",
    "Bring back what would go. If it is meant to go, add it to spec.deletions in fleet.yaml "
    "with a reason, or build once with --allow-delete.",
)
STALE_ACKNOWLEDGEMENT = FindingKind(
    "SR1902",
    WARNING,
    "an acknowledged deletion that does not happen",
    "Take the entry out of spec.deletions in fleet.yaml: either it has done its work, or the "
    "name in it is wrong.",
)
UNKNOWN_DELETION = FindingKind(
    "SR1903",
    ERROR,
    "--allow-delete names nothing that would go",
    "Leave the option out, or name what would go just as the refused build names it.",
)
