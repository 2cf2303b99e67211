"""Overrides: SR16xx."""

from __future__ import annotations

from render.results import ERROR, Rule

OVERRIDE_UNUSED = Rule("SR1601", ERROR, "an override matches nothing")
OVERRIDE_FAILED = Rule("SR1602", ERROR, "a patch can't be applied")
OVERRIDE_FORBIDDEN = Rule("SR1603", ERROR, "an override changes an identity or a gateway reference")

RULES = (
    OVERRIDE_UNUSED,
    OVERRIDE_FAILED,
    OVERRIDE_FORBIDDEN,
)
