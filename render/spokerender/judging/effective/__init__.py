"""Effective policies: the rules in force on each path, those overruled, and the conditions.

`effective` computes them, `find_programmed` sums them up for each policy.
"""

from __future__ import annotations

from spokerender.judging.effective.compute import ReusableParts, effective
from spokerender.judging.effective.outcomes import (
    AttachedPolicy,
    EffectivePolicy,
    EffectiveRule,
    Overruled,
    PolicyOutcome,
    Programmed,
    Reason,
)
from spokerender.judging.effective.programmed import (
    ReportedCondition,
    find_controller_conditions,
    find_programmed,
    find_programmed_by_gateway,
)

__all__ = [
    "AttachedPolicy",
    "EffectivePolicy",
    "EffectiveRule",
    "Overruled",
    "PolicyOutcome",
    "Programmed",
    "Reason",
    "ReportedCondition",
    "ReusableParts",
    "effective",
    "find_controller_conditions",
    "find_programmed",
    "find_programmed_by_gateway",
]
