"""What a command's arguments name: SR20xx."""

from __future__ import annotations

from render.results import ERROR, Rule

BAD_NAME = Rule("SR2001", ERROR, "an argument that is no KIND/[NAMESPACE/]NAME")
UNKNOWN_OBJECT = Rule("SR2002", ERROR, "an argument names no object")
AMBIGUOUS = Rule("SR2003", ERROR, "an argument names several objects")
UNKNOWN_SPOKE = Rule("SR2004", ERROR, "an argument names no spoke")

RULES = (
    BAD_NAME,
    UNKNOWN_OBJECT,
    AMBIGUOUS,
    UNKNOWN_SPOKE,
)
