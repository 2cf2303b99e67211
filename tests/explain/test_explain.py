"""Where an object goes and why, what a spoke gets and needs, the fleet in numbers."""

import pytest

from spokerender.explain import explain_named
from spokerender.explain.values import (
    Explanation,
    FleetSummary,
    ObjectExplanation,
    Placing,
    ReferenceStep,
    ShippedObject,
    SpokeExplanation,
    SpokeSummary,
    UnshippedObject,
)
from spokerender.findings.errors import InputError
from spokerender.findings.results import Severity
from spokerender.model import GATEWAY_API, Origin, Ref
from spokerender.rendering.tree import SpokeFolders
from spokerender.rendering.values.rendered import Rendered
from tests.support import cases, each, rows_of, stages, text_of
from tests.support.changing import SYNC
from tests.support.counting import calls_of
from tests.support.end_to_end import WEB
from tests.support.project import FLEET, PLACEMENT, rendered

HUB = WEB + text_of(__file__, "explain_hub.yaml")
PLACE = PLACEMENT + text_of(__file__, "explain_placement.yaml")
GATEWAY = Ref(GATEWAY_API, "Gateway", "infra", "web")
MOVED = Ref(GATEWAY_API, "Gateway", "edge", "web")
ROUTE = Ref(GATEWAY_API, "HTTPRoute", "shop", "shop")
AUTH = Ref("kuadrant.io", "AuthPolicy", "shop", "shop")
DNS = Ref("kuadrant.io", "DNSPolicy", "infra", "dns")


@pytest.fixture(scope="module")
def fleet() -> Rendered:
    found = rendered(HUB, PLACE, SYNC)
    assert [result for result in found.results if result.severity is Severity.ERROR] == []
    return found


def about(fleet: Rendered, text: str, spoke: str | None = None) -> ObjectExplanation:
    found = explain_named(fleet, text, spoke)
    assert isinstance(found, ObjectExplanation)
    return found


def hub(index: int, line: int) -> Origin:
    return Origin("hub/hub.yaml", index, line)


def rule(line: int) -> Origin:
    return Origin("placement.yaml", 0, line)


def test_an_object_is_told_where_it_goes_as_what_and_why(fleet: Rendered) -> None:
    found = about(fleet, "DNSPolicy/infra/dns")
    assert (found.ref, found.origin) == (DNS, hub(3, 28))
    assert found.chains == ((ReferenceStep(GATEWAY, "spec.targetRef", hub(3, 32)),),)
    moved, theirs = found.destinations
    assert (moved.spokes, moved.ref) == (
        ("eu", "us"),
        Ref("kuadrant.io", "DNSPolicy", "edge", "dns"),
    )
    assert moved.path == "edge/dnspolicy.kuadrant.io_dns.yaml"
    assert moved.placings == (Placing(GATEWAY, MOVED, mode="create", rule=rule(11)),)
    own = Ref(GATEWAY_API, "Gateway", "theirs", "theirs")
    assert theirs.placings == (Placing(GATEWAY, own, mode="existing", rule=rule(14)),)
    assert (theirs.spokes, theirs.path) == (("own",), "theirs/dnspolicy.kuadrant.io_dns.yaml")


def test_a_field_that_many_spokes_share_is_told_once(fleet: Rendered) -> None:
    moved, _ = about(fleet, "DNSPolicy/infra/dns").destinations
    assert [(field.traced.path[-1], field.traced.new, field.spokes) for field in moved.fields] == [
        ("kuadrant.io/policy-synced", "true", ("eu", "us")),
        ("namespace", "edge", ("eu", "us")),
        ("weight", 120, ("eu",)),
        ("weight", 80, ("us",)),
    ]


def test_the_chain_goes_by_what_the_object_ships_with(fleet: Rendered) -> None:
    assert about(fleet, "AuthPolicy/shop").chains == (
        (
            ReferenceStep(ROUTE, "spec.targetRef", hub(2, 22)),
            ReferenceStep(GATEWAY, "spec.parentRefs[0]", hub(1, 14)),
        ),
    )
    assert about(fleet, "Gateway/web").chains == ()


def test_the_chain_of_what_routes_name_goes_by_the_routes() -> None:
    """A Service of the hub, a policy for it, and a filter."""
    below = text_of(__file__, "explain_chain.yaml")
    placement = PLACEMENT + "  spokes: [{name: eu}]\n  rules: []\n"
    fleet = rendered(HUB + below, placement, FLEET + "  policiesToSync: []\n")
    service = Ref("", "Service", "shop", "shop")
    up = [(ROUTE, "spec.rules[0].backendRefs[0]"), (GATEWAY, "spec.parentRefs[0]")]
    (chain,) = about(fleet, "Service/shop").chains
    assert [(step.ref, step.field) for step in chain] == up
    (chain,) = about(fleet, "BackendTLSPolicy/tls").chains
    assert [(step.ref, step.field) for step in chain] == [(service, "spec.targetRefs[0]"), *up]


