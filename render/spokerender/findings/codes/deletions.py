"""Deletions: SR19xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, WARNING, FindingKind

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
    "Correct the name in spec.deletions in fleet.yaml. An entry that has done its work is an "
    "info: take it out some day, for it would let the same be deleted again.",
)
UNKNOWN_DELETION = FindingKind(
    "SR1903",
    ERROR,
    "--allow-delete names nothing that would go",
    "Leave the option out, or name what would go just as the refused build names it.",
)
UNREADABLE_BASE = FindingKind(
    "SR1904",
    WARNING,
    "the fleet file of the revision to compare with is wrong",
    "Mend it there, or compare with a revision in which it is right: it says where the output was.",
)
UNKNOWN_BASE = FindingKind(
    "SR1905",
    ERROR,
    "the revision to compare with has no such project, and which one it was can't be told",
    "Give each project a metadata.name in fleet.yaml, or move one at a time. Where none has gone "
    "the project is new: that is an info.",
)
HAND_MADE = FindingKind(
    "SR1906",
    WARNING,
    "a committed kustomization that does more than list the files of its spoke",
    "Look at what it does: a build replaces it by one that lists files and nothing else, and the "
    "guard goes by the files. Put what it is for into the hub or the placement.",
)
REDIRECTED = FindingKind(
    "SR1907",
    WARNING,
    "an engine that would take trees from elsewhere than before, or apply them no more",
    "Look at what fleet.yaml says under delivery, and why it changed: where the trees come from "
    "decides what protects, and no other tree is compared with.",
)
