"""Effective policies: what is in force on each path, rule by rule, and what was overruled.

`effective` computes them, `programmed` says what that comes to for each policy.
"""

from __future__ import annotations

from spokerender.judging.effective.compute import Kept, effective
from spokerender.judging.effective.model import (
    AttachedPolicy,
    EffectivePolicy,
    EffectiveRule,
    Outcome,
    Overruled,
    Programmed,
    Reason,
)
from spokerender.judging.effective.programmed import programmed, programmed_on
from spokerender.judging.effective.reported import Reported, reported_on

__all__ = [
    "AttachedPolicy",
    "EffectivePolicy",
    "EffectiveRule",
    "Kept",
    "Outcome",
    "Overruled",
    "Programmed",
    "Reason",
    "Reported",
    "effective",
    "programmed",
    "programmed_on",
    "reported_on",
]
