"""What is in force, as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spokerender.explain import InForce, RuleInForce
from spokerender.findings.results import Result
from spokerender.model import Origin
from spokerender.report.findings import (
    json_text,
    origin_value,
    ref_value,
    result_value,
    results_member,
)
from spokerender.report.reports import EffectiveReport, Look
from spokerender.topology import RequestPath


def in_force_json(report: EffectiveReport, _: Look) -> str:
    """What is in force, for programs."""
    return effective_json(report.answers, report.results)


def effective_json(answers: Sequence[InForce], results: Iterable[Result] = ()) -> str:
    """Tell what is in force as one JSON object with the list `effectivePolicies`.

    And with `results`, if there are any.
    """
    values = [_json(answer) for answer in answers]
    return json_text({"effectivePolicies": values, **results_member(results)})


def _json(answer: InForce) -> dict[str, Any]:
    return {
        "path": _path(answer.path, answer.hostnames),
        "policyKind": {"group": answer.group, "kind": answer.kind},
        "spokes": list(answer.spokes),
        "rules": [_rule_json(rule) for rule in answer.rules],
        "notInForce": [
            {
                "policy": ref_value(item.overruled.policy),
                **({"key": item.overruled.key} if item.overruled.key else {}),
                "overruledBy": ref_value(item.overruled.by),
                "overruledByFile": origin_value(item.by),
                "why": item.overruled.why,
                "file": origin_value(item.origin),
            }
            for item in answer.overruled
        ],
        "otherOutcomes": [[_rule_json(rule) for rule in other] for other in answer.others],
        **_unknown_json(answer),
        "findings": [result_value(result) for result in answer.results],
    }


def _unknown_json(answer: InForce) -> dict[str, Any]:
    """Where nobody can tell what is in force: why, and what may be."""
    if not answer.unknown:
        return {"answeredWith500": answer.failing} if answer.failing else {}
    candidates = [_rule_json(rule) for rule in answer.candidates]
    return {"notKnown": answer.unknown, "mayBeInForce": candidates}


def _path(path: RequestPath, hostnames: tuple[str, ...]) -> dict[str, Any]:
    value: dict[str, Any] = {"gatewayClass": path.gateway_class, "gateway": ref_value(path.gateway)}
    if path.listener_set is not None:
        value["listenerSet"] = ref_value(path.listener_set)
    value["listener"] = path.listener
    if path.route is not None:
        value |= {"route": ref_value(path.route), "rule": path.rule}
    if path.backend is not None:
        value["backend"] = ref_value(path.backend)
    return value | {"hostnames": list(hostnames)}


def _rule_json(rule: RuleInForce) -> dict[str, Any]:
    value = {
        "key": rule.rule.key,
        "value": rule.rule.value,
        "policy": ref_value(rule.rule.policy),
        "file": origin_value(rule.origin),
    }
    changed: list[Origin] = list(rule.changed_by)
    return value | ({"changedBy": [origin_value(place) for place in changed]} if changed else {})
