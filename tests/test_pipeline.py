"""The whole way from files to trees: design questions, bad input all at once, and no crash."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.findings.results import Severity
from spokerender.formats import yamlio
from spokerender.rendering.values.rendered import Rendered
from tests.support import rows_of
from tests.support.profiles import examples
from tests.support.project import rendered
from tests.support.stages import (
    CLASS,
    GATEWAY,
    auth,
    everywhere,
    fleet,
    gateway,
    hub,
    objects,
    placement,
    render,
    route,
    told,
)

# --- bad input ------------------------------------------------------------------------------

BROKEN = {
    "hub/a.yaml": hub(
        "a: 1\n",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: UPPER, namespace: x}}\n",
        GATEWAY.replace("gatewayClassName: hub", "gatewayClassName: own"),
        gateway("api"),
        gateway("api"),
        auth("lost", "kind: Gateway, name: wbe"),
        auth("odd", "kind: 5, name: web"),
        auth("section", "kind: Gateway, name: web, sectionName: nope"),
        route("astray", "[{name: nobody}]"),
    ),
    "hub/b.yaml": "a: [\n",
}
BROKEN_RULES = """\
- {gateways: {names: [infra/web, infra/wbe]}, spokes: {all: true}, as: {name: "{{ nope }}"}}
- {gateways: {names: [infra/api]}, spokes: {names: [eu, zz]}}
- {gateways: {names: [infra/api]}, spokes: {all: true}, as: {name: A_B}}
"""
BROKEN_OVERRIDES = rows_of(__file__, "broken_overrides")


def broken() -> Rendered:
    settings = "policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}, {group: x, kind: Q}, "
    settings += "{group: gateway.networking.k8s.io, kind: HTTPRoute}]"
    return rendered(BROKEN, placement(BROKEN_RULES, overrides=BROKEN_OVERRIDES), fleet(settings))


def test_all_that_is_wrong_is_told_at_once() -> None:
    errors = [result for result in broken().results if result.severity is Severity.ERROR]
    assert sorted({result.code for result in errors}) == [
        "SR1001",  # not YAML
        "SR1002",  # no object
        "SR1003",  # one identity twice
        "SR1007",  # a bad name
        "SR1010",  # a target that is missing
        "SR1011",  # a reference that can't be understood
        "SR1304",  # a kind that nobody knows
        "SR1401",  # a gateway that is not there
        "SR1402",  # a spoke that is not there
        "SR1405",  # placed twice
        "SR1406",  # an expression
        "SR1407",  # a value
        "SR1601",  # an override that matches nothing
        "SR1602",  # a patch that does not fit
        "SR1603",  # an identity that an override changes
        "SR1701",  # a listener that is not there
    ]


def test_every_error_has_its_place_and_its_cure() -> None:
    errors = [result for result in broken().results if result.severity is Severity.ERROR]
    assert [result for result in errors if result.origin is None or not result.cure] == []
    paths = {result.origin.path for result in errors if result.origin is not None}
    assert paths == {"fleet.yaml", "hub/a.yaml", "hub/b.yaml", "placement.yaml"}


def test_the_same_input_tells_the_same() -> None:
    assert broken().results == broken().results


# --- severities -----------------------------------------------------------------------------


def test_what_selects_nobody_today_and_an_unplaced_gateway_are_warnings() -> None:
    found = render(
        [CLASS, GATEWAY, gateway("api")],
        "- {gateways: {names: [infra/web]}, spokes: {all: true}}\n"
        "- {gateways: {names: [infra/api]}, spokes: {selector: {matchLabels: {region: ap}}}}\n",
    )
    assert [(r.code, r.severity) for r in found.results if r.severity != "info"] == [
        ("SR1403", Severity.WARNING),
        ("SR1404", Severity.WARNING),
    ]


def test_one_finding_of_many_spokes_is_one_result_that_names_them() -> None:
    spokes = "".join(f"- {{name: s{n:03}, values: {{d: d{n}.example}}}}\n" for n in range(50))
    text = route("r", spec="hostnames: [a.shop.example]")
    rules = everywhere("{listeners: [{name: http, hostname: '*.{{ spoke.values.d }}'}]}")
    found = render(
        [CLASS, GATEWAY, text, auth("t", "kind: Gateway, name: web", kind="TLSPolicy")],
        rules,
        spokes=spokes,
    )
    assert [(r.code, len(r.spokes)) for r in found.results if r.severity != "info"] == [
        ("SR1502", 50),
        ("SR1704", 50),
    ]


# --- the design's corner questions, and the whole of a small fleet -------------------------------


def test_equal_spokes_have_equal_trees() -> None:
    found = render(
        [CLASS, GATEWAY, auth("p", "kind: Gateway, name: web")],
        spokes="- {name: a, labels: {x: z}, values: {v: 1}}\n- {name: b}\n",
    )
    assert found.tree.files("a") == found.tree.files("b")


def test_a_policy_of_two_gateways_of_two_classes_ships_with_the_one_that_lists_it() -> None:
    second = CLASS.replace("name: hub}", "name: second}").replace("name: params", "name: other")
    second = second.replace("    - {group: kuadrant.io, version: v1, kind: AuthPolicy}\n", "")
    documents = [
        CLASS,
        second,
        GATEWAY,
        gateway("api").replace("gatewayClassName: hub", "gatewayClassName: second"),
        auth("w", "kind: Gateway, name: web"),
        auth("a", "kind: Gateway, name: api"),
    ]
    found = render(documents, "- {gateways: {names: [infra/web, infra/api]}, spokes: {all: true}}")
    assert "AuthPolicy infra/w" in objects(found)
    assert "AuthPolicy infra/a" not in objects(found)
    assert [(r.code, str(r.resource)) for r in found.results if r.severity != "info"] == [
        ("SR1502", "AuthPolicy infra/a")
    ]


def test_a_list_and_a_json_file_are_the_same_as_documents() -> None:
    documents = [CLASS, GATEWAY, auth("p", "kind: Gateway, name: web")]
    items = [document.value for document in yamlio.read(hub(*documents).encode(), "a")[0]]
    listed = {"apiVersion": "v1", "kind": "List", "items": items}
    found = rendered({"hub/a.json": yamlio.emit(listed)}, placement())
    assert told(found.results) == []
    assert objects(found) == objects(render(documents))


# --- no shape of an object is a crash --------------------------------------------------------

KINDS = rows_of(__file__, "kinds")
WORDS = [
    "spec", "parentRefs", "parentRef", "targetRef", "targetRefs", "targetSelectors", "listeners",
    "name", "namespace", "group", "kind", "hostname", "hostnames", "sectionName", "port", "from",
    "to", "rules", "backendRefs", "matchLabels", "matchExpressions", "selector", "podSelector",
    "allowedRoutes", "namespaces", "gatewayClassName", "parametersRef", "tls", "certificateRefs",
    "values", "operator", "key", "data", "params", "web", "infra", "Gateway", "HTTPRoute", "In",
    "gateway.networking.k8s.io", "gateway.networking.k8s.io/gateway-name", "versions", "names",
]  # fmt: skip
words = st.sampled_from(WORDS)
shapes = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.just("") | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=10,
)
entry = st.fixed_dictionaries(
    {"group": st.just("gateway.networking.k8s.io"), "kind": words, "name": st.just("web")},
    optional={"namespace": shapes, "sectionName": shapes, "port": shapes, "x": shapes},
)
specs = st.one_of(
    st.dictionaries(words, shapes, max_size=4),
    st.fixed_dictionaries(
        {},
        optional={
            "parentRefs": st.lists(entry | shapes, max_size=3),
            "targetRef": entry | shapes,
            "targetRefs": st.lists(entry | shapes, max_size=3),
            "listeners": st.lists(st.dictionaries(words, shapes, max_size=4), max_size=2),
            "from": st.lists(entry | shapes, max_size=2),
            "to": st.lists(entry | shapes, max_size=2),
            "hostnames": shapes,
            "rules": shapes,
        },
    ),
)
objects_of_any_shape = st.builds(
    lambda kind, spec, extra, name: {
        "apiVersion": kind[0],
        "kind": kind[1],
        "metadata": {"name": name, "namespace": "infra"},
        "spec": spec,
        **extra,
    },
    st.sampled_from(KINDS),
    specs,
    st.dictionaries(st.sampled_from(["data", "status", "x"]), shapes, max_size=1),
    st.sampled_from(["web", "a", "hub", "params"]),
)
RULES = rows_of(__file__, "rules")
OVERRIDES = (
    "- {target: {kind: AuthPolicy}, spokes: {all: true}, optional: true, "
    "merge: {spec: {x: '{{ spoke.name }}'}}}\n"
    "- {target: {kind: Gateway}, spokes: {all: true}, optional: true, "
    "patch: [{op: add, path: /spec/listeners/0/x, value: '{{ gateway.name }}'}]}\n"
)


@pytest.mark.property
@settings(max_examples=examples(300))
@given(st.lists(objects_of_any_shape, min_size=1, max_size=4), st.booleans())
def test_no_shape_of_an_object_is_a_crash(found: list[dict[str, Any]], with_gateway: bool) -> None:
    documents = [yamlio.emit(item) for item in found]
    if with_gateway:
        documents += [CLASS, GATEWAY]
    made = render(documents, RULES, overrides=OVERRIDES)
    for spoke in ("eu", "us"):
        made.tree.files(spoke)
