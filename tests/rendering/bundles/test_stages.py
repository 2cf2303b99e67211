"""A stage that is added makes, edits and takes out objects, and they go the way of all others."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from spokerender.explain import explain_named
from spokerender.explain.values import ObjectExplanation
from spokerender.findings.codes.advice import NO_ROUTE_BENEATH
from spokerender.findings.codes.shipping import NOT_SHIPPED
from spokerender.findings.results import Result
from spokerender.model import Edit, Manifest, Origin, PlacedGateway, Ref, Spoke, slots
from spokerender.model.plan import HEADER
from spokerender.pipeline import judge, render
from spokerender.rendering.holding import SpokeSlots
from spokerender.rendering.values.bundles import How
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.stages import Amendment, Given
from spokerender.report.explanations import explain_text
from spokerender.report.reports import ExplainReport, Look
from tests.support import text_of
from tests.support.project import project
from tests.support.stages import CLASS, GATEWAY, everywhere, fleet, hub, placement, told

PLAN = Origin("plans/gold.yaml", line=7)
WHO = "PlanPolicy shop/gold"
POLICY = text_of(__file__, "stages_policy.yaml")
PLANNED = everywhere("{namespace: '{{ spoke.values.ns }}'}")


@dataclass
class Plans:
    """Makes a policy beside each Gateway, gates the hub's own, and takes out what it is told."""

    removed: str = ""
    compares: bool = False
    per_spoke: bool = False
    reads_overridden: bool = False
    seen: list[Any] = field(default_factory=list)
    times: int = 0

    @property
    def spelled_out(self) -> frozenset[str | int]:
        """The texts and the number in what it makes."""
        return frozenset(("gold", "1s", "request.path != '/'", 5))

    @property
    def first_of(self) -> frozenset[tuple[str, str]]:
        """The kind of which overrides go before it, in one of the tests."""
        return frozenset([("kuadrant.io", "AuthPolicy")]) if self.reads_overridden else frozenset()

    def ask(self, spoke: Spoke, given: Given, spoke_slots: SpokeSlots) -> Hashable:  # noqa: ARG002  (the port)
        """Nothing, or who the spoke is."""
        return spoke.name if self.per_spoke else ()

    def amend(self, given: Given, asked: Hashable) -> Amendment:  # noqa: ARG002
        """Count how often this was asked, too."""
        self.times += 1
        self.seen += [m.object["spec"] for m in given.objects if m.ref.kind == "AuthPolicy"]
        for place in given.placed if self.compares else ():
            slots.consult(slots.has_slot, place.ref.namespace)  # which no real value answers so
        own = [(i, m) for i, m in enumerate(given.objects) if m.ref.kind == "AuthPolicy"]
        return Amendment(
            edited={i: _gated(m) for i, m in own if m.ref.name != self.removed},
            removed={i: f"{WHO} replaces it" for i, m in own if m.ref.name == self.removed},
            added=tuple(map(_made, given.placed)),
        )


def _gated(manifest: Manifest) -> Manifest:
    spec = {**manifest.object["spec"], "when": [{"predicate": "request.path != '/'"}]}
    data = {**manifest.object, "spec": spec}
    return manifest.edited(manifest.ref, data, Edit(WHO, manifest.object, lambda: PLAN))


def _made(place: PlacedGateway) -> Manifest:
    ref = Ref("kuadrant.io", "RateLimitPolicy", place.ref.namespace, f"{place.ref.name}-plan")
    target = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": place.ref.name}
    data = {
        "apiVersion": "kuadrant.io/v1",
        "kind": ref.kind,
        "metadata": {"name": ref.name, "namespace": ref.namespace},
        "spec": {
            "targetRef": target,
            "limits": {"gold": {"rates": [{"limit": 5, "window": "1s"}]}},
        },
    }
    return Manifest.made(ref, data, WHO, lambda: PLAN)


def planned(stage: Plans, overrides: str = "") -> Rendered:
    text = hub(CLASS, GATEWAY, POLICY)
    return render(project(text, placement(PLANNED, overrides=overrides), fleet("{}")), [stage])


def about(results: Iterable[Result], name: str) -> list[Result]:
    return [result for result in results if result.resource and result.resource.name == name]


def explained(found: Rendered, name: str) -> list[tuple[str, str, str, str]]:
    """Each changed field of an object on `eu`: its path, who gave it, where, where it was."""
    answer = explain_named(found, name, "eu")
    assert isinstance(answer, ObjectExplanation)
    (destination,) = answer.destinations
    fields = [(field.traced.path, field.traced.source) for field in destination.fields]
    return [
        ("/".join(map(str, path)), source.how, str(source.origin), str(source.hub))
        for path, source in fields
    ]


