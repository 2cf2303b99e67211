"""Whatever the guard refuses is told by a review, also what is on no spoke."""

from collections.abc import Sequence
from typing import NamedTuple

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR, INFO
from spokerender.model import Ref
from spokerender.review.changes.values import TreeDifferences
from spokerender.review.guard.losses import Loss, LostObject, Removal
from spokerender.review.guard.refusals import refuse_removals
from spokerender.review.reviewing import GuardedChange, make_review
from spokerender.review.values import Consequence
from tests.review.meaning.scenes import gateway, hub, policy, route, state
from tests.review.meaning.test_fleets import LOGIN
from tests.review.meaning.test_laws import find_losses
from tests.support import cases
from tests.support.project import PLACEMENT

CARRIER = Ref("argoproj.io", "ApplicationSet", "argocd", "fleet")
AUTH = Ref("kuadrant.io", "AuthPolicy", "infra", "own")
ASKS = policy("AuthPolicy", "rules: {authentication: {all: {apiKey: {}}}}")


class Entry(NamedTuple):
    """An entry of `spec.deletions`."""

    ref: str | None
    spokes: Sequence[str] = ()
    lost: str = "goes"
    reason: str = "Flux applies them"


ENTRY = Entry("ApplicationSet/argocd/fleet")


def review(guarded: GuardedChange, *documents: str) -> list[Consequence]:
    """The consequences that only the guard knows of, where a policy goes or all stays."""
    served = gateway("istio"), route()
    before, after = (state(hub("istio", *served, *each)) for each in (documents, ()))
    found = make_review(before, after, TreeDifferences(()), (), guarded).consequences
    return [item for item in found if not item.result.code.startswith("SR25")]


def carrier(acknowledged: Sequence[Entry], before: Sequence[Entry]) -> GuardedChange:
    lost = (LostObject(CARRIER, guarded="what it applied goes with it"),)
    removal = Removal(spoke="_fleet", loss=Loss.DELIVERY, lost=lost, total=1)
    return GuardedChange([removal], acknowledged, before)


@cases(
    ((), (), ERROR),
    ((ENTRY,), (), INFO),
    ((ENTRY,), (ENTRY,), ERROR),
    ((Entry("ApplicationSet/argocd/other"),), (), ERROR),
    ids=["nobody has acknowledged it", "somebody has", "in an earlier change", "another one"],
)
def test_what_delivers_the_spokes_goes(
    acknowledged: Sequence[Entry], before: Sequence[Entry], severity: str
) -> None:
    (found,) = review(carrier(acknowledged, before))
    assert (found.result.code, found.severity, found.result.spokes) == ("SR1901", severity, ())
    assert str(CARRIER) in found.result.message


@cases(("eu", 0), ("elsewhere", 1))
def test_what_a_consequence_names_on_the_spoke_is_told_once(spoke: str, told: int) -> None:
    lost = (LostObject(AUTH, security=True, unprotected=("HTTPRoute infra/cart",)),)
    removal = Removal(spoke=spoke, loss=Loss.PART, lost=lost, total=9)
    assert len(review(GuardedChange([removal]), ASKS)) == told


def test_what_goes_is_told_with_the_line_that_a_consequence_names() -> None:
    lost = (LostObject(AUTH, security=True, unprotected=("HTTPRoute infra/cart",)),)
    removal = Removal(spoke="elsewhere", loss=Loss.PART, lost=lost, total=9)
    (found,) = review(GuardedChange([removal]), ASKS)
    assert found.result.origin is not None
    assert found.result.origin.path == "hub/hub.yaml"


def test_a_policy_that_is_renamed_and_asks_less_is_told_once() -> None:
    opens = policy("AuthPolicy", "rules: {authentication: {all: {anonymous: {}}}}", name="other")
    before, after = (state(hub("istio", gateway("istio"), route(), own)) for own in (ASKS, opens))
    guarded = GuardedChange(find_losses(before, after))
    assert AUTH in {item.ref for removal in guarded.removals for item in removal.lost}
    found = make_review(before, after, TreeDifferences(()), (), guarded).consequences
    assert [item.result.code for item in found if item.severity is ERROR] == ["SR2501"]


