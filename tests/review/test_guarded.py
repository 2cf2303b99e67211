"""Whatever the guard refuses is told by a review, also what is on no spoke."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR, INFO
from spokerender.model import Ref
from spokerender.review.changes.values import TreeDifferences
from spokerender.review.comparison.states import FleetState
from spokerender.review.guard.claims import Loss, Losses, Removal
from spokerender.review.guard.refusals import refuse_removals
from spokerender.review.meaning.consequences import compare_states
from spokerender.review.reviewing import GuardedChange, make_review
from spokerender.review.values import Consequence, LostObject, Review
from tests.review.meaning.scenes import gateway, hub, policy, route, state
from tests.review.meaning.test_fleets import LOGIN
from tests.review.meaning.test_laws import find_losses
from tests.support import cases, rows_of
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
    told = compare_states(before, after).consequences
    guarded = replace(guarded, consequences=told)
    found = make_review(before, after, TreeDifferences(()), guarded).consequences
    return [item for item in found if not item.result.code.startswith("SR25")]


def of_objects(*removals: Removal, **others: Any) -> GuardedChange:
    """The guard's view of a change in which objects go."""
    return GuardedChange(losses=Losses(removals), **others)


def whole(before: FleetState, after: FleetState, *entries: Any) -> Review:
    """The review of a change, with what the guard finds in it."""
    told = compare_states(before, after).consequences
    guarded = GuardedChange(told, find_losses(before, after), entries)
    return make_review(before, after, TreeDifferences(()), guarded)


def carrier(acknowledged: Sequence[Entry], before: Sequence[Entry]) -> GuardedChange:
    lost = (LostObject(CARRIER, guarded="what it applied goes with it"),)
    removal = Removal(spoke="_fleet", loss=Loss.DELIVERY, lost=lost)
    return of_objects(removal, acknowledged=acknowledged, before=before)


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


SERVED = gateway("istio"), route()
OWN = Entry("AuthPolicy/infra/own", ("eu",))


@cases(
    ((), {"eu": ERROR, "us": ERROR}),
    ((OWN,), {"eu": INFO, "us": ERROR}),
    ((OWN._replace(lost="opens"),), {"eu": ERROR, "us": ERROR}),
    ((OWN._replace(spokes=("eu", "us")),), {"eu": INFO, "us": INFO}),
)
def test_an_error_that_somebody_has_acknowledged_is_an_info(
    entries: Sequence[Entry], severities: Mapping[str, str]
) -> None:
    before, after = (state(hub("istio", *SERVED, *own)) for own in ((ASKS,), ()))
    told = whole(before, after, *entries).consequences
    found = [item for item in told if item.result.code == codes.ACCESS_REMOVED.code]
    assert {spoke: it.severity for it in found for spoke in it.result.spokes} == severities
    for item in (it for it in found if it.severity is ERROR):
        spokes = ", ".join(item.result.spokes)
        entry = f"{{ref: AuthPolicy/infra/own, spokes: [{spokes}], lost: goes, "
        assert entry in item.result.cure


def test_a_policy_that_is_renamed_and_asks_less_is_told_once() -> None:
    opens = policy("AuthPolicy", "rules: {authentication: {all: {anonymous: {}}}}", name="other")
    before, after = (state(hub("istio", gateway("istio"), route(), own)) for own in (ASKS, opens))
    found = whole(before, after).consequences
    assert [item.result.code for item in found if item.severity is ERROR] == ["SR2501"]


def test_a_spoke_that_is_emptied_is_told_with_all_that_it_had() -> None:
    lost = (LostObject(AUTH), LostObject(CARRIER))
    removal = Removal(spoke="eu", loss=Loss.PART, lost=lost, total=2)
    (found,) = review(of_objects(removal), ASKS)
    assert "2 of 2 objects" in found.result.message


def test_a_consequence_of_the_guard_names_its_object() -> None:
    lost = (LostObject(AUTH, guarded="nobody else has it"),)
    (consequence,) = review(of_objects(Removal(spoke="eu", loss=Loss.PART, lost=lost, total=9)))
    assert consequence.result.message == f"{AUTH} would go: nobody else has it"


def test_spokes_that_go_alike_are_one_consequence() -> None:
    lost = (LostObject(AUTH),)
    removals = (Removal(spoke=it, loss=Loss.SPOKE, lost=lost) for it in ("us", "za"))
    (found,) = review(of_objects(*removals))
    assert (found.result.code, found.severity) == ("SR1901", ERROR)
    assert found.result.spokes == ("us", "za")
    assert "would be removed, with 2 objects (2 AuthPolicy)" in found.result.message


def test_a_limit_that_leaves_a_path_is_told_of_its_policy_alone() -> None:
    """Others on the path are as they were."""
    limit = "limits: {%s: {rates: [{limit: 5, window: 10s}]}}"
    above = policy("RateLimitPolicy", f"defaults: {{strategy: merge, {limit % 'all'}}}", "gateway")
    own = policy("RateLimitPolicy", limit % "own", "rule", "of-rule")
    before, after = (
        state(hub("istio", gateway("istio"), routes, above, own))
        for routes in (route(), route().replace("name: read", "name: look"))
    )
    found = whole(before, after).consequences
    assert {ref.name for item in found for ref in item.policies} == {"of-rule"}
    assert "SR1909" not in {item.result.code for item in found}


OWN_NAMESPACES = rows_of(__file__, "own_namespaces")


def test_a_consequence_names_objects_of_spokes_that_have_names_of_their_own() -> None:
    on_gateway = policy("AuthPolicy", "rules: {authentication: {all: {apiKey: {}}}}", "gateway")
    served = gateway("istio"), route()
    before, after = (
        state(hub("istio", *served, *each), PLACEMENT + OWN_NAMESPACES)
        for each in ((on_gateway,), ())
    )
    gone = find_losses(before, after).removals
    assert {item.ref.namespace for each in gone for item in each.lost} == {"edge", "zone"}
    found = whole(before, after)
    assert [item for item in found.consequences if not item.result.code.startswith("SR25")] == []
    losses = {name for item in found.consequences for name in item.losses}
    assert {(it.spoke, it.ref.namespace) for it in losses} == {("eu", "edge"), ("us", "zone")}


def test_a_guarded_hostname_that_only_an_open_route_serves_is_one_error() -> None:
    two, other = route("cart", "a.shop.example, b.shop.example"), route("more", "b.shop.example")
    guarded = policy("AuthPolicy", LOGIN)
    before = state(hub("istio", gateway("istio"), two, guarded))
    after = state(hub("istio", gateway("istio"), route("cart", "a.shop.example"), other, guarded))
    refused = refuse_removals(find_losses(before, after), ())
    assert [result.severity for result in refused] == [ERROR]
    found = whole(before, after).consequences
    errors = {item.result.code for item in found if item.severity is ERROR}
    assert errors == {codes.ACCESS_REMOVED.code}
