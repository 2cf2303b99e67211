"""Attachment: where each policy attaches, and why not (GEP-713; GEP-2648 where it goes further)."""

from __future__ import annotations

from spokerender.judging.attachment.attach import Attacher, attach, definition_faults
from spokerender.judging.attachment.definitions import definitions
from spokerender.judging.attachment.flips import Flip, flips
from spokerender.judging.attachment.model import Attachment, Condition, Contention, Subject, Truth
from spokerender.judging.attachment.reach import reach
from spokerender.judging.attachment.rules import RULES, AttachmentRule
from spokerender.judging.attachment.surroundings import Elsewhere, Surroundings

__all__ = [
    "RULES",
    "Attacher",
    "Attachment",
    "AttachmentRule",
    "Condition",
    "Contention",
    "Elsewhere",
    "Flip",
    "Subject",
    "Surroundings",
    "Truth",
    "attach",
    "definition_faults",
    "definitions",
    "flips",
    "reach",
]
