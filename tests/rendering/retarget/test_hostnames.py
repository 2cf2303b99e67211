"""Hostnames per spoke: of listeners and, by suffix, of the routes below."""

from typing import Any

from spokerender.rendering.retarget.hostnames import (
    candidates,
    list_changed_hostnames,
    mapped,
    rewritten,
)
from tests.support import cases, each, manifest, rows_of
from tests.support.stages import CLASS, GATEWAY, everywhere, gateway, objects, render, route, told

RULES = (
    ("*.a.example", "*.x.example"),
    ("*.b.a.example", "*.z.example"),
    ("b.a.example", "exact.example"),
    ("*.same.example", "*.same.example"),
)


@cases(*rows_of(__file__, "mapped"))
def test_mapped(hostname: str, expected: str | None) -> None:
    assert mapped(hostname, RULES) == expected
    assert mapped(hostname, RULES[::-1]) == expected


def test_candidates_are_what_all_maps_make_of_it_once_each() -> None:
    other = (("*.a.example", "*.y.example"),)
    assert candidates("c.a.example", [RULES]) == ("c.x.example",)
    assert candidates("c.a.example", [RULES, other]) == ("c.x.example", "c.y.example")
    assert candidates("c.a.example", [RULES, ()]) == ("c.x.example", "c.a.example")
    assert candidates("c.other", [RULES, other, ()]) == ("c.other",)


def test_suffixes_are_those_that_change() -> None:
    assert list_changed_hostnames(RULES) == ("a.example", "b.a.example", "b.a.example")
    assert rewritten(RULES) == ("x.example", "z.example", "exact.example")


LISTENERS = (
    '[{name: a, port: 80, hostname: "*.shop.example", allowedRoutes: {namespaces: {from: All}}}, '
    '{name: b, port: 81, hostname: "one.shop.example", allowedRoutes: {namespaces: {from: All}}}, '
    "{name: c, port: 82, allowedRoutes: {namespaces: {from: All}}}]"
)
AS = (
    '{hostnames: {"*.shop.example": "*.{{ spoke.values.domain }}", '
    '"one.shop.example": "1.example"}}'
)
RULE = everywhere(AS)


def test_listeners_routes_and_listener_sets_follow_the_map() -> None:
    found = render(
        [
            CLASS,
            gateway("web", listeners=LISTENERS, spec="allowedListeners: {namespaces: {from: All}}"),
            manifest(
                "ListenerSet shop/more",
                "parentRef: {name: web, namespace: infra}, listeners: [{name: x, "
                "hostname: x.shop.example, port: 90, protocol: HTTP}]",
            ),
            route(
                "r",
                spec="hostnames: [a.b.shop.example, one.shop.example, '*.shop.example', "
                "other.example]",
            ),
            route("below", "[{kind: ListenerSet, name: more}]", spec="hostnames: [x.shop.example]"),
        ],
        RULE,
    )
    # What is mapped out of the wildcard's domain is on its listener no more, nor the other way.
    assert [line.partition(" serves")[0] for line in told(found.results)] == [
        f"SR1707 HTTPRoute shop/r spec.parentRefs[0]: Gateway infra/web [{name}]" for name in "ab"
    ]
    for spoke, domain in (("eu", "eu.example"), ("us", "us.example")):
        made = objects(found, spoke)
        listeners = made["Gateway infra/web"]["spec"]["listeners"]
        assert [each.get("hostname") for each in listeners] == [f"*.{domain}", "1.example", None]
        assert made["HTTPRoute shop/r"]["spec"]["hostnames"] == [
            f"a.b.{domain}",
            "1.example",
            f"*.{domain}",
            "other.example",
        ]
        assert made["ListenerSet shop/more"]["spec"]["listeners"][0]["hostname"] == f"x.{domain}"
        assert made["HTTPRoute shop/below"]["spec"]["hostnames"] == [f"x.{domain}"]


def test_routes_below_an_existing_gateway_follow_the_map() -> None:
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, mode: existing, as: {hostnames: "
        '{"*.shop.example": "*.{{ spoke.values.domain }}"}, listeners: [{name: a, hostname: '
        '"*.{{ spoke.values.domain }}", allowedRoutes: {namespaces: {from: All}}}]}}'
    )
    r = route("r", spec="hostnames: [a.shop.example]")
    found = render([CLASS, gateway("web", listeners=LISTENERS), r], rules)
    assert told(found.results) == []
    assert objects(found)["HTTPRoute shop/r"]["spec"]["hostnames"] == ["a.eu.example"]


ANY = "[{name: c, port: 82, allowedRoutes: {namespaces: {from: All}}}]"


@each("{}", '{"*.shop.example": "*.api.example"}')
def test_a_hostname_that_two_gateways_map_in_two_ways_is_an_error(mapped_by_api: str) -> None:
    both = "[{name: web, namespace: infra}, {name: api, namespace: infra}]"
    documents = [
        CLASS,
        gateway("web", listeners=ANY),
        gateway("api", listeners=ANY),
        route("r", both, spec="hostnames: [other.example, a.shop.example]"),
    ]
    rule = (
        "- {gateways: {names: [infra/api]}, spokes: {names: [eu]}, as: {hostnames: "
        f"{mapped_by_api}}}}}\n"
    )
    found = render(documents, RULE + rule)
    other = "a.shop.example" if mapped_by_api == "{}" else "a.api.example"
    assert told(found.results, "SR1510") == [
        (
            "SR1510 HTTPRoute shop/r spec.hostnames[1]: hostname a.shop.example is mapped in 2 "
            f"ways by the gateways that the route hangs on: a.eu.example, {other} (give the rules "
            "of these gateways the same `hostnames`, or split the route) [eu]"
        )
    ]


