"""The deletion guard: what a change of the tree would lose, and whether that is acknowledged.

The removal of a spoke, of everything on a spoke, of a security policy or of what it protects, and
of a large part of a tree has to be acknowledged by name.

Read it in this order: `losses`, `documents` and `earlier` (the objects before and after),
`protection`, `fates` and `comparison` (what one spoke loses), `spokes`, `delivered` and `removals`
(what the fleet loses), `refusals` and `messages` (what is not acknowledged).
"""

from __future__ import annotations

from spokerender.review.guard.delivered import find_redirected, read_kustomization, report_hand_made
from spokerender.review.guard.losses import Loss, LostObject, Removal
from spokerender.review.guard.refusals import (
    find_misnamed_acknowledgements,
    find_stale_acknowledgements,
    refuse_removals,
)
from spokerender.review.guard.removals import GuardContext, find_removals, make_context

__all__ = [
    "GuardContext",
    "Loss",
    "LostObject",
    "Removal",
    "find_misnamed_acknowledgements",
    "find_redirected",
    "find_removals",
    "find_stale_acknowledgements",
    "make_context",
    "read_kustomization",
    "refuse_removals",
    "report_hand_made",
]
