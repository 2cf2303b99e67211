"""Attachment: where each policy attaches, and why not (GEP-713; GEP-2648 where it goes further)."""

from __future__ import annotations

from spokerender.judging.attachment.attach import Attacher, attach, check_definition
from spokerender.judging.attachment.case import Elsewhere
from spokerender.judging.attachment.contentions import find_flips
from spokerender.judging.attachment.rules import RULES
from spokerender.judging.attachment.statuses import Attachment, Condition, Subject, Truth

__all__ = [
    "RULES",
    "Attacher",
    "Attachment",
    "Condition",
    "Elsewhere",
    "Subject",
    "Truth",
    "attach",
    "check_definition",
    "find_flips",
]
