"""Flux, as it can be asked for: on each spoke, with its own sources, in waves, ready in force."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from pydantic import ValidationError

from spokerender.formats import cel
from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.settings import Delivery
from tests.conftest import ROOT
from tests.support import cases, cyaml, rows_of
from tests.support.project import rendered_folder
from tests.wings.delivery.delivering import deliver, spoke
from tests.wings.delivery.engines import delivered_by, fleet_files

SPOKES = [
    spoke("ap", tier="prod"),
    spoke("canary", tier="canary"),
    spoke("eu", {"repo": "europe"}, tier="prod"),
    spoke("lab", tier="lab"),
]
GIT = {"url": "https://git.example.com/fleet", "ref": {"branch": "main"}}
OCI = {"url": "oci://ghcr.io/team/{{ spoke.name }}", "ref": {"tag": "latest"}}


def made(
    texts: Mapping[str, str], **flux: Any
) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    """The objects in each file, and what is wrong."""
    fleet = Delivered("clusters", SPOKES, lambda _: (), texts)
    files, results = deliver(Delivery.model_validate({"flux": flux}), fleet)
    found = {k: list(cyaml.safe_load_all(v)) for each in files for k, v in each.items()}
    return found, [result.message for result in results]


def kustomizations(texts: Mapping[str, str], **flux: Any) -> dict[str, dict[str, Any]]:
    files, problems = made(texts, **flux)
    assert problems == []
    listed = [
        value for each in files.values() for value in each if value["kind"] == "Kustomization"
    ]
    return {value["metadata"]["name"]: value["spec"] for value in listed}


def test_a_flux_on_each_spoke_has_a_folder_of_its_own(texts: dict[str, str]) -> None:
    files, _ = made(texts, controllers="spokes")
    assert list(files) == [f"flux/{each.name}/sync.yaml" for each in SPOKES]
    ((eu,),) = (files["flux/eu/sync.yaml"],)
    assert eu["metadata"] == {"name": "eu", "namespace": "flux-system", "labels": {"tier": "prod"}}
    assert eu["spec"]["path"] == "./clusters/eu"
    assert "kubeConfig" not in eu["spec"]
    assert eu["spec"]["deletionPolicy"] == "Orphan"


def test_one_repository_serves_all(texts: dict[str, str]) -> None:
    files, _ = made(texts, source=GIT | {"secret": "token"}, interval="5m")
    assert files["flux/sources.yaml"] == rows_of(__file__, "one_repository_serves_all")
    for each in files["flux/kustomizations.yaml"]:
        assert each["spec"]["sourceRef"]["name"] == "spokes"
        assert each["spec"]["path"] == f"./clusters/{each['metadata']['name']}"


def test_an_artifact_serves_each_spoke(texts: dict[str, str]) -> None:
    files, _ = made(texts, source=OCI)
    by_name = {each["metadata"]["name"]: each["spec"] for each in files["flux/sources.yaml"]}
    assert {name: spec["url"] for name, spec in by_name.items()} == {
        f"spokes-{each.name}": f"oci://ghcr.io/team/{each.name}" for each in SPOKES
    }
    for each in files["flux/kustomizations.yaml"]:
        assert each["spec"]["sourceRef"] == {
            "kind": "OCIRepository",
            "name": f"spokes-{each['metadata']['name']}",
            "namespace": "flux-system",
        }
        assert each["spec"]["path"] == "./"


@cases((GIT, "GitRepository"), (OCI, "OCIRepository"))
def test_a_flux_on_each_spoke_gets_its_source_with_it(
    source: dict[str, Any], kind: str, texts: dict[str, str]
) -> None:
    files, _ = made(texts, controllers="spokes", source=source)
    for path, (repository, sync) in files.items():
        assert repository["kind"] == sync["spec"]["sourceRef"]["kind"] == kind
        assert sync["spec"]["sourceRef"]["name"] == repository["metadata"]["name"]
        assert path == f"flux/{sync['metadata']['name']}/sync.yaml"


def wave(tier: str) -> dict[str, Any]:
    return {"spokes": {"selector": {"matchLabels": {"tier": tier}}}}


def test_a_wave_waits_for_all_of_the_one_before(texts: dict[str, str]) -> None:
    """A wave that has nobody today holds nobody up."""
    waves = [wave("canary"), wave("prod"), wave("gold"), {"spokes": {"all": True}}]
    found = kustomizations(texts, waves=waves)
    assert {name: spec.get("dependsOn", []) for name, spec in found.items()} == {
        "canary": [],
        "ap": [{"name": "canary"}],
        "eu": [{"name": "canary"}],
        "lab": [{"name": "ap"}, {"name": "eu"}],
    }


@cases(*rows_of(__file__, "what_can_t_be_served_is_told"))
def test_what_can_t_be_served_is_told(
    flux: dict[str, Any], message: str, texts: dict[str, str]
) -> None:
    assert made(texts, **flux) == ({}, [message])


@cases(*rows_of(__file__, "settings_that_contradict_each_other_are_refused"))
def test_settings_that_contradict_each_other_are_refused(
    flux: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError) as refusal:
        Delivery.model_validate({"flux": flux})
    assert message in str(refusal.value)


@cache
def expressions(example: str) -> dict[str, str]:
    """The expression for each kind in the trees of an example."""
    tree = delivered_by(
        rendered_folder(ROOT / "examples" / example), {"flux": {"healthChecks": True}}
    )
    (files,) = fleet_files(tree).values()
    checks = [each for value in files for each in value["spec"].get("healthCheckExprs", ())]
    return {each["kind"]: each["current"] for each in checks}


def test_each_kind_of_whose_status_something_is_known_is_asked() -> None:
    assert expressions("shop").keys() == {
        "AuthPolicy",
        "DNSPolicy",
        "Gateway",
        "RateLimitPolicy",
        "TLSPolicy",
    }
    assert expressions("envoy-gateway").keys() == {
        "BackendTrafficPolicy",
        "ClientTrafficPolicy",
        "Gateway",
        "SecurityPolicy",
    }
    assert expressions("own-policy-kind").keys() == {"Gateway"}


def test_a_spoke_is_asked_for_what_it_gets() -> None:
    found = rendered_folder(ROOT / "examples/shop")
    (files,) = fleet_files(delivered_by(found, {"flux": {"healthChecks": True}})).values()
    for each in files:
        objects = found.bundles[each["metadata"]["name"]].blueprint.variants
        kinds = {(v.object["apiVersion"], v.object["kind"]) for v in objects}
        asked = [(c["apiVersion"], c["kind"]) for c in each["spec"]["healthCheckExprs"]]
        assert set(asked) <= kinds
        assert asked == sorted(set(asked))


def condition(name: str, status: str = "True", **more: Any) -> dict[str, Any]:
    return {"type": name, "status": status, "reason": name} | more


def ancestor(*conditions: dict[str, Any]) -> dict[str, Any]:
    return {"controllerName": "x", "conditions": list(conditions)}


ACCEPTED, PROGRAMMED, ENFORCED = map(condition, ("Accepted", "Programmed", "Enforced"))


@cases(*rows_of(__file__, "ready_means_in_force"))
def test_ready_means_in_force(kind: str, status: dict[str, Any], is_ready: bool) -> None:
    """The object as fluxcd/pkg gives it to an expression: its fields are the variables."""
    value = {"metadata": {"generation": 3}, "spec": {}, "status": status}
    example = "envoy-gateway" if kind == "SecurityPolicy" else "shop"
    assert cel.computed(expressions(example)[kind], value) is is_ready


def test_an_expression_fails_without_a_status_so_that_flux_waits() -> None:
    with pytest.raises(cel.UnevaluableError):
        cel.computed(expressions("shop")["AuthPolicy"], {"metadata": {"generation": 1}})
