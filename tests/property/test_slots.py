"""Cases that broke the law of slots (`test_fleets`), each too rare to be left to chance."""

from tests.property.fleets import ODD
from tests.property.texts import inline
from tests.support import each, end_to_end as e2e, manifest, rows_of

GATEWAY = rows_of(__file__, "gateway")
ROUTE = manifest("HTTPRoute shop", "parentRefs: [{name: web}]")
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


@each(*ODD)
def test_a_value_may_look_like_what_slots_were_once(odd: str) -> None:
    override = {
        "target": {"kind": "HTTPRoute"},
        "spokes": {"all": True},
        "merge": {"spec": {"all": "{{ spoke.values }}", "name": "{{ spoke.name }}"}},
    }
    values = {"texts": [odd, odd + odd], "number": 1}
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
