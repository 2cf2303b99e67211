"""The judgement of a rendered fleet: attachments, policies in force, and validation.

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