def test_an_object_is_told_why_it_does_not_go(fleet: Rendered) -> None:
    found = about(fleet, "AuthPolicy/shop")
    assert [(left.spokes, left.reason) for left in found.not_shipped] == [
        (("ap",), "the gateway that it hangs on is not placed there")
    ]
    existing = next(left for left in about(fleet, "Gateway/web").not_shipped if left.placings)
    assert (existing.spokes, existing.reason) == (("own",), "the spoke has its own gateway")
    nowhere = about(fleet, "ConfigMap/shop")
    assert nowhere.destinations == ()
    assert [left.spokes for left in nowhere.not_shipped] == [("ap", "eu", "own", "us")]
    assert [result.code for result in nowhere.results] == ["SR1501"]


def test_one_spoke_alone_may_be_asked_about(fleet: Rendered) -> None:
    found = about(fleet, "DNSPolicy/dns", "us")
    assert [item.spokes for item in found.destinations] == [("us",)]
    assert found.not_shipped == ()
    assert about(fleet, "DNSPolicy/dns", "ap").destinations == ()


@each(*rows_of(__file__, "an_object_is_named_as_kubectl_users_do"))
def test_an_object_is_named_as_kubectl_users_do(text: str, fleet: Rendered) -> None:
    assert about(fleet, text).ref == AUTH


def test_an_object_may_be_named_as_it_is_on_a_spoke(fleet: Rendered) -> None:
    assert about(fleet, "DNSPolicy/edge/dns").ref == DNS


@cases(*rows_of(__file__, "what_names_nothing_is_refused"))
def test_what_names_nothing_is_refused(
    text: str, spoke: str | None, message: str, cure: str, fleet: Rendered
) -> None:
    with pytest.raises(InputError) as refused:
        explain_named(fleet, text, spoke)
    (result,) = refused.value.results
    assert result.message.startswith(message)
    assert result.cure.startswith(cure)


def test_what_names_several_objects_is_refused() -> None:
    two = HUB + "---\n" + HUB.rsplit("---\n", 1)[-1].replace("infra", "shop")
    with pytest.raises(InputError) as refused:
        explain_named(rendered(two, PLACE, SYNC), "configmap/shop")
    assert refused.value.results[0].message == (
        '"configmap/shop" matches 2 objects: ConfigMap/infra/shop, ConfigMap/shop/shop'
    )


def test_a_spoke_is_told_what_it_gets_and_needs(fleet: Rendered) -> None:
    found = explain_named(fleet, spoke="eu")
    assert isinstance(found, SpokeExplanation)
    assert (found.spoke, found.origin) == ("eu", rule(7))
    assert found.placings == (Placing(GATEWAY, MOVED, mode="create", rule=rule(11)),)
    assert found.objects == (
        ShippedObject(GATEWAY, MOVED, "edge/gateway.gateway.networking.k8s.io_web.yaml"),
        ShippedObject(ROUTE, ROUTE, "shop/httproute.gateway.networking.k8s.io_shop.yaml"),
        ShippedObject(AUTH, AUTH, "shop/authpolicy.kuadrant.io_shop.yaml"),
        ShippedObject(
            DNS,
            Ref("kuadrant.io", "DNSPolicy", "edge", "dns"),
            "edge/dnspolicy.kuadrant.io_dns.yaml",
        ),
    )
    assert found.requirements.namespaces == ("edge", "shop")
    assert [(r.ref.kind, r.ref.name) for r in found.requirements.objects] == [
        ("Secret", ""),
        ("Service", "shop"),
        ("GatewayClass", "istio"),
    ]


@each("object", "spoke")
def test_namespaces_that_are_rendered_are_not_needed(layout: str) -> None:
    found = explain_named(
        rendered(HUB, PLACE, f"{SYNC}  layout: {layout}\n  namespaces: create\n"), spoke="eu"
    )
    assert isinstance(found, SpokeExplanation)
    assert found.requirements.namespaces == ()
    assert {item.path == "manifests.yaml" for item in found.objects} == {layout == "spoke"}


def test_the_fleet_is_told_in_numbers(fleet: Rendered) -> None:
    found: Explanation = explain_named(fleet)
    assert found == FleetSummary(
        spokes=(
            SpokeSummary("ap", gateways=0, objects=0, overridden=0),
            SpokeSummary("eu", gateways=1, objects=4, overridden=1),
            SpokeSummary("own", gateways=1, objects=3, overridden=0),
            SpokeSummary("us", gateways=1, objects=4, overridden=1),
        ),
        hub_objects=5,
        not_shipped=(
            UnshippedObject(
                Ref("", "ConfigMap", "infra", "shop"), "it hangs on no gateway of the hub"
            ),
        ),
    )


def test_where_an_object_is_is_told_without_making_the_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each spoke's files are as many as the hub's objects."""
    made = calls_of(monkeypatch, SpokeFolders, "files")
    listed = calls_of(monkeypatch, SpokeFolders, "paths")
    spokes = "".join(f"- {{name: s{i}, values: {{ns: n{i}}}}}\n" for i in range(40))
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true},"
        " as: {namespace: '{{ spoke.values.ns }}'}}\n"
    )
    found = stages.render([stages.CLASS, stages.GATEWAY], rules, spokes=spokes)
    explained = explain_named(found, "Gateway/infra/web")
    assert isinstance(explained, ObjectExplanation)
    assert [place.path for place in explained.destinations[:2]] == [
        "n0/gateway.gateway.networking.k8s.io_web.yaml",
        "n1/gateway.gateway.networking.k8s.io_web.yaml",
    ]
    assert (made, len(listed)) == ([], 1)
