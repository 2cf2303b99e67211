"""The same fleet with every value written in the open from the beginning, and what is told."""

from typing import Any

from msgspec.structs import replace

from spokerender.explain.values import PathQuestion
from spokerender.findings.results import Result
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.pipeline import judge
from spokerender.rendering.bundles.bundler import Bundler
from spokerender.rendering.values.rendered import Rendered
from tests.support import end_to_end as e2e
from tests.support.answers import in_force, statuses


def exactly(found: Rendered) -> Rendered:
    """Each spoke a case of its own, without slots."""
    bundler = Bundler(
        found.hub, found.topology, found.decision, found.sync, with_slots=False, stages=found.stages
    )
    bundles = {spoke.name: bundler.bundle(spoke) for spoke in found.decision.spokes}
    return replace(found, bundles=bundles)


def of_spoke(judged_fleet: JudgedFleet, spoke: str) -> set[Any]:
    """What is told of one spoke; words may show the values of another."""
    return {_key(result) for result in judged_fleet.results if spoke in result.spokes}


def _key(result: Result) -> Any:
    return result.code, result.severity, result.resource, result.field, result.origin


def force(found: Rendered, judged: JudgedFleet, spoke: str) -> list[str]:
    """What is in force on a spoke, in no order."""
    return sorted(
        repr(
            (
                *(answer.path, answer.kind, answer.hostnames, len(answer.others)),
                sorted(
                    (rule.rule.key, rule.rule.policy, repr(rule.rule.value), rule.changed_by)
                    for rule in answer.rules
                ),
                sorted((lost.overruled.policy, lost.overruled.key) for lost in answer.overruled),
            )
        )
        for answer in in_force(found, judged, PathQuestion(spoke=spoke))
    )


def conditions(judged: JudgedFleet, spoke: str, asked: str) -> list[Any]:
    """The statuses of a spoke; messages may list things in another order.

    It is asked about the spoke alone, or about all of them at once.
    """
    return [
        (
            status.policy,
            status.targets,
            [
                (each.ancestor, [(item.type, item.status, item.reason) for item in each.conditions])
                for each in status.ancestors
            ],
        )
        for status in statuses(judged, asked)
        if spoke in status.spokes
    ]


def assert_alike(found: Rendered) -> None:
    """What the commands would print is the same, if they would print anything."""
    if e2e.errors(found.results):
        return
    exact = exactly(found)
    judged, expected = judge(found), judge(exact)
    for spoke in found.bundles:
        assert of_spoke(judged, spoke) == of_spoke(expected, spoke)
        alone = conditions(expected, spoke, spoke)
        assert conditions(judged, spoke, spoke) == alone
        assert conditions(judged, spoke, "") == alone
        assert force(found, judged, spoke) == force(exact, expected, spoke)
