"""Our own files, fleet.yaml and the placement: SR11xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, FindingKind

UNREADABLE_FILE = FindingKind(
    "SR1101",
    ERROR,
    "fleet.yaml or a placement file is not YAML",
    "Correct the YAML at the line that it names.",
)
WRONG_DOCUMENT = FindingKind(
    "SR1102",
    ERROR,
    "a document of fleet.yaml or the placement is not the one that belongs there",
    "Begin it with apiVersion: spokerender.io/v1alpha1 and the kind: Fleet in fleet.yaml, with one "
    "document only, and Placement in the placement.",
)
UNKNOWN_KEY = FindingKind(
    "SR1103",
    ERROR,
    "a key that fleet.yaml and the placement do not have",
    "Correct the key or remove it: spokerender schema prints every key that there is.",
)
MISSING_KEY = FindingKind(
    "SR1104",
    ERROR,
    "a key that must be there is not",
    "Add the key: spokerender schema prints what each is for.",
)
INVALID_VALUE = FindingKind(
    "SR1105",
    ERROR,
    "a value that its key can't have",
    "Write a value that the key can have: spokerender schema prints them.",
)
OTHER_VERSION = FindingKind(
    "SR1106",
    ERROR,
    "the project asks for another version of the tool",
    "Install a version in the range, or change spec.requires in fleet.yaml.",
)
DUPLICATE_NAME = FindingKind(
    "SR1107",
    ERROR,
    "two placements or spokes have one name",
    "Rename or remove one of the two.",
)
