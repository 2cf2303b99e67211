"""The answers of `explain` as JSON."""

from __future__ import annotations

from typing import Any

from spokerender.explain import (
    Destination,
    Explanation,
    FieldChange,
    FleetSummary,
    ObjectExplanation,
    Placing,
    SpokeExplanation,
)
from spokerender.explain.requirements import Requirements
from spokerender.formats.comparing import ABSENT
from spokerender.model import shown
from spokerender.report.changes import source_value
from spokerender.report.findings import json_text, origin_value, ref_value, result_value
from spokerender.report.reports import ExplainReport, Look


def explain_json(report: ExplainReport, _: Look) -> str:
    """The answer, for programs."""
    return explanation_json(report.explanation)


def explanation_json(explanation: Explanation) -> str:
    """The answer as one JSON object; its keys tell which of the three it is."""
    match explanation:
        case ObjectExplanation():
            return json_text(_object(explanation))
        case SpokeExplanation():
            return json_text(_spoke(explanation))
        case FleetSummary():
            return json_text(_fleet(explanation))


def _object(explanation: ObjectExplanation) -> dict[str, Any]:
    return {
        "resourceRef": ref_value(explanation.ref),
        "file": origin_value(explanation.origin),
        "chains": [
            [
                {
                    "resourceRef": ref_value(step.ref),
                    "field": {"path": step.field},
                    "file": origin_value(step.origin),
                }
                for step in chain
            ]
            for chain in explanation.chains
        ],
        "destinations": [_destination(item) for item in explanation.destinations],
        "notShipped": [
            {
                "spokes": list(left.spokes),
                "reason": left.reason,
                "gateways": [_placing(placing) for placing in left.placings],
            }
            for left in explanation.not_shipped
        ],
        "results": [result_value(result) for result in explanation.results],
    }


def _destination(destination: Destination) -> dict[str, Any]:
    return {
        "spokes": list(destination.spokes),
        "resourceRef": ref_value(destination.ref),
        "path": destination.path,
        "gateways": [_placing(placing) for placing in destination.placings],
        "fields": [_field(field) for field in destination.fields],
    }


def _field(field: FieldChange) -> dict[str, Any]:
    traced = field.traced
    sides = {"old": traced.old, "new": traced.new}
    return (
        {"path": shown(traced.path)}
        | {side: value for side, value in sides.items() if value is not ABSENT}
        | source_value(traced.source)
        | {"spokes": list(field.spokes)}
    )


def _placing(placing: Placing) -> dict[str, Any]:
    return {
        "hub": ref_value(placing.gateway),
        "resourceRef": ref_value(placing.ref),
        "mode": "existing" if placing.existing else "create",
        "rule": origin_value(placing.rule),
    }


def _spoke(explanation: SpokeExplanation) -> dict[str, Any]:
    return {
        "spoke": explanation.spoke,
        "file": origin_value(explanation.origin),
        "gateways": [_placing(placing) for placing in explanation.placings],
        "objects": [
            {"hub": ref_value(item.hub), "resourceRef": ref_value(item.ref), "path": item.path}
            for item in explanation.objects
        ],
        "requirements": _requirements(explanation.requirements),
        "results": [result_value(result) for result in explanation.results],
    }


def _requirements(needed: Requirements) -> dict[str, Any]:
    return {
        "namespaces": list(needed.namespaces),
        "gateways": [
            {
                "resourceRef": ref_value(gateway.ref),
                "listeners": list(gateway.listeners),
                "neededBy": [ref_value(ref) for ref in gateway.needed_by],
            }
            for gateway in needed.gateways
        ],
        "objects": [
            {"resourceRef": ref_value(required.ref)}
            | ({} if required.ref.name else {"selector": required.selector})
            | ({"note": required.note} if required.note else {})
            | {"neededBy": [ref_value(ref) for ref in required.needed_by]}
            for required in needed.objects
        ],
    }


def _fleet(summary: FleetSummary) -> dict[str, Any]:
    return {
        "hubObjects": summary.hub_objects,
        "spokes": [
            {
                "spoke": spoke.spoke,
                "gateways": spoke.gateways,
                "objects": spoke.objects,
                "overridden": spoke.overridden,
            }
            for spoke in summary.spokes
        ],
        "notShipped": [
            {"resourceRef": ref_value(ref), "reason": reason} for ref, reason in summary.not_shipped
        ],
    }
