"""Explaining: where an object goes and why, what a spoke gets and needs. Values to values."""

from __future__ import annotations

from spokerender.explain.answers import (
    AncestorStatus,
    InForce,
    PolicyStatus,
    Question,
    RuleInForce,
    RuleNotInForce,
)
from spokerender.explain.in_force import in_force, left_out
from spokerender.explain.lookup import find_object, find_spoke
from spokerender.explain.model import (
    Destination,
    Explanation,
    FieldChange,
    FleetSummary,
    NotShipped,
    ObjectExplanation,
    Placing,
    ShippedObject,
    SpokeExplanation,
    SpokeSummary,
    Step,
)
from spokerender.explain.objects import explain_object
from spokerender.explain.spokes import explain_spoke, summarize
from spokerender.explain.statuses import statuses
from spokerender.rendering.values.rendered import Rendered

__all__ = [
    "AncestorStatus",
    "Destination",
    "Explanation",
    "FieldChange",
    "FleetSummary",
    "InForce",
    "NotShipped",
    "ObjectExplanation",
    "Placing",
    "PolicyStatus",
    "Question",
    "RuleInForce",
    "RuleNotInForce",
    "ShippedObject",
    "SpokeExplanation",
    "SpokeSummary",
    "Step",
    "explain",
    "in_force",
    "left_out",
    "statuses",
]


def explain(rendered: Rendered, ref_text: str = "", spoke: str | None = None) -> Explanation:
    """Tell about an object (`KIND[.GROUP]/[NAMESPACE/]NAME`), a spoke, or the whole fleet.

    Raises:
        InputError: the text names no object or several, or there is no such spoke.

    """
    bundle = find_spoke(rendered, spoke) if spoke is not None else None
    if ref_text:
        manifest = find_object(rendered, ref_text)
        asked = [bundle] if bundle is not None else rendered.bundles.values()
        return explain_object(rendered, manifest, asked)
    return explain_spoke(rendered, bundle) if bundle is not None else summarize(rendered)