def test_a_spoke_that_is_emptied_is_told_with_all_that_it_had() -> None:
    lost = (LostObject(AUTH, security=True), LostObject(CARRIER))
    removal = Removal(spoke="eu", loss=Loss.EMPTIED, lost=lost, total=2)
    (found,) = review(GuardedChange([removal]), ASKS)
    assert "spoke eu would be emptied of 2 objects" in found.result.message


def test_a_consequence_of_the_guard_names_its_object() -> None:
    lost = (LostObject(AUTH, security=True, unprotected=("HTTPRoute infra/cart",)),)
    (consequence,) = review(
        GuardedChange([Removal(spoke="eu", loss=Loss.PART, lost=lost, total=9)])
    )
    assert consequence.result.message.startswith(f"{AUTH}: would go")


def test_a_spoke_that_goes_has_a_consequence_of_its_own() -> None:
    lost = (LostObject(AUTH, security=True),)
    removal = Removal(spoke="gone", loss=Loss.SPOKE, lost=lost, total=1)
    assert review(GuardedChange([removal])) == []


def test_a_limit_that_leaves_a_path_is_told_of_its_policy_alone() -> None:
    """Others on the path are as they were."""
    limit = "limits: {%s: {rates: [{limit: 5, window: 10s}]}}"
    above = policy("RateLimitPolicy", f"defaults: {{strategy: merge, {limit % 'all'}}}", "gateway")
    own = policy("RateLimitPolicy", limit % "own", "rule", "of-rule")
    before, after = (
        state(hub("istio", gateway("istio"), routes, above, own))
        for routes in (route(), route().replace("name: read", "name: look"))
    )
    guarded = GuardedChange(find_losses(before, after))
    found = make_review(before, after, TreeDifferences(()), (), guarded).consequences
    assert {ref.name for item in found for ref in item.policies} == {"of-rule"}
    assert "SR1909" not in {item.result.code for item in found}


OWN_NAMESPACES = """\
  spokes:
  - {name: eu, values: {ns: edge}}
  - {name: us, values: {ns: zone}}
  rules:
  - gateways: {names: [infra/web]}
    spokes: {all: true}
    as: {namespace: "{{ spoke.values.ns }}"}
"""


def test_a_consequence_names_objects_of_spokes_that_have_names_of_their_own() -> None:
    on_gateway = policy("AuthPolicy", "rules: {authentication: {all: {apiKey: {}}}}", "gateway")
    served = gateway("istio"), route()
    before, after = (
        state(hub("istio", *served, *each), PLACEMENT + OWN_NAMESPACES)
        for each in ((on_gateway,), ())
    )
    removals = find_losses(before, after)
    assert {item.ref.namespace for each in removals for item in each.lost} == {"edge", "zone"}
    found = make_review(before, after, TreeDifferences(()), (), GuardedChange(removals))
    assert [item for item in found.consequences if not item.result.code.startswith("SR25")] == []


def test_a_guarded_hostname_that_only_an_open_route_serves_is_one_error() -> None:
    two, other = route("cart", "a.shop.example, b.shop.example"), route("more", "b.shop.example")
    guarded = policy("AuthPolicy", LOGIN)
    before = state(hub("istio", gateway("istio"), two, guarded))
    after = state(hub("istio", gateway("istio"), route("cart", "a.shop.example"), other, guarded))
    removals = find_losses(before, after)
    assert [result.severity for result in refuse_removals(removals, ())] == [ERROR]
    change = GuardedChange(removals)
    found = make_review(before, after, TreeDifferences(()), (), change).consequences
    errors = {item.result.code for item in found if item.severity is ERROR}
    assert errors == {codes.ACCESS_REMOVED.code}
