"""Deletions: SR19xx."""

from __future__ import annotations

from render.results import ERROR, WARNING, Rule

DELETION = Rule("SR1901", ERROR, "a deletion that nobody acknowledged")
STALE_ACKNOWLEDGEMENT = Rule("SR1902", WARNING, "an acknowledged deletion that does not happen")
UNKNOWN_DELETION = Rule("SR1903", ERROR, "--allow-delete names nothing that would go")

RULES = (
    DELETION,
    STALE_ACKNOWLEDGEMENT,
    UNKNOWN_DELETION,
)