def test_what_it_edits_keeps_its_own_text_and_what_it_makes_is_written_afresh() -> None:
    found = planned(Plans())
    assert told(found.results) == []
    files = found.tree.files("eu")
    assert files["edge-eu/authpolicy.kuadrant.io_web.yaml"] == HEADER + (
        b"# Who may come in.\n"
        b"apiVersion: kuadrant.io/v1\n"
        b"kind: AuthPolicy\n"
        b"metadata:\n"
        b"  name: web\n"
        b"  namespace: edge-eu\n"
        b"  annotations:\n"
        b'    kuadrant.io/policy-synced: "true"\n'
        b"spec:\n"
        b"  # the one door\n"
        b"  targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}\n"
        b"  rules: {authentication: {anyone: {anonymous: {}}}}\n"
        b"  when:\n"
        b"  - predicate: \"request.path != '/'\"\n"
    )
    assert files["edge-eu/ratelimitpolicy.kuadrant.io_web-plan.yaml"] == HEADER + (
        b"apiVersion: kuadrant.io/v1\n"
        b"kind: RateLimitPolicy\n"
        b"metadata:\n"
        b"  name: web-plan\n"
        b"  namespace: edge-eu\n"
        b"spec:\n"
        b"  targetRef:\n"
        b"    group: gateway.networking.k8s.io\n"
        b"    kind: Gateway\n"
        b"    name: web\n"
        b"  limits:\n"
        b"    gold:\n"
        b"      rates:\n"
        b"      - limit: 5\n"
        b'        window: "1s"\n'
    )
    assert b"ratelimitpolicy.kuadrant.io_web-plan.yaml" in files["kustomization.yaml"]


def test_each_field_is_traced_to_whoever_gave_it() -> None:
    found = planned(Plans())
    synced, moved = "hub/hub.yaml:40", "placement.yaml:9"
    assert explained(found, "authpolicy/infra/web") == [
        ("metadata/annotations/kuadrant.io/policy-synced", How.SYNCED, synced, synced),
        ("metadata/namespace", How.RULE, moved, "hub/hub.yaml:42"),
        ("spec/when", WHO, str(PLAN), "hub/hub.yaml:43"),
    ]
    made = explained(found, "ratelimitpolicy/edge-eu/web-plan")
    assert [path for path, *_ in made] == [
        "apiVersion",
        "kind",
        "metadata/name",
        "metadata/namespace",
        *(f"spec/{field}" for field in ("limits/gold/rates", *TARGET)),
    ]
    assert {tuple(source) for _, *source in made} == {(WHO, str(PLAN), str(PLAN))}


TARGET = ("targetRef/group", "targetRef/kind", "targetRef/name")


def test_what_it_made_is_found_and_told_of_by_its_name_on_a_spoke() -> None:
    answer = explain_named(planned(Plans()), "ratelimitpolicy/web-plan")
    assert isinstance(answer, ObjectExplanation)
    assert (str(answer.ref), answer.origin) == ("RateLimitPolicy edge-eu/web-plan", PLAN)
    assert [place.spokes for place in answer.destinations] == [("eu",), ("us",)]
    assert "RateLimitPolicy edge-us/web-plan" in explain_text(
        ExplainReport(explanation=answer), Look(verbose=True)
    )


def test_spokes_that_are_alike_are_amended_once() -> None:
    alike, apart = Plans(), Plans(per_spoke=True)
    assert len({id(bundle.blueprint) for bundle in planned(alike).bundles.values()}) == 1
    assert len({id(bundle.blueprint) for bundle in planned(apart).bundles.values()}) == 2
    assert (alike.times, apart.times) == (1, 2)


def test_with_slots_or_without_the_bytes_are_the_same() -> None:
    held, in_the_open = planned(Plans()), planned(Plans(compares=True))
    assert [dict(held.tree.files(name)) for name in held.bundles] == [
        dict(in_the_open.tree.files(name)) for name in in_the_open.bundles
    ]
    assert not any(bundle.values for bundle in in_the_open.bundles.values())


def test_what_it_makes_can_be_overridden() -> None:
    override = """\
    - target: {kind: RateLimitPolicy, name: web-plan}
      spokes: {names: [eu]}
      merge: {spec: {limits: {gold: {rates: [{limit: 9, window: 1s}]}}}}
    """
    found = planned(Plans(), overrides=override)
    assert told(found.results) == []
    path = "ratelimitpolicy.kuadrant.io_web-plan.yaml"
    assert b"limit: 9" in found.tree.files("eu")[f"edge-eu/{path}"]
    assert b"limit: 5" in found.tree.files("us")[f"edge-us/{path}"]


def test_what_it_takes_out_is_told_with_its_reason() -> None:
    found = planned(Plans(removed="web"))
    (result,) = about(found.results, "web")
    assert (result.code, result.message) == (NOT_SHIPPED.code, f"not shipped: {WHO} replaces it")
    assert "edge-eu/authpolicy.kuadrant.io_web.yaml" not in found.tree.files("eu")


def test_what_is_wrong_with_what_it_makes_is_told_where_that_was_asked_for() -> None:
    (result,) = about(judge(planned(Plans())).results, "web-plan")
    assert (result.code, str(result.origin)) == (NO_ROUTE_BENEATH.code, str(PLAN))
    assert result.spokes == ("eu", "us")


def test_what_a_stage_reads_may_be_overridden_before_it() -> None:
    override = """\
    - target: {kind: AuthPolicy}
      spokes: {names: [eu]}
      merge: {spec: {patterns: {one: {allOf: []}}}}
    """
    before, after = Plans(reads_overridden=True), Plans()
    told_before, told_after = (planned(stage, overrides=override) for stage in (before, after))
    assert ["patterns" in spec for spec in before.seen] == [True, False]
    assert ["patterns" in spec for spec in after.seen] == [False]
    path = "edge-eu/authpolicy.kuadrant.io_web.yaml"
    texts = [found.tree.files("eu")[path] for found in (told_before, told_after)]
    assert sorted(texts[0].splitlines()) == sorted(texts[1].splitlines())
    assert b"patterns" in texts[0]
    assert told(told_before.results) == told(told_after.results) == []
