"""Advice on rules of routes that answer no request, whatever policies are there."""

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import WARNING, Result
from spokerender.judging.advice.view import JudgedSpokeView
from spokerender.model import grouped, shown

_CURES = {
    "RefNotPermitted": "add the ReferenceGrant to the hub, or declare it under `spec.external` of "
    "fleet.yaml if the spokes have it"
}
"""The cures of faults, by the reason in the status."""


def check_failing_rules(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a result for each part of a rule that a route's status says to be wrong.

    Not for what is nowhere (`check_absent_objects`).
    """
    failing = (it for it in view.find_faults().parts if not view.topology.is_absent(it.part.whole))
    places = grouped(((it.rule.whole, it.field), it) for it in failing)
    for (route, field), parts in places.items():
        for why, alike in grouped((it.why, it) for it in parts).items():
            yield view.result(
                codes.FAILING,
                route,
                f"{alike[0].describe()}, as {why}",
                _CURES.get(alike[0].reason, "correct it, or take it out of the rule"),
                field=shown(field),
                severity=None if any(it.is_used for it in alike) else WARNING,
            )
