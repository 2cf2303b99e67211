"""Law of types: a reference changes only if it names a placed gateway by all parts of its identity.

Told as a whole: each object of a spoke is exactly what an oracle of its own makes of the hub's.
"""

from __future__ import annotations

from hypothesis import assume, given

from tests.property.fleets import Fleet, fleets
from tests.property.laws import law
from tests.property.oracle import Oracle
from tests.support import end_to_end as e2e


@law
@given(fleets(overridden=False))
def test_every_object_is_what_the_placement_says(fleet: Fleet) -> None:
    found = e2e.rendered(fleet.files)
    assume(not e2e.errors(found.results))
    for spoke in fleet.spokes:
        wanted = Oracle(fleet, spoke).objects()
        assert e2e.objects(found, spoke["name"]) == {e2e.identity(item): item for item in wanted}
