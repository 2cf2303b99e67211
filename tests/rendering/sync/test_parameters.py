"""A GatewayClass's parameters: a ConfigMap with JSON or YAML under `params`."""

from typing import Any

from spokerender.findings.results import INFO, WARNING
from spokerender.formats import yamlio
from spokerender.model import Origin
from spokerender.rendering.values.placement import ClassParameters
from spokerender.topology.hub import Hub, read_hub
from tests.rendering.sync.classes import AUTH, NOTHING, asked, objects
from tests.support import cases, each, named_rows_of, rows_of
from tests.support.stages import GATEWAY, hub, told


def params(text: str) -> Hub:
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "ns"},
        "data": {"params": text},
    }
    reference = {"group": "", "kind": "ConfigMap", "name": "c", "namespace": "ns"}
    gateway_class = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "GatewayClass",
        "metadata": {"name": "hub"},
        "spec": {"parametersRef": reference},
    }
    text = hub(yamlio.emit(config_map), yamlio.emit(gateway_class), GATEWAY)
    return read_hub([("hub/a.yaml", text.encode())])


@each(*rows_of(__file__, "the_list_is_json_or_yaml_under_either_key_of_kinds_or_resources"))
def test_the_list_is_json_or_yaml_under_either_key_of_kinds_or_resources(text: str) -> None:
    assert asked(params(text)) == (ClassParameters(frozenset([AUTH]), "istio", ours=True), [])


@cases(*rows_of(__file__, "parameters_that_cannot_be_used"))
def test_parameters_that_cannot_be_used(text: str, expected: str) -> None:
    _, results = asked(params(text))
    assert told(results) == [f"SR1302 ConfigMap ns/c {expected}"]
    assert [result.origin for result in results] == [Origin("hub/a.yaml")]


def test_all_that_is_wrong_is_told_at_once() -> None:
    _, results = asked(params("{a: 1, policiesToSync: [5, {group: x, kind: Z}]}"))
    assert [(result.code, result.field) for result in results] == [
        ("SR1302", "data.params.a"),
        ("SR1302", "data.params.policiesToSync[0]"),
        ("SR1304", "data.params.policiesToSync[1]"),
    ]


def test_a_controller_s_own_kind_of_parameters_is_passed_over_beside_a_list() -> None:
    reference = {
        "group": "gateway.envoyproxy.io",
        "kind": "EnvoyProxy",
        "name": "a",
        "namespace": "b",
    }
    read, results = asked(objects({"parametersRef": reference}), tolerant=True)
    assert read == NOTHING
    assert list(results) == []


def test_parameters_of_another_controller_are_an_error_without_that_list() -> None:
    reference = {
        "group": "gateway.envoyproxy.io",
        "kind": "EnvoyProxy",
        "name": "a",
        "namespace": "b",
    }
    _, results = asked(objects({"parametersRef": reference}))
    assert told(results) == [
        (
            "SR1302 GatewayClass hub spec.parametersRef: parameters of kind "
            "EnvoyProxy.gateway.envoyproxy.io can't be read (point it at a ConfigMap, or list the "
            "kinds in fleet.yaml under spec.policiesToSync)"
        )
    ]


@each(None, "text", [])
def test_a_parameters_ref_that_is_no_reference_is_none(reference: Any) -> None:
    assert asked(objects({"parametersRef": reference})) == (NOTHING, [])


def test_binary_data_is_no_text() -> None:
    case = {
        "parametersRef": {"group": "", "kind": "ConfigMap", "name": "c", "namespace": "ns"},
        "configMap": {"binaryData": {"params": "e30="}},
    }
    assert told(asked(objects(case))[1]) == [
        (
            "SR1302 GatewayClass hub spec.parametersRef: ConfigMap ns/c has no text under "
            "data.params (it has nothing) (put the parameters there, as JSON or YAML)"
        )
    ]


OURS = {"group": "", "kind": "ConfigMap", "name": "c", "namespace": "ns"}


@each(*named_rows_of(__file__, "a_config_map_of_another_controller_is_passed_over"))
def test_a_config_map_of_another_controller_is_passed_over(case: dict[str, Any]) -> None:
    found = objects({"parametersRef": OURS, **case})
    read, results = asked(found, tolerant=True)
    assert read == NOTHING
    is_here = "configMap" in case
    expected = ("SR1303", INFO if is_here else WARNING)
    assert [(result.code, result.severity) for result in results] == [expected]
    _, results = asked(found)
    assert {result.code for result in results} == {"SR1302"}


@cases(*rows_of(__file__, "what_may_be_meant_for_us_is_held_to_it_beside_a_list_in_the_fleet_file"))
def test_what_may_be_meant_for_us_is_held_to_it_beside_a_list_in_the_fleet_file(
    reference: dict[str, str], text: str
) -> None:
    found = objects({"parametersRef": reference, "configMap": {"data": {"params": text}}})
    _, results = asked(found, tolerant=True)
    assert {result.code for result in results} == {"SR1302"}
