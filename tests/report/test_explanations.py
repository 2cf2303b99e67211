"""The answers of `explain`, as people read them, and as programs do."""

import json
from typing import Any

import pytest

from spokerender.explain import explain_named
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.explanations import explain_text
from spokerender.report.reports import ExplainReport, Look
from spokerender.report.serializing import report_json
from tests.support import rows_of
from tests.support.changing import AUTH, HUB, PLACE, fleet


@pytest.fixture(scope="module")
def shop() -> Rendered:
    return fleet(HUB + AUTH)


def told(
    fleet: Rendered, text: str = "", spoke: str | None = None, *, verbose: bool = False
) -> str:
    return explain_text(
        ExplainReport(explanation=explain_named(fleet, text, spoke)), Look(verbose=verbose)
    )


def data(fleet: Rendered, text: str = "", spoke: str | None = None) -> Any:
    return json.loads(
        report_json(ExplainReport(explanation=explain_named(fleet, text, spoke)), Look())
    )


def test_an_object_is_told_where_it_goes_as_what_and_why(shop: Rendered) -> None:
    assert told(shop, "DNSPolicy/dns") == rows_of(
        __file__, "an_object_is_told_where_it_goes_as_what_and_why"
    )


def test_a_policy_on_a_route_is_told_by_every_step(shop: Rendered) -> None:
    assert told(shop, "authpolicy/shop", "own").splitlines()[:6] == [
        "AuthPolicy shop/shop (hub/hub.yaml:29)",
        "  ships with HTTPRoute shop/shop by spec.targetRef (hub/hub.yaml:33)",
        "    which ships with Gateway infra/web by spec.parentRefs[0] (hub/hub.yaml:14)",
        "",
        "On own",
        "  as AuthPolicy shop/shop, in shop/authpolicy.kuadrant.io_shop.yaml",
    ]


def test_an_object_that_stays_as_it_is_says_so() -> None:
    plain = fleet(place=PLACE.replace("    as: {namespace: edge}\n", ""))
    assert told(plain, "HTTPRoute/shop", "eu") == rows_of(
        __file__, "an_object_that_stays_as_it_is_says_so"
    )


def test_a_gateway_that_the_spoke_has_itself_is_told(shop: Rendered) -> None:
    assert told(shop, "Gateway/web", "own") == rows_of(
        __file__, "a_gateway_that_the_spoke_has_itself_is_told"
    )


def test_what_was_found_about_the_object_follows() -> None:
    unlisted = AUTH.replace("AuthPolicy", "TLSPolicy")
    lines = told(fleet(HUB + unlisted), "tlspolicy/shop", verbose=True).splitlines()
    assert lines[-1] == "1 warning"
    assert "warning SR1502 TLSPolicy shop/shop" in lines[-4]


def many(rule: str) -> Rendered:
    """Thirty spokes, each with a weight, and a gateway placed by this rule."""
    spokes = [f"  - {{name: s{n:02}, values: {{weight: {n}}}}}" for n in range(30)]
    head, _, rest = PLACE.partition("  spokes:\n")
    overrides = rest[rest.index("  overrides:") :].replace("{names: [eu, us]}", "{all: true}")
    rules = f"  rules:\n  - {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}{rule}}}\n"
    return fleet(place=head + "\n".join(["  spokes:", *spokes, rules]) + overrides)


def test_many_values_of_one_field_are_counted() -> None:
    lines = told(many(""), "DNSPolicy/dns").splitlines()
    assert lines[3] == "On 30 spokes: s00, s01, s02, s03, s04 and 25 more"
    assert lines[8].startswith("    spec.loadBalancing.weight: 100 -> 0 on s00")
    assert lines[-1] == "    spec.loadBalancing.weight: 10 more values"


def test_many_places_are_counted() -> None:
    lines = told(many(", as: {name: 'web-{{ spoke.name }}'}"), "Gateway/web").splitlines()
    assert [line for line in lines if line.startswith("On ")] == [
        f"On s{number:02}" for number in range(10)
    ]
    assert lines[-1] == (
        "And as other objects on 20 spokes: s10, s11, s12, s13, s14 and 15 more; "
        "--spoke explains one"
    )


