"""An expression that can't be evaluated is told, and nothing that would be made of it."""

from tests.support import each, manifest, rows_of
from tests.support.end_to_end import fleet, placement, rendered
from tests.support.stages import hub

HUB = hub(
    manifest(
        "Gateway infra/web",
        "gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP, "
        "hostname: '*.example.com'}]",
    ),
    manifest("HTTPRoute infra/shop", "parentRefs: [{name: web}], hostnames: [shop.example.com]"),
)
FLEET = fleet(("gateway.networking.k8s.io", "HTTPRoute"))


@each(*rows_of(__file__, "in_a_rule"))
def test_in_a_rule(as_: str) -> None:
    rule = f"{{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {{{as_}}}}}"
    found = rendered(
        {
            "hub/a.yaml": HUB,
            "fleet.yaml": FLEET,
            "placement.yaml": placement("[{name: eu, values: {a: b}}, {name: us}]", f"[{rule}]"),
        }
    )
    assert {each.code for each in found.results} == {"SR1406"}


@each(*rows_of(__file__, "in_an_override"))
def test_in_an_override(change: str) -> None:
    rule = "{gateways: {names: [infra/web]}, spokes: {all: true}}"
    override = f"{{target: {{kind: HTTPRoute}}, spokes: {{all: true}}, {change}}}"
    files = {
        "hub/a.yaml": HUB,
        "fleet.yaml": FLEET,
        "placement.yaml": placement("[{name: eu}]", f"[{rule}]", f"[{override}]"),
    }
    assert [each.code for each in rendered(files).results] == ["SR1406"]
