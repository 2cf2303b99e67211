"""Argo CD, as it can be asked for: other clusters, waves of spokes, a project, no generator."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from spokerender.model import Ref
from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.settings import Delivery
from spokerender.wings.publishing.gotemplates import compile_go_template
from spokerender.wings.publishing.gotemplates.values import GoStruct
from tests.conftest import ROOT
from tests.support import cases, cyaml, each, rows_of
from tests.support.project import rendered_folder
from tests.wings.delivery.delivering import deliver, spoke
from tests.wings.delivery.engines import GIT, VARIANTS, delivered_by, fleet_files

SPOKES = [
    spoke("ap", {"server": "https://ap.example:6443"}, region="ap", tier="prod"),
    spoke("canary", {"server": "https://10.0.0.1"}, tier="canary"),
    spoke("eu", {"server": "https://eu.example"}, region="eu", tier="prod"),
]
CANARY = {"spokes": {"selector": {"matchLabels": {"tier": "canary"}}}}
PROD = {"spokes": {"selector": {"matchLabels": {"tier": "prod"}}}, "maxUpdate": "25%"}
HERE = "{{.path.basename}}"


def made(texts: Mapping[str, str], **argocd: Any) -> tuple[dict[str, str], list[str]]:
    """The files, and what is wrong."""
    fleet = Delivered("clusters", SPOKES, lambda _: (), texts)
    files, results = deliver(Delivery.model_validate({"argocd": GIT | argocd}), fleet)
    return {k: v for each in files for k, v in each.items()}, [r.message for r in results]


def application_set(texts: Mapping[str, str], **argocd: Any) -> dict[str, Any]:
    files, problems = made(texts, **argocd)
    assert problems == []
    spec: dict[str, Any] = cyaml.safe_load(files["argocd/applicationset.yaml"])["spec"]
    return spec


@cases(*rows_of(__file__, "a_cluster_is_named_as_the_settings_say"))
def test_a_cluster_is_named_as_the_settings_say(
    destination: dict[str, str], values: list[str], texts: dict[str, str]
) -> None:
    spec = application_set(texts, destination=destination)
    ((key, _),) = destination.items()
    assert spec["generators"] == [
        {
            "list": {
                "elements": [
                    {
                        "path": {"path": f"clusters/{each.name}", "basename": each.name},
                        "destination": {key: value},
                    }
                    for each, value in zip(SPOKES, values, strict=True)
                ]
            }
        }
    ]
    assert spec["template"]["spec"]["destination"] == {key: f"{{{{.destination.{key}}}}}"}
    assert spec["template"]["spec"]["source"]["path"] == "{{.path.path}}"


def test_a_cluster_is_found_by_a_label_of_its_secret(texts: dict[str, str]) -> None:
    spec = application_set(texts, destination={"label": "example.com/spoke"})
    ((git, clusters),) = (each["matrix"]["generators"] for each in spec["generators"])
    assert [each["path"] for each in git["git"]["directories"]] == ["clusters/*", "clusters/_fleet"]
    assert clusters == {"clusters": {"selector": {"matchLabels": {"example.com/spoke": HERE}}}}
    assert spec["template"]["spec"]["destination"] == {"server": "{{.server}}"}
    assert spec["template"]["metadata"]["name"] == f"spokes-{HERE}"


@cases(*rows_of(__file__, "what_can_t_be_served_is_told"))
def test_what_can_t_be_served_is_told(
    argocd: dict[str, Any], message: str, texts: dict[str, str]
) -> None:
    files, (told,) = made(texts, **argocd)
    assert files == {}
    assert told.startswith(message)


def test_waves_are_the_steps_of_a_rolling_sync(texts: dict[str, str]) -> None:
    spec = application_set(texts, waves=[CANARY, PROD])
    ((elements,),) = (each["list"].values() for each in spec["generators"])
    assert {each["path"]["basename"]: each["wave"] for each in elements} == {
        "ap": "2",
        "canary": "1",
        "eu": "2",
    }
    key = "spokerender.io/wave"
    assert spec["template"]["metadata"]["labels"] == {key: "{{.wave}}"}
    assert spec["strategy"] == {
        "type": "RollingSync",
        "rollingSync": {
            "steps": [
                {
                    "matchExpressions": [{"key": key, "operator": "In", "values": [wave]}],
                    "maxUpdate": update,
                }
                for wave, update in (("1", "100%"), ("2", "25%"))
            ]
        },
    }


def test_the_first_wave_that_means_a_spoke_has_it(texts: dict[str, str]) -> None:
    waves = [{"spokes": {"names": ["eu"]}}, {"spokes": {"all": True}, "maxUpdate": 1}]
    ((elements,),) = (
        each["list"].values() for each in application_set(texts, waves=waves)["generators"]
    )
    assert [each["wave"] for each in elements] == ["2", "2", "1"]


def test_the_file_says_that_waves_turn_automated_sync_off(texts: dict[str, str]) -> None:
    files, _ = made(texts, waves=[CANARY, PROD])
    first, second, *_ = files["argocd/applicationset.yaml"].splitlines()
    assert first.startswith("# Waves (RollingSync): Argo CD turns automated synchronization OFF")
    assert "--enable-progressive-syncs" in second
    plain, _ = made(texts)
    assert "#" not in plain["argocd/applicationset.yaml"]


def test_what_is_pruned_in_waves_is_said_by_the_automated_sync(texts: dict[str, str]) -> None:
    """Argo CD (applicationset/progressivesync): it is switched off, and its `prune` is used."""
    template = application_set(texts, waves=[CANARY, PROD])["template"]
    assert template["spec"]["syncPolicy"]["automated"]["prune"] is True


def test_without_a_generator_each_spoke_has_an_application(texts: dict[str, str]) -> None:
    to = {"server": "{{ spoke.values.server }}"}
    files, problems = made(texts, kind="Application", destination=to, name="shop")
    assert problems == []
    assert list(files) == ["argocd/applications.yaml"]
    ap, canary, eu = cyaml.safe_load_all(files["argocd/applications.yaml"])
    assert ap["metadata"] == {
        "name": "shop-ap",
        "namespace": "argocd",
        "labels": {"region": "ap", "tier": "prod"},
        "annotations": {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"},
    }
    assert eu["spec"] == {
        "project": "default",
        "source": {"repoURL": GIT["repoURL"], "targetRevision": "HEAD", "path": "clusters/eu"},
        "destination": {"server": "https://eu.example"},
        "syncPolicy": {
            "automated": {"prune": True, "selfHeal": True, "allowEmpty": False},
            "syncOptions": ["PruneLast=true"],
        },
    }
    assert canary["spec"]["destination"] == {"server": "https://10.0.0.1"}


@cases(*rows_of(__file__, "settings_that_contradict_each_other_are_refused"))
def test_settings_that_contradict_each_other_are_refused(
    argocd: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError) as refusal:
        Delivery.model_validate({"argocd": GIT | argocd})
    assert message in str(refusal.value)


def permitted(project: Mapping[str, Any], ref: Ref, destination: Mapping[str, str]) -> bool:
    """Argo CD, app_project_types.go: IsResourcePermitted, where nothing is a pattern."""
    spec = project["spec"]
    listed = "namespaceResourceWhitelist" if ref.namespace else "clusterResourceWhitelist"
    if {"group": ref.group, "kind": ref.kind} not in spec[listed]:
        return False
    return not ref.namespace or {**destination, "namespace": ref.namespace} in spec["destinations"]


@each(*(name for name in VARIANTS if "in a project" in name))
@each(None, {})
def test_a_project_allows_what_is_in_the_trees_and_no_more(
    namespaces: dict[str, Any] | None, variant: str
) -> None:
    found = rendered_folder(ROOT / "examples/shop")
    tree = delivered_by(found, VARIANTS[variant], namespaces=namespaces)
    (project,) = fleet_files(tree)["argocd/appproject.yaml"]
    assert project["spec"]["sourceRepos"] == [GIT["repoURL"]]
    server = VARIANTS[variant]["argocd"].get("destination")
    needed, kinds = [], set()
    for name in sorted(found.bundles):
        to = {"server": f"https://{name}.example"} if server else {"name": name}
        objects = [cyaml.safe_load(each.text) for each in tree.written(name)]
        refs = [
            Ref(
                value["apiVersion"].rpartition("/")[0],
                value["kind"],
                value["metadata"].get("namespace", ""),
                value["metadata"]["name"],
            )
            for value in objects
        ]
        assert all(permitted(project, ref, to) for ref in refs)
        kinds |= {(bool(ref.namespace), ref.group, ref.kind) for ref in refs}
        needed += [{**to, "namespace": name} for name in sorted({r.namespace for r in refs} | {""})]
    assert project["spec"]["destinations"] == needed
    for is_namespaced, key in ((True, "namespace"), (False, "cluster")):
        assert project["spec"][f"{key}ResourceWhitelist"] == [
            {"group": group, "kind": kind}
            for there, group, kind in sorted(kinds)
            if there is is_namespaced
        ]


@cases(*rows_of(__file__, "a_project_allows_a_cluster_by_name_and_by_no_pattern"))
def test_a_project_allows_a_cluster_by_name_and_by_no_pattern(
    key: str, value: str, pattern: str, texts: dict[str, str]
) -> None:
    """Argo CD matches destinations as globs (gobwas/glob), and takes `!` at first for a denial."""
    files, problems = made(
        texts, destination={key: value}, project="p", appProject=True, kind="Application"
    )
    assert problems == []
    project = cyaml.safe_load(files["argocd/appproject.yaml"])
    assert {each[key] for each in project["spec"]["destinations"]} == {pattern}
    for application in cyaml.safe_load_all(files["argocd/applications.yaml"]):
        assert application["spec"]["destination"] == {key: value}


@pytest.mark.kubectl
def test_namespaces_and_grants_go_first(
    kubectl: str, texts: dict[str, str], tmp_path: Path
) -> None:
    """Argo CD adds `source.kustomize.patches` to the folder's kustomization.yaml."""
    patches = application_set(texts, syncWaves=True)["template"]["spec"]["source"]["kustomize"]
    kinds = {
        "Namespace": "v1",
        "ReferenceGrant": "gateway.networking.k8s.io/v1beta1",
        "Gateway": "gateway.networking.k8s.io/v1",
        "TLSPolicy": "kuadrant.io/v1",
    }
    for kind, version in kinds.items():
        metadata = {"name": "a", "namespace": "b", "annotations": {"kept": "1"}}
        value = {"apiVersion": version, "kind": kind, "metadata": metadata}
        (tmp_path / f"{kind}.yaml").write_text(cyaml.safe_dump(value))
    listed = {"resources": [f"{kind}.yaml" for kind in kinds], **patches}
    (tmp_path / "kustomization.yaml").write_text(cyaml.safe_dump(listed))
    built = subprocess.run([kubectl, "kustomize", tmp_path], check=True, capture_output=True)
    wave = "argocd.argoproj.io/sync-wave"
    found = {each["kind"]: each["metadata"] for each in cyaml.safe_load_all(built.stdout)}
    assert {kind: each["annotations"].get(wave) for kind, each in found.items()} == {
        "Namespace": "-2",
        "ReferenceGrant": "-1",
        "Gateway": None,
        "TLSPolicy": None,
    }
    assert all(each["annotations"]["kept"] == "1" for each in found.values())


def test_labels_of_spokes_stand_on_their_applications(texts: dict[str, str]) -> None:
    """A generator of folders knows none; a folder without any gets no label, and no error."""
    patch = compile_go_template(application_set(texts)["templatePatch"])
    expected = {spoke.name: dict(spoke.labels) for spoke in SPOKES} | {"another": {}}
    for name, labels in expected.items():
        made_patch = patch.render(GoStruct("params", {"path": {"basename": name}})).text
        assert cyaml.safe_load(made_patch) == {"metadata": {"labels": labels}}


def test_defaults_of_api_servers_are_no_difference(texts: dict[str, str]) -> None:
    metadata = application_set(texts)["template"]["metadata"]
    assert metadata["annotations"] == {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}


@each("Application", "ApplicationSet")
def test_a_name_that_no_label_holds_is_refused(kind: str, texts: dict[str, str]) -> None:
    assert made(texts, kind=kind, name="x" * 56)[1] == []
    _, (told,) = made(texts, kind=kind, name="x" * 58)
    assert told.startswith(f"{'x' * 58}-canary: the name of an Application has more than 63 ")
