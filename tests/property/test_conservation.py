"""Law of conservation: every hub object ships to a spoke, or a result names it and says why not."""

from __future__ import annotations

from hypothesis import given

from spokerender.findings.results import Severity
from spokerender.model import Ref
from spokerender.rendering.values.rendered import Rendered
from tests.property.fleets import Fleet, fleets
from tests.property.laws import law, ref_of
from tests.support import end_to_end as e2e

SAYS_WHY_NOT = {"SR1501", "SR1502", "SR1513"}


def shipped_by(found: Rendered) -> set[Ref]:
    """The hub objects that some spoke gets."""
    bundles = found.bundles.values()
    return {variant.manifest.ref for bundle in bundles for variant in bundle.blueprint.variants}


@law
@given(fleets(mistakes=True))
def test_nothing_of_the_hub_is_lost_in_silence(fleet: Fleet) -> None:
    found = e2e.rendered(fleet.files)
    shipped = shipped_by(found)
    explained = {
        result.resource
        for result in found.results
        if result.message and (result.code in SAYS_WHY_NOT or result.severity is Severity.ERROR)
    }
    assert {ref_of(item) for item in fleet.objects} - shipped - explained == set()


@law
@given(fleets())
def test_what_ships_somewhere_is_not_told_to_ship_nowhere(fleet: Fleet) -> None:
    found = e2e.rendered(fleet.files)
    shipped = shipped_by(found)
    told = {result.resource for result in found.results if result.code in {"SR1501", "SR1513"}}
    assert told & shipped == set()
