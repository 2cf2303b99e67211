"""The deletion guard: what a change of the tree would lose, and whether anybody has said so.

A spoke that goes, a spoke that gets nothing any more, a security policy that goes or turns
away from what it protected, and a large part of a tree have to be acknowledged by name.
"""

from __future__ import annotations

from spokerender.review.guard.delivered import redirected
from spokerender.review.guard.kustomized import hand_made, kustomized
from spokerender.review.guard.losses import Loss, Lost, Removal
from spokerender.review.guard.refusals import misnamed, refused, stale
from spokerender.review.guard.removals import Surroundings, removals, surroundings_of

__all__ = [
    "Loss",
    "Lost",
    "Removal",
    "Surroundings",
    "hand_made",
    "kustomized",
    "misnamed",
    "redirected",
    "refused",
    "removals",
    "stale",
    "surroundings_of",
]