@cases(*rows_of(__file__, "a_gateway_that_cannot_serve_a_hostname_has_no_say_in_it_api"))
@each("{}", '{"*.shop.example": "*.api.example"}')
def test_a_gateway_that_cannot_serve_a_hostname_has_no_say_in_it(
    mapped_by_api: str, api: str, expected: str
) -> None:
    section = ", sectionName: d" if "name: d" in api else ""
    both = f"[{{name: web, namespace: infra}}, {{name: api, namespace: infra{section}}}]"
    documents = [
        CLASS,
        gateway("web", listeners=ANY),
        gateway("api", listeners=api % "allowedRoutes: {namespaces: {from: All}}"),
        route("r", both, spec="hostnames: [a.shop.example]"),
    ]
    rule = (
        "- {gateways: {names: [infra/api]}, spokes: {names: [eu]}, as: {hostnames: "
        f"{mapped_by_api}}}}}\n"
    )
    found = render(documents, RULE + rule)
    assert [line for line in told(found.results) if "SR1409" not in line] == []
    assert objects(found)["HTTPRoute shop/r"]["spec"]["hostnames"] == [expected]


def test_a_hostname_that_two_gateways_map_alike_is_mapped() -> None:
    both = "[{name: web, namespace: infra}, {name: api, namespace: infra}]"
    documents = [
        CLASS,
        gateway("web", listeners=ANY),
        gateway("api", listeners=ANY),
        route("r", both, spec="hostnames: [a.shop.example]"),
    ]
    found = render(documents, RULE.replace("infra/web", "infra/web, infra/api"))
    assert [line for line in told(found.results) if "SR1409" not in line] == []
    assert objects(found)["HTTPRoute shop/r"]["spec"]["hostnames"] == ["a.eu.example"]


@cases(*rows_of(__file__, "hostnames_of_a_wrong_type_are_left_alone"))
def test_hostnames_of_a_wrong_type_are_left_alone(hostnames: str, expected: Any) -> None:
    r = route("r", spec=f"hostnames: {hostnames}")
    found = render([CLASS, gateway("web", listeners=LISTENERS), r], RULE)
    assert objects(found)["HTTPRoute shop/r"]["spec"]["hostnames"] == expected


DNS = "external-dns.alpha.kubernetes.io"
MAPPING = '{hostnames: {"*.shop.example": "*.{{ spoke.values.domain }}"}}'
ON_WEB = "[{name: web, namespace: infra}]"


@cases(*rows_of(__file__, "annotations_that_list_hostnames_are_mapped"))
def test_annotations_that_list_hostnames_are_mapped(text: str, new: str, is_stale: bool) -> None:
    marks = f'{{{DNS}/hostname: "{text}", cert-manager.io/alt-names: "{text}"}}'
    more = f'infrastructure: {{annotations: {{{DNS}/target: "{text}"}}}}'
    cart = route("r", ON_WEB).replace(
        "namespace: shop}", f"namespace: shop, annotations: {marks}}}"
    )
    web = GATEWAY.replace("namespace: infra}", f"namespace: infra, annotations: {marks}}}")
    web = web.replace("spec:\n", f"spec:\n  {more}\n")
    found = render([CLASS, web, cart], everywhere(MAPPING))
    made = objects(found)
    for name in ("Gateway infra/web", "HTTPRoute shop/r"):
        texts = made[name]["metadata"]["annotations"]
        assert (texts[f"{DNS}/hostname"], texts["cert-manager.io/alt-names"]) == (new, new)
    gateway = made["Gateway infra/web"]["spec"]["infrastructure"]["annotations"]
    assert gateway == {f"{DNS}/target": new}
    stale = {str(result.resource) for result in found.results if result.code == "SR1509"}
    assert stale == ({"Gateway infra/web", "HTTPRoute shop/r"} if is_stale else set())


def test_other_annotations_with_a_hostname_or_a_name_of_the_hub_are_told() -> None:
    marks = '{x.example/note: "see a.shop.example", y.example/of: infra/web, z: other.example}'
    web = GATEWAY.replace("namespace: infra}", f"namespace: infra, annotations: {marks}}}")
    rules = everywhere(MAPPING.replace("{hostnames", "{name: edge, hostnames"))
    found = render([CLASS, web], rules)
    assert [result.field for result in found.results if result.code == "SR1509"] == [
        "metadata.annotations[x.example/note]",
        "metadata.annotations[y.example/of]",
    ]


def test_an_annotation_that_a_rule_sets_is_as_the_rule_says() -> None:
    web = GATEWAY.replace(
        "namespace: infra}", f"namespace: infra, annotations: {{{DNS}/hostname: a.shop.example}}}}"
    )
    as_ = MAPPING.replace("{hostnames", f"{{annotations: {{{DNS}/hostname: x.example}}, hostnames")
    found = render([CLASS, web], everywhere(as_))
    annotations = objects(found)["Gateway infra/web"]["metadata"]["annotations"]
    assert annotations == {f"{DNS}/hostname": "x.example"}
    assert [result for result in found.results if result.code == "SR1509"] == []
