"""The law of slots for reviews: a spoke is told together with others what it is told alone."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.meaning.views import FleetState
from spokerender.review.values import ReviewedState
from tests.review.guard.test_law import Pair, changes
from tests.review.meaning.scenes import compare


def judged(rendered: Rendered) -> FleetState:
    fleet = judge(rendered, (), Aspect.POLICIES)
    return FleetState(rendered, fleet, ReviewedState("a", len(rendered.bundles)))


@pytest.mark.property
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes())
def test_each_spoke_is_told_what_it_is_told_alone(pair: Pair) -> None:
    old, new = map(judged, pair)
    together = compare(old, new)
    for spoke in new.fleet.bundles.keys() & old.fleet.bundles.keys():
        alone = compare(*(_only(state, spoke) for state in (old, new)))
        codes = {item.result.code for item in alone.consequences if item.result.spokes}
        assert codes == {
            item.result.code for item in together.consequences if spoke in item.result.spokes
        }


def _only(state: FleetState, spoke: str) -> FleetState:
    rendered = replace(state.rendered, bundles={spoke: state.rendered.bundles[spoke]})
    fleet = replace(
        state.fleet,
        judged={spoke: state.fleet.judged[spoke]},
        bundles={spoke: state.fleet.bundles[spoke]},
    )
    return FleetState(rendered, fleet, state.about)
