"""A placed Gateway as the spoke shall have it."""

from pathlib import Path
from typing import Any

from spokerender.formats import yamlio
from spokerender.rendering.retarget.gateways import merged_listeners
from tests.support import each, rows_of
from tests.support.stages import CLASS, GATEWAY, gateway, objects, render, told, values


def placed(as_: str, text: str = GATEWAY, naming: str = "") -> dict[str, Any]:
    rules = f"- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {as_}}}{naming}"
    found = render([CLASS, text], rules)
    assert told(found.results) == []
    (made,) = objects(found).values()
    return dict(made)


def test_what_is_left_out_stays_as_on_the_hub_but_for_the_class() -> None:
    assert (
        placed("{}")
        == values(GATEWAY.replace("gatewayClassName: hub", "gatewayClassName: istio"))[0]
    )


def test_name_namespace_class_labels_and_annotations_are_set_and_taken_away() -> None:
    text = GATEWAY.replace(
        "namespace: infra}",
        "namespace: infra, labels: {a: '1', b: '2'}, annotations: {keep: x, drop: z}}",
    )
    made = placed(
        "{name: edge, namespace: gw, gatewayClassName: cilium, labels: {a: null, b: '3', c: '4'}, "
        "annotations: {drop: null, none: null, new: '{{ spoke.name }}'}}",
        text,
    )
    assert made["metadata"] == {
        "name": "edge",
        "namespace": "gw",
        "labels": {"b": "3", "c": "4"},
        "annotations": {"keep": "x", "new": "eu"},
    }
    assert made["spec"]["gatewayClassName"] == "cilium"


def test_unknown_fields_survive() -> None:
    text = GATEWAY.replace("spec:\n", "extra: {a: 1}\nspec:\n  unknown: [1, {b: 2}]\n")
    made = placed("{name: edge}", text)
    assert (made["extra"], made["spec"]["unknown"]) == ({"a": 1}, [1, {"b": 2}])


def test_listeners_are_merged_by_name_and_new_ones_come_last() -> None:
    hub = values("""\
        - {name: a, port: 80, hostname: a.example, tls: {mode: Terminate, options: {x: z}}}
        - {name: b, port: 81}
        """)[0]
    declared = values("""\
        - {name: new, port: 90}
        - {name: a, port: 8080, hostname: null, tls: {options: {x: w}}}
        """)[0]
    assert merged_listeners(hub, declared) == [
        {"name": "a", "port": 8080, "tls": {"mode": "Terminate", "options": {"x": "w"}}},
        {"name": "b", "port": 81},
        {"name": "new", "port": 90},
    ]


@each(None, "text", {}, 5)
def test_listeners_that_are_no_list_are_those_declared(hub: Any) -> None:
    assert merged_listeners(hub, [{"name": "a"}]) == [{"name": "a"}]
    assert merged_listeners(["x", None, {"b": 1}], [{"name": "a"}]) == [
        "x",
        None,
        {"b": 1},
        {"name": "a"},
    ]


def test_a_declared_listeners_hostname_wins_over_the_map() -> None:
    made = placed(
        '{hostnames: {"*.shop.example": "*.new.example"}, '
        'listeners: [{name: http, hostname: "own.example"}, {name: x, port: 1, protocol: TCP}]}'
    )
    assert [each.get("hostname") for each in made["spec"]["listeners"]] == ["own.example", None]


@each(*rows_of(__file__, "a_gateway_of_an_odd_shape_is_no_crash"))
def test_a_gateway_of_an_odd_shape_is_no_crash(spec: str) -> None:
    text = (
        "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n"
        f"metadata: {{name: web, namespace: infra}}\nspec: {spec}\n"
    )
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {hostnames: "
        '{"*.a.example": "*.b.example"}, listeners: [{name: z, port: 1}]}}'
    )
    found = render(
        [text], rules, settings="policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]"
    )
    made = objects(found)["Gateway infra/web"]["spec"]
    assert made["listeners"][-1] == {"name": "z", "port": 1}
    assert "gatewayClassName" not in made


def test_mgc_naming_gives_the_gateway_that_mgc_gave(fixtures: Path) -> None:
    """All of it but the list of clusters, which is the hub's own (reference: kuadrant.md 1.3)."""
    path = fixtures / "cases" / "kuadrant" / "mgc_downstream_gateway.yaml"
    documents, _ = yamlio.read(path.read_bytes(), path.name)
    case = documents[0].value
    hub = case["hub"]
    name, namespace = hub["gateway"]["metadata"]["name"], hub["gateway"]["metadata"]["namespace"]
    parameters = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "params", "namespace": namespace},
        "data": {"params": yamlio.emit(hub["gatewayClass"]["params"])},
    }
    gateway_class = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "GatewayClass",
        "metadata": {"name": hub["gatewayClass"]["name"]},
        "spec": {
            "controllerName": hub["gatewayClass"]["controllerName"],
            "parametersRef": {
                "group": "",
                "kind": "ConfigMap",
                "name": "params",
                "namespace": namespace,
            },
        },
    }
    found = render(
        [yamlio.emit(each) for each in (parameters, gateway_class, hub["gateway"])],
        f"- {{gateways: {{names: [{namespace}/{name}]}}, spokes: {{all: true}}, "
        "as: {naming: kuadrant-mgc}}",
        spokes="- {name: kind-mgc-workload-1}\n- {name: kind-mgc-workload-2}\n",
        settings="policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]",
    )
    assert told(found.results) == []
    expected = next(item for item in case["spoke"] if item["kind"] == "Gateway")
    assert expected["metadata"].pop("annotations") == {
        "kuadrant.io/gateway-clusters": '["kind-mgc-workload-1"]'
    }
    for spoke in ("kind-mgc-workload-1", "kind-mgc-workload-2"):
        assert list(objects(found, spoke).values()) == [expected]


def test_nothing_of_a_spoke_names_the_spoke_unless_the_placement_writes_it() -> None:
    found = render([CLASS, GATEWAY, gateway("api")])
    assert found.tree.files("eu") == found.tree.files("us")
    assert not any(b"eu" in data or "eu" in path for path, data in found.tree.files("eu").items())
