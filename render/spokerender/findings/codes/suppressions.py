"""Suppressions, and what can't be suppressed: SR24xx."""

from __future__ import annotations

from collections.abc import Mapping

from spokerender.findings.results import WARNING, FindingKind

STALE_SUPPRESSION = FindingKind(
    "SR2401",
    WARNING,
    "a suppression that matches nothing",
    "Take the entry out of spec.suppressions in fleet.yaml, or mend the name, code or spoke in it.",
)

INSTEAD: Mapping[str, str] = {
    "SR11": "mend the file that it names: nothing can be rendered without it",
    "SR12": "mend the file or folder that it names",
    "SR19": "acknowledge the deletion under spec.deletions",
    "SR20": "mend the argument: fleet.yaml has no say in it",
    "SR24": "take the suppression out that it is about",
    "SR1507": "give the two different names or namespaces: a file has one of them only",
    "SR30": "mend what was to be brought in: fleet.yaml has no say in it",
}
"""What to do about findings that nobody can suppress, by code or by its first four characters."""


def instead_of_suppressing(code: str) -> str:
    """What to do about findings of a code that can't be suppressed; empty if it can be."""
    return INSTEAD.get(code) or INSTEAD.get(code[:4], "")
