"""The law of slots once more: what is judged for many spokes is what each would be told alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spokerender.explain import PathQuestion
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from tests.judging.fleet.exact import exactly, of_spoke
from tests.property.fleets import Fleet, fleets
from tests.rendering.bundles.documents import HUB, LENIENT
from tests.support import end_to_end as e2e
from tests.support import traps
from tests.support.answers import in_force, statuses

law = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


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


@pytest.mark.property
@law
@given(st.sampled_from([HUB, LENIENT]), traps.spokes, traps.rules, traps.overrides)
def test_texts_that_are_traps(
    documents: str,
    values: list[dict[str, Any]],
    placed: tuple[dict[str, Any] | None, ...],
    patches: list[tuple[str, dict[str, Any], dict[str, Any]]],
) -> None:
    assert_alike(traps.project(documents, values, placed, patches))


@pytest.mark.property
@law
@given(fleets())
def test_fleets_of_all_kinds(fleet: Fleet) -> None:
    assert_alike(e2e.rendered(fleet.files))