def test_a_spoke_is_told_what_it_gets_and_needs(shop: Rendered) -> None:
    assert told(shop, spoke="eu") == rows_of(__file__, "a_spoke_is_told_what_it_gets_and_needs")


def test_a_gateway_of_the_spokes_own_is_needed_with_its_listeners(shop: Rendered) -> None:
    assert (
        "  Gateway infra/theirs with listeners http: for HTTPRoute shop/shop, DNSPolicy infra/dns"
        in told(shop, spoke="own").splitlines()
    )


def test_a_spoke_that_gets_nothing_needs_nothing(shop: Rendered) -> None:
    assert told(shop, spoke="dev") == rows_of(__file__, "a_spoke_that_gets_nothing_needs_nothing")


def test_the_fleet_is_a_table(shop: Rendered) -> None:
    assert told(shop) == rows_of(__file__, "the_fleet_is_a_table")


def test_what_goes_nowhere_is_listed() -> None:
    lone = HUB + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: lone, namespace: shop}\n"
    assert told(fleet(lone)).splitlines()[-2:] == [
        "On no spoke",
        "  ConfigMap shop/lone: it hangs on no gateway of the hub",
    ]


def test_json_of_an_object(shop: Rendered) -> None:
    found = data(shop, "DNSPolicy/dns", "eu")
    gateway = {"group": "gateway.networking.k8s.io", "kind": "Gateway"}
    assert found["resourceRef"] == {
        "group": "kuadrant.io",
        "kind": "DNSPolicy",
        "namespace": "infra",
        "name": "dns",
    }
    assert found["file"] == {"path": "hub/hub.yaml", "index": 2, "line": 19}
    assert found["chains"] == [
        [
            {
                "resourceRef": gateway | {"namespace": "infra", "name": "web"},
                "field": {"path": "spec.targetRef"},
                "file": {"path": "hub/hub.yaml", "index": 2, "line": 23},
            }
        ]
    ]
    (destination,) = found["destinations"]
    assert destination["gateways"] == [
        {
            "hub": gateway | {"namespace": "infra", "name": "web"},
            "resourceRef": gateway | {"namespace": "edge", "name": "web"},
            "mode": "create",
            "rule": {"path": "placement.yaml", "index": 0, "line": 11},
            "placement": "",
        }
    ]
    assert destination["fields"][-1] == {
        "path": "spec.loadBalancing.weight",
        "old": 100,
        "new": 120,
        "file": {"path": "hub/hub.yaml", "index": 2, "line": 25},
        "how": "override",
        "source": {"path": "placement.yaml", "index": 0, "line": 23},
        "spokes": ["eu"],
    }
    assert (found["notShipped"], found["results"]) == ([], [])
    (left,) = data(shop, "Gateway/web", "own")["notShipped"]
    assert (left["spokes"], left["gateways"][0]["mode"]) == (["own"], "existing")


def test_json_of_a_spoke(shop: Rendered) -> None:
    found = data(shop, spoke="own")
    theirs = {
        "group": "gateway.networking.k8s.io",
        "kind": "Gateway",
        "namespace": "infra",
        "name": "theirs",
    }
    assert (found["spoke"], [item["path"] for item in found["objects"]]) == (
        "own",
        [
            "shop/httproute.gateway.networking.k8s.io_shop.yaml",
            "shop/authpolicy.kuadrant.io_shop.yaml",
            "infra/dnspolicy.kuadrant.io_dns.yaml",
        ],
    )
    needed = found["requirements"]
    assert needed["namespaces"] == ["infra", "shop"]
    assert [(one["resourceRef"], one["listeners"]) for one in needed["gateways"]] == [
        (theirs, ["http"])
    ]
    secret, service = needed["objects"]
    assert (secret["selector"], "selector" in service) == (
        "kuadrant.io/default-provider=true",
        False,
    )
    assert service["resourceRef"] == {"kind": "Service", "namespace": "shop", "name": "shop"}
    assert [ref["kind"] for ref in service["neededBy"]] == ["HTTPRoute"]


def test_json_of_the_fleet(shop: Rendered) -> None:
    found = data(shop)
    assert (found["hubObjects"], found["notShipped"]) == (4, [])
    assert found["spokes"][1] == {"spoke": "eu", "gateways": 1, "objects": 4, "overridden": 1}
