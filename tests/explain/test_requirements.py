"""What a spoke needs besides what is rendered for it."""

from typing import Any

from spokerender.explain.spokes import list_requirements
from spokerender.explain.values import Required, RequiredGateway, Requirements
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY_API, JsonValue, PlacedGateway, Ref
from tests.support import cyaml, manifest

CATALOGUE = Catalogue.of([])
HUB = Ref(GATEWAY_API, "Gateway", "infra", "web")
GATEWAY = Ref(GATEWAY_API, "Gateway", "edge", "web")
ROUTE = Ref(GATEWAY_API, "HTTPRoute", "shop", "pay")
POLICY = Ref("kuadrant.io", "AuthPolicy", "shop", "pay")

TEXTS = {
    GATEWAY: manifest(
        "Gateway edge/web",
        "gatewayClassName: istio, listeners: [{name: a, "
        "tls: {certificateRefs: [{name: cert}]}}, {name: b, "
        "tls: {certificateRefs: [{name: cert}, {name: far, namespace: certs}]}}]",
    ),
    ROUTE: manifest(
        "HTTPRoute shop/pay",
        "parentRefs: [{name: web, namespace: edge}], rules: [{backendRefs: [{name: pay, "
        "port: 80}, {name: pay, port: 81}]}]",
    ),
    POLICY: manifest(
        "AuthPolicy shop/pay",
        "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: pay}, "
        "rules: {authentication: {keys: {apiKey: {selector: {matchLabels: {app: pay}}}}}}",
    ),
}


def needed(*refs: Ref, placed: tuple[PlacedGateway, ...] = (), **more: Any) -> Requirements:
    objects = [(ref, cyaml.safe_load(TEXTS[ref])) for ref in refs]
    return list_requirements(objects, placed, CATALOGUE, **more)


def test_a_spoke_without_objects_needs_nothing() -> None:
    assert needed() == Requirements((), (), ())


def test_what_several_objects_need_is_told_once() -> None:
    found = needed(GATEWAY, ROUTE)
    assert found == Requirements(
        namespaces=("certs", "edge", "shop"),
        gateways=(),
        objects=(
            Required(Ref("", "Secret", "certs", "far"), "", "", (GATEWAY,)),
            Required(Ref("", "Secret", "edge", "cert"), "", "", (GATEWAY,)),
            Required(Ref("", "Service", "shop", "pay"), "", "", (ROUTE,)),
            Required(Ref(GATEWAY_API, "GatewayClass", "", "istio"), "", "", (GATEWAY,)),
        ),
    )


def test_what_a_selector_has_to_find_has_no_name() -> None:
    (secret, _) = needed(POLICY).objects
    assert (secret.ref.kind, secret.ref.name, secret.selector, secret.needed_by) == (
        "Secret",
        "",
        "app=pay",
        (POLICY,),
    )
    assert secret.note


def test_a_target_that_is_not_rendered_is_needed() -> None:
    assert Required(ROUTE, "", "", (POLICY,)) in needed(POLICY).objects
    assert ROUTE not in {required.ref for required in needed(POLICY, ROUTE).objects}


def test_a_gateway_of_the_spokes_own_is_told_with_its_listeners() -> None:
    place = PlacedGateway(
        HUB,
        GATEWAY,
        0,
        existing=True,
        listeners=JsonValue.of([{"name": "http"}, {"name": "https"}]),
    )
    found = needed(ROUTE, placed=(place,))
    assert found.gateways == (RequiredGateway(GATEWAY, ("http", "https"), (ROUTE,)),)
    assert [required.ref.kind for required in found.objects] == ["Service"]
    assert found.namespaces == ("edge", "shop")


def test_namespaces_that_are_rendered_are_not_needed() -> None:
    assert needed(GATEWAY, ROUTE, rendered_namespaces=["edge", "shop"]).namespaces == ("certs",)


def test_the_order_of_the_objects_means_nothing() -> None:
    assert needed(GATEWAY, ROUTE, POLICY) == needed(POLICY, ROUTE, GATEWAY)


def test_an_existing_gateway_is_described_as_all_its_rules_do() -> None:
    places = [
        PlacedGateway(
            hub=Ref(GATEWAY_API, "Gateway", "infra", name),
            ref=GATEWAY,
            rule=0,
            existing=True,
            listeners=JsonValue.of([{"name": name}]),
            labels=((name, text),),
        )
        for name, text in (("a", "b"), ("c", None))
    ]
    (gateway,) = list_requirements([], places, CATALOGUE).gateways
    assert gateway == RequiredGateway(GATEWAY, ("a", "c"), (), {"a": "b", "c": None})
