"""Judging a rendered fleet: what attaches, what is in force, what the API servers would take.

Every distinct blueprint and every distinct object is judged once, however many spokes share it.
"""

from __future__ import annotations

from spokerender.judging.fleet.judged import (
    Aspect,
    Files,
    JudgedBlueprint,
    JudgedFleet,
    Refused,
    Unvalidated,
)

__all__ = [
    "Aspect",
    "Files",
    "JudgedBlueprint",
    "JudgedFleet",
    "Refused",
    "Unvalidated",
]
