"""The law of slots for reviews: a spoke is told together with others what it is told alone."""

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.comparison.states import FleetState
from spokerender.review.values import Consequence, ReviewedState
from tests.property.laws import law
from tests.review import domains
from tests.review.guard.test_law import Pair, changes
from tests.review.meaning.scenes import compare, gateway, hub, policy, route, state
from tests.support import rows_of, text_of
from tests.support.project import PLACEMENT


def judged(rendered: Rendered) -> FleetState:
    fleet = judge(rendered, (), Aspect.POLICIES)
    return FleetState(rendered, fleet, ReviewedState("a", len(rendered.bundles)))


@pytest.mark.property
@law
@given(changes())
def test_each_spoke_is_told_what_it_is_told_alone(pair: Pair) -> None:
    old, new = map(judged, pair)
    together = compare(old, new)
    for spoke in new.fleet.bundles.keys() & old.fleet.bundles.keys():
        alone = compare(*(only(state, spoke) for state in (old, new)))
        codes = {item.result.code for item in alone.consequences if item.result.spokes}
        assert codes == {
            item.result.code for item in together.consequences if spoke in item.result.spokes
        }


def only(whole: FleetState, spoke: str) -> FleetState:
    rendered = replace(whole.rendered, bundles={spoke: whole.rendered.bundles[spoke]})
    fleet = replace(
        whole.fleet,
        judged={spoke: whole.fleet.judged[spoke]},
        bundles={spoke: whole.fleet.bundles[spoke]},
    )
    return FleetState(rendered, fleet, whole.about)


LOGIN = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
OWN = PLACEMENT + text_of(__file__, "slots_own.txt")
MORE = """\
  - target: {kind: HTTPRoute}
    spokes: {all: true}
    merge: {metadata: {annotations: {a.example/b: "b-{{ spoke.name }}"}}}
"""


def test_a_default_with_values_of_the_spokes_is_compared_where_other_values_came_before_it() -> (
    None
):
    """Another override shifts the slots, so that the old ones have others in their place."""
    default = policy("AuthPolicy", LOGIN, "gateway", "all")
    documents = gateway("istio"), route(), policy("AuthPolicy", LOGIN)
    weaker = default.replace("{jwt: ", "{credentials: {}, jwt: ")
    before = state(hub("istio", *documents, default), OWN.replace("MORE", ""))
    after = state(hub("istio", *documents, weaker), OWN.replace("MORE", MORE))
    (latent,) = (item for item in compare(before, after).consequences if item.paths)
    assert latent.result.code == codes.NOT_RANKED.code
    assert latent.paths == ("Gateway infra/web [https] > a route that is added later",)
    assert latent.result.spokes == ("eu", "us")


PLACED = PLACEMENT + rows_of(__file__, "placed")
ON_US = rows_of(__file__, "on_us")


def test_a_new_spoke_with_a_route_that_is_new_on_all_of_them_is_compared_with_another() -> None:
    closed = gateway("istio"), policy("AuthPolicy", LOGIN, "gateway", "all")
    before = state(hub("istio", *closed), PLACED.replace("US", ""))
    after = state(hub("istio", *closed, route()), PLACED.replace("US", ", {name: us}") + ON_US)
    (opened,) = (
        item
        for item in compare(before, after).consequences
        if item.result.code == codes.NEWLY_PUBLIC.code
    )
    assert opened.result.spokes == ("us",)


@pytest.mark.property
@law
@given(domains.projects(), domains.projects())
def test_spokes_with_values_of_their_own_are_told_what_each_is_told_alone(
    before: domains.Project, after: domains.Project
) -> None:
    old, new = state(*before), state(*after)
    together = compare(old, new)
    for spoke in ("sp0", "sp1", "sp2", "sp3"):
        alone = compare(only(old, spoke), only(new, spoke))
        assert _list_own(alone.consequences, spoke) == _list_own(together.consequences, spoke)


def _list_own(consequences: Iterable[Consequence], spoke: str) -> Counter[tuple[object, ...]]:
    own = (item for item in consequences if spoke in item.result.spokes)
    return Counter((item.result.code, item.severity, len(item.paths)) for item in own)
