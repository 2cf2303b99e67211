"""A GatewayClass's parameters: upstream's cases with upstream's answers, or better ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from render import yamlio
from render.hub import Hub, assemble
from render.model import GATEWAY_API, Origin, Ref
from render.results import Result
from render.sync import read_sync_list
from render.sync.parameters import ClassParameters, read_parameters
from tests.stages import GATEWAY, hub, render, told

AUTH = ("kuadrant.io", "AuthPolicy")
CLASS = Ref(GATEWAY_API, "GatewayClass", "", "hub")
NOTHING = ClassParameters()

# Upstream's answer is the case's own `expected` or `error`. Ours, by hand: what was read, and
# what is told, `code resource field: message (cure)`.
ANSWERS: dict[str, tuple[ClassParameters, list[str]]] = {
    "ConfigMap found": (ClassParameters(downstream_class="istio", ours=True), []),
    # Better than upstream, which takes istio for granted: see test_no_parameters_at_all.
    "no parametersRef": (NOTHING, []),
    "wrong data key": (
        NOTHING,
        [
            (
                "SR1302 GatewayClass hub spec.parametersRef: ConfigMap ns/c has no text under "
                "data.params (it has parameters) (put the parameters there, as JSON or YAML)"
            )
        ],
    ),
    "corrupted JSON": (
        NOTHING,
        [
            (
                "SR1302 ConfigMap ns/c data.params: line 1 of the text: not YAML: did not find "
                "expected "
                "',' or '}' while parsing a flow mapping (mend the syntax)"
            )
        ],
    ),
    "missing namespace": (
        NOTHING,
        [
            (
                "SR1302 GatewayClass hub spec.parametersRef.namespace: no namespace: a ConfigMap "
                "is "
                "namespaced (add `namespace`)"
            )
        ],
    ),
    "ConfigMap not found": (
        NOTHING,
        [
            (
                "SR1302 GatewayClass hub spec.parametersRef: ConfigMap ns/absent is not in the hub "
                "(add it to the hub)"
            )
        ],
    ),
    "unsupported kind": (
        NOTHING,
        [
            (
                "SR1302 GatewayClass hub spec.parametersRef: parameters of kind Unsupported.foo "
                "can't "
                "be read (point it at a ConfigMap, or list the kinds in fleet.yaml under "
                "spec.policiesToSync)"
            )
        ],
    ),
    # Better than upstream, whose gateway has the class "": see test_no_downstream_class.
    "ref set but no downstreamClass": (ClassParameters(frozenset([AUTH]), "", ours=True), []),
    # Better than upstream, which passes the list over: it is the RFC's own key.
    "unknown keys ignored": (ClassParameters(frozenset([AUTH]), "eg", ours=True), []),
}


def objects(case: dict[str, Any]) -> Hub:
    gateway_class = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "GatewayClass",
        "metadata": {"name": "hub"},
        "spec": {"controllerName": "a.example/b", "parametersRef": case["parametersRef"]},
    }
    found = [gateway_class]
    if "configMap" in case:
        metadata = {"name": "c", "namespace": "ns"}
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
        found.append({**config_map, **case["configMap"]})
    text = "---\n".join(map(yamlio.emit, found))
    return assemble([("hub/a.yaml", text.encode()), ("hub/gateway.yaml", GATEWAY.encode())])


def asked(found: Hub, *, tolerant: bool = False) -> tuple[ClassParameters, list[Result]]:
    manifests = {manifest.ref: manifest for manifest in found.manifests}
    return read_parameters(
        manifests[CLASS], manifests, found.catalogue, frozenset(), tolerant=tolerant
    )


@pytest.fixture(scope="module")
def cases(fixtures: Path) -> dict[str, dict[str, Any]]:
    path = fixtures / "cases" / "kuadrant" / "mgc_gatewayclass_params.yaml"
    documents, problems = yamlio.read(path.read_bytes(), path.name)
    assert problems == ()
    return {case["name"]: case for case in documents[0].value["cases"]}


def test_no_upstream_case_is_left_out(cases: dict[str, dict[str, Any]]) -> None:
    assert sorted(cases) == sorted(ANSWERS)


@pytest.mark.parametrize("name", ANSWERS)
def test_upstream_case(cases: dict[str, dict[str, Any]], name: str) -> None:
    case = cases[name]
    read, results = asked(objects(case))
    expected, messages = ANSWERS[name]
    assert (read, told(results)) == (expected, messages)
    assert bool(messages) is ("error" in case)
    if case.get("expected", {}).get("downstreamClass") and name != "no parametersRef":
        assert read.downstream_class == case["expected"]["downstreamClass"]


def test_no_parameters_at_all(cases: dict[str, dict[str, Any]]) -> None:
    found = objects(cases["no parametersRef"])
    sync = read_sync_list(found, (), Origin("fleet.yaml"))
    assert told(sync.results) == [
        (
            "SR1301 GatewayClass hub: no GatewayClass and no fleet.yaml lists a policy kind to "
            "sync "
            "(list kinds under `policiesToSync` in the GatewayClass's parameters or in fleet.yaml)"
        )
    ]
    assert sync.spoke_class("hub") == "hub"


def test_no_downstream_class(cases: dict[str, dict[str, Any]]) -> None:
    documents = [
        yamlio.emit(manifest.object)
        for manifest in objects(cases["ref set but no downstreamClass"]).manifests
    ]
    assert told(render(documents).results) == [
        (
            'SR1306 Gateway infra/web spec.gatewayClassName: class "hub" lists the kinds to sync, '
            "so "
            "it is the hub's own; the gateway would have it on the spoke too (set "
            "`downstreamClass` "
            "in the class's parameters, or `gatewayClassName` in the rule's `as`) [eu us]"
        )
    ]
    named = "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {gatewayClassName: istio}}"
    assert told(render(documents, named).results) == []


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
    return assemble([("hub/a.yaml", text.encode())])


@pytest.mark.parametrize(
    "text",
    [
        (
            '{"downstreamClass": "istio", "policiesToSync": [{"group": "kuadrant.io", "version": '
            '"v1", '
            '"kind": "AuthPolicy"}]}'
        ),
        (
            "downstreamClass: istio\npoliciesToSync: [{group: kuadrant.io, version: v1, kind: "
            "AuthPolicy}] # YAML, with a comment\n"
        ),
        (
            "{downstreamClass: istio, experimentalPolicySync: "
            "[{group: kuadrant.io, version: v1beta1, resource: authpolicies}]}"
        ),
        (
            "{downstreamClass: istio, experimentalPolicySync: [{group: kuadrant.io, resource: "
            "authpolicies}], policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]}"
        ),
    ],
)
def test_the_list_is_json_or_yaml_under_either_key_of_kinds_or_resources(text: str) -> None:
    assert asked(params(text)) == (ClassParameters(frozenset([AUTH]), "istio", ours=True), [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "downstreamclass: istio",
            (
                'data.params.downstreamclass: unknown key "downstreamclass" (did you mean '
                '"downstreamClass"?)'
            ),
        ),
        (
            "zzz: 1",
            (
                'data.params.zzz: unknown key "zzz" (known keys are downstreamClass, '
                "experimentalPolicySync, policiesToSync)"
            ),
        ),
        ("downstreamClass: 5", "data.params.downstreamClass: must be text (name a class)"),
        ("policiesToSync: {}", "data.params.policiesToSync: must be a list (use [ … ])"),
        (
            "[a]",
            (
                "data.params: the text is not one mapping (write, e.g., "
                '{"downstreamClass": "istio", "policiesToSync": []})'
            ),
        ),
        (
            "",
            (
                "data.params: the text is not one mapping (write, e.g., "
                '{"downstreamClass": "istio", "policiesToSync": []})'
            ),
        ),
        (
            "a: 1\n---\nb: 2\n",
            (
                "data.params: the text is not one mapping (write, e.g., "
                '{"downstreamClass": "istio", "policiesToSync": []})'
            ),
        ),
        (
            "downstreamClass: a\ndownstreamClass: b\n",
            (
                "data.params: line 2 of the text: key `downstreamClass` is in this mapping twice, "
                "first in line 1 (keep one of the two)"
            ),
        ),
    ],
)
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


def test_parameters_of_another_controller_are_told_where_fleet_yaml_has_the_list() -> None:
    reference = {
        "group": "gateway.envoyproxy.io",
        "kind": "EnvoyProxy",
        "name": "a",
        "namespace": "b",
    }
    read, results = asked(objects({"parametersRef": reference}), tolerant=True)
    assert read == NOTHING
    assert told(results, "SR1303") == [
        (
            "SR1303 GatewayClass hub spec.parametersRef: its parameters "
            "(EnvoyProxy.gateway.envoyproxy.io) belong to another controller; fleet.yaml lists the "
            "kinds"
        )
    ]
    assert told(results) == []


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


@pytest.mark.parametrize("reference", [None, "text", []])
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
            "data.params "
            "(it has nothing) (put the parameters there, as JSON or YAML)"
        )
    ]
