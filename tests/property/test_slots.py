"""Slots are only a way to be quick: without any, spoke by spoke, everything means the same.

Below the law stand the cases that broke it, each too rare to be left to chance.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from render.model.slots import slot
from render.rendering.overrides import FIRST_SLOT
from tests.property.fleets import Fleet, fleets
from tests.property.hubs import made
from tests.property.laws import law, told
from tests.property.texts import Style, inline, written
from tests.support import end_to_end as e2e


@law
@given(fleets())
def test_rendering_without_slots_means_the_same(fleet: Fleet) -> None:
    """A hub that has their characters itself is rendered without them."""
    one = {"app": "bystander"}
    plain, odd = (
        written(made("v1/ConfigMap", "infra", "odd", {"text": text}, labels=one), Style())
        for text in ("plain", slot(0))
    )
    with_slots, without = (
        e2e.rendered(replace(fleet, texts=(*fleet.texts, text), placed=(*fleet.placed, 0)).files)
        for text in (plain, odd)
    )
    assert told(with_slots) == told(without)
    for spoke, bundle in with_slots.bundles.items():
        if not e2e.errors(bundle.blueprint.results):
            assert without.bundles[spoke].values == {}
            assert e2e.objects(with_slots, spoke) == e2e.objects(without, spoke)


GATEWAY = """\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web}
spec:
  gatewayClassName: istio
  listeners:
  - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
---
"""
ROUTE = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: shop}
spec:
  parentRefs: [{name: web}]
"""
LISTED = e2e.fleet(("gateway.networking.k8s.io", "HTTPRoute"))


def test_a_namespace_that_nobody_spells_out_is_still_the_same_namespace() -> None:
    """Else the route would be given a `namespace` that it needs not."""
    files = {
        "hub/all.yaml": GATEWAY + ROUTE,
        "fleet.yaml": LISTED,
        "placement.yaml": e2e.everywhere(
            "default/web",
            as_='{labels: {a: "{{ spoke.name }}"}}',
            spokes="[{name: s1}, {name: s2}]",
        ),
    }
    route = e2e.objects(e2e.built(files))["HTTPRoute default/shop"]
    assert route["spec"] == {"parentRefs": [{"name": "web"}]}


def test_what_a_rule_always_says_is_not_taken_from_another_spoke() -> None:
    """The first rule says one and the same everywhere, the second something on each spoke."""
    other = GATEWAY.replace("name: web", "name: api")
    names = '{namespace: "{{ spoke.values.place }}", name: "{{ spoke.values.name }}"}'
    files = {
        "hub/all.yaml": GATEWAY + other + ROUTE,
        "fleet.yaml": LISTED,
        "placement.yaml": e2e.placement(
            "[{name: s1, values: {place: p1, name: n1}},"
            " {name: s2, values: {place: p2, name: n2}}]",
            "[{gateways: {names: [default/web]}, spokes: {all: true}, as: {naming: kuadrant-mgc,"
            ' hostnames: {"*.shop.example": "*.shop.test"}}},'
            f" {{gateways: {{names: [default/api]}}, spokes: {{all: true}}, as: {names}}}]",
        ),
    }
    found = e2e.rendered(files)
    for spoke, place, name in (("s1", "p1", "n1"), ("s2", "p2", "n2")):
        gateways = {key for key in e2e.objects(found, spoke) if key.startswith("Gateway ")}
        assert gateways == {"Gateway kuadrant-default/web", f"Gateway {place}/{name}"}


def test_a_value_may_look_like_a_slot() -> None:
    override = {
        "target": {"kind": "HTTPRoute"},
        "spokes": {"all": True},
        "merge": {"spec": {"all": "{{ spoke.values }}", "name": "{{ spoke.name }}"}},
    }
    values = {"texts": [slot(0), slot(FIRST_SLOT)], "number": 1}
    files = {
        "hub/all.yaml": GATEWAY + ROUTE,
        "fleet.yaml": LISTED,
        "placement.yaml": e2e.placement(
            inline([{"name": name, "values": values} for name in ("s1", "s2")]),
            "[{gateways: {names: [default/web]}, spokes: {all: true},"
            ' as: {name: "gw-{{ spoke.name }}"}}]',
            inline([override]),
        ),
    }
    route = e2e.objects(e2e.built(files))["HTTPRoute default/shop"]
    assert route["spec"] == {"parentRefs": [{"name": "gw-s1"}], "all": values, "name": "s1"}
