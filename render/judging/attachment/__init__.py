"""Attachment: where each policy attaches, and why not (GEP-713; GEP-2648 where it goes further)."""

from __future__ import annotations

from render.judging.attachment.attach import Attacher, attach, definition_faults
from render.judging.attachment.definitions import definitions
from render.judging.attachment.flips import Flip, flips
from render.judging.attachment.model import (
    Attachment,
    Condition,
    Contention,
    Subject,
    Truth,
)
from render.judging.attachment.reach import reach
from render.judging.attachment.rules import RULES, AttachmentRule
from render.judging.attachment.surroundings import Elsewhere, Surroundings

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
