"""The multicluster gateway controller's own cases, with its answers or better ones."""

from pathlib import Path
from typing import Any

import pytest

from spokerender.formats import yamlio
from spokerender.model import Origin
from spokerender.rendering.sync import read_sync_list
from spokerender.rendering.values.placement import ClassParameters
from tests.rendering.sync.classes import AUTH, NOTHING, asked, objects
from tests.support import each
from tests.support.stages import everywhere, render, told

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
                "expected ',' or '}' while parsing a flow mapping (a bracket is not closed, or a "
                "comma is missing)"
            )
        ],
    ),
    "missing namespace": (
        NOTHING,
        [
            (
                "SR1302 GatewayClass hub spec.parametersRef.namespace: no namespace: a ConfigMap "
                "is namespaced (add `namespace`)"
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
                "can't be read (point it at a ConfigMap, or list the kinds in fleet.yaml under "
                "spec.policiesToSync)"
            )
        ],
    ),
    # Better than upstream, whose gateway has the class "": see test_no_downstream_class.
    "ref set but no downstreamClass": (ClassParameters(frozenset([AUTH]), "", ours=True), []),
    # Better than upstream, which passes the list over: it is the RFC's own key.
    "unknown keys ignored": (ClassParameters(frozenset([AUTH]), "eg", ours=True), []),
}


@pytest.fixture(scope="module")
def upstream(fixtures: Path) -> dict[str, dict[str, Any]]:
    path = fixtures / "cases" / "kuadrant" / "mgc_gatewayclass_params.yaml"
    documents, problems = yamlio.read(path.read_bytes(), path.name)
    assert problems == ()
    return {case["name"]: case for case in documents[0].value["cases"]}


def test_no_upstream_case_is_left_out(upstream: dict[str, dict[str, Any]]) -> None:
    assert sorted(upstream) == sorted(ANSWERS)


@each(*ANSWERS)
def test_upstream_case(name: str, upstream: dict[str, dict[str, Any]]) -> None:
    case = upstream[name]
    read, results = asked(objects(case))
    expected, messages = ANSWERS[name]
    assert (read, told(results)) == (expected, messages)
    assert bool(messages) is ("error" in case)
    if case.get("expected", {}).get("downstreamClass") and name != "no parametersRef":
        assert read.downstream_class == case["expected"]["downstreamClass"]


def test_no_parameters_at_all(upstream: dict[str, dict[str, Any]]) -> None:
    found = objects(upstream["no parametersRef"])
    sync = read_sync_list(found, (), lambda *_: Origin("fleet.yaml"))
    assert told(sync.results) == [
        (
            "SR1301 GatewayClass hub: no GatewayClass and no fleet.yaml lists a policy kind to "
            "sync "
            "(list kinds under `policiesToSync` in the GatewayClass's parameters or in fleet.yaml)"
        )
    ]
    assert sync.spoke_class("hub") == "hub"


def test_no_downstream_class(upstream: dict[str, dict[str, Any]]) -> None:
    documents = [
        yamlio.emit(manifest.object)
        for manifest in objects(upstream["ref set but no downstreamClass"]).manifests
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
    named = everywhere("{gatewayClassName: istio}")
    assert told(render(documents, named).results) == []
