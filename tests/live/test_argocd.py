"""Argo CD's own code reads our ApplicationSets and Applications, and the folders that they name.

Its generators and template code make the Applications, its checks say what a project or a cluster
has against them, and its repository server renders each folder with kustomize, from Git.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from spokerender.model.plan import KUSTOMIZATION
from spokerender.rendering.tree import SpokeFolders
from tests.live.building import module_folder, program
from tests.live.cluster import Cluster
from tests.live.definitions import crds
from tests.live.trees import NAMES, exact, rendered
from tests.support import end_to_end as e2e
from tests.support.cases import each
from tests.wings.delivery.engines import VARIANTS, delivered_by, of_engines

pytestmark = pytest.mark.live

Json = dict[str, Any]
NAMESPACE = "argocd"
TRACKING = "argocd.argoproj.io/tracking-id"
SYNC_WAVE = "argocd.argoproj.io/sync-wave"
WAVE, LABEL = "spokerender.io/wave", "example.com/spoke"
OURS = {name: each["argocd"] for name, each in VARIANTS.items() if "argocd" in each}


@dataclass(frozen=True)
class Repository:
    """A Git repository with the folders of a fleet, as far as they are there."""

    folder: Path

    def commit(self, files: Mapping[str, bytes]) -> None:
        """Commit files, and nothing else."""
        self._git("init", "-q", "-b", "main")
        self._git("rm", "-rq", "--ignore-unmatch", ".")
        for path, data in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_bytes(data)
        self._git("add", "-A")
        self._git("commit", "-qm", "what is rendered")

    def _git(self, *arguments: str) -> None:
        who = ("-c", "user.name=live", "-c", "user.email=live@live.test")
        subprocess.run(["git", *who, "-C", str(self.folder), *arguments], check=True)


@dataclass(frozen=True)
class Judge:
    """Argo CD's code, with an API server for its projects and clusters."""

    cluster: Cluster
    folder: Path
    programs: Path

    def asked(self, objects: Sequence[Json]) -> list[list[Json]]:
        """The Applications of each ApplicationSet or Application, judged."""
        command = [program("argocd-judge"), f"--kubeconfig={self.cluster.kubeconfig}"]
        done = subprocess.run(
            [*command, f"--folder={self.folder}"],
            input=json.dumps(objects),
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}"},
        )
        assert done.returncode == 0, done.stderr
        answers = json.loads(done.stdout)
        assert [each["error"] for each in answers if "error" in each] == []
        return [each["applications"] or [] for each in answers]

    def delivered(self, tree: SpokeFolders) -> list[Json]:
        """The Applications that a fleet's folder comes to; its project is put where Argo CD is."""
        values = of_engines(tree)
        for value in values:
            if value["kind"] == "AppProject":
                self.apply(value)
        asked = self.asked([each for each in values if each["kind"] != "AppProject"])
        return [application for each in asked for application in each]

    def apply(self, *values: Json) -> None:
        items = {"apiVersion": "v1", "kind": "List", "items": values}
        self.cluster.kubectl("apply", "--server-side", "-f", "-", text=json.dumps(items))


@pytest.fixture(scope="module")
def judge(api_server: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    """Argo CD's namespace, with the project that it makes itself, and a cluster for each spoke."""
    argocd = module_folder("argocd-judge")
    api_server.install(crds(argocd / "manifests/crds"))
    api_server.ensure_namespace(NAMESPACE)
    programs = tmp_path_factory.mktemp("programs")
    for file in (Path(program("kustomize")), argocd / "hack/git-verify-wrapper.sh"):
        shutil.copyfile(file, programs / file.name)
        (programs / file.name).chmod(0o755)
    found = Judge(api_server, tmp_path_factory.mktemp("argocd"), programs)
    anything = [{"group": "*", "kind": "*"}]
    spec = {
        "sourceRepos": ["*"],
        "destinations": [{"name": "*", "server": "*", "namespace": "*"}],
        "clusterResourceWhitelist": anything,
    }
    version = "argoproj.io/v1alpha1"
    metadata = {"name": "default", "namespace": NAMESPACE}
    found.apply(
        {"apiVersion": version, "kind": "AppProject", "metadata": metadata, "spec": spec},
        *(secret for spoke in every_spoke() for secret in clusters_of(spoke)),
    )
    yield found
    # The next tests create projects of these names themselves.
    api_server.kubectl("delete", "appprojects", "--all", "-n", NAMESPACE)


def every_spoke() -> list[str]:
    return sorted({spoke for name in NAMES for spoke in rendered(name).bundles})


def clusters_of(spoke: str) -> Iterator[Json]:
    """The Secrets of a spoke's cluster, as the variants name it: it is registered three times."""
    for name, server, labels in (
        (spoke, f"https://{spoke}.example", {LABEL: spoke, "spoke": spoke}),
        (f"edge-{spoke}", f"https://edge-{spoke}.example", {}),
        (f"port-{spoke}", f"https://{spoke}.example:6443", {}),
    ):
        of_argocd = {"argocd.argoproj.io/secret-type": "cluster"}
        yield {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": NAMESPACE, "labels": of_argocd | labels},
            "stringData": {"name": name, "server": server, "config": "{}"},
        }


def destination_of(spoke: str, settings: Json) -> Json:
    """Where an Application of a spoke goes."""
    to = settings.get("destination", {"name": spoke})
    if "label" in to:
        return {"server": f"https://{spoke}.example"}
    return {key: text.replace("{{ spoke.name }}", spoke) for key, text in to.items()}


def settings_of(variant: str, repository: Path) -> Json:
    return {**OURS[variant], "repoURL": f"file://{repository}"}


def delivered(name: str, settings: Json) -> SpokeFolders:
    """An example with what it is delivered by, and with its Namespaces."""
    return delivered_by(rendered(name), {"argocd": settings}, namespaces={})


def files_of(tree: SpokeFolders, settings: Json, *, without: str = "") -> dict[str, bytes]:
    """What Git has of a fleet: the folders of its spokes, and its own."""
    place = settings.get("path", "clusters")
    return {
        f"{place}/{folder}/{path}": data
        for folder in tree.folders
        if folder != without
        for path, data in tree.files(folder).items()
    }


def untracked(value: Json) -> Json:
    """An object without what Argo CD marks all of its own with."""
    annotations = {k: v for k, v in value["metadata"]["annotations"].items() if k != TRACKING}
    metadata = {k: v for k, v in value["metadata"].items() if k != "annotations"}
    return {**value, "metadata": metadata | ({"annotations": annotations} if annotations else {})}


def objects_of(application: Json) -> Json:
    return {e2e.identity(each): untracked(each) for each in application["objects"] or ()}


@each(*OURS)
@each(*NAMES)
def test_every_spoke_has_one_application(
    name: str, variant: str, judge: Judge, tmp_path: Path
) -> None:
    settings = settings_of(variant, tmp_path)
    tree = delivered(name, settings)
    Repository(tmp_path).commit(files_of(tree, settings))
    judged = judge.delivered(tree)
    assert [each["refusals"] for each in judged] == [None] * len(judged)
    applications = {each["application"]["metadata"]["name"]: each for each in judged}
    prefix = settings.get("name", "spokes")
    bundles = rendered(name).bundles
    assert len(judged) == len(bundles)
    assert set(applications) == {f"{prefix}-{spoke}" for spoke in bundles}
    for spoke, bundle in bundles.items():
        answer = applications[f"{prefix}-{spoke}"]
        made = answer["application"]
        labels = made["metadata"].get("labels", {})
        assert labels.pop(WAVE, None) == ("1" if "waves" in settings else None)
        assert labels == bundle.spoke.labels
        assert made["metadata"]["namespace"] == NAMESPACE
        assert "finalizers" not in made["metadata"]
        spec = made["spec"]
        assert spec["destination"] == destination_of(spoke, settings)
        assert spec["source"]["path"] == f"{settings.get('path', 'clusters')}/{spoke}"
        assert spec["project"] == settings.get("project", "default")
        assert spec["syncPolicy"] == sync_policy(settings)
        assert exact(objects_of(answer)) == exact(wanted(tree, spoke, settings))


def sync_policy(settings: Json) -> Json:
    is_manual = settings.get("syncPolicy") == {"automated": None}
    automated = {"prune": True, "selfHeal": True, "allowEmpty": False}
    options = {"syncOptions": ["PruneLast=true"]}
    return options if is_manual else options | {"automated": automated}


def wanted(tree: SpokeFolders, spoke: str, settings: Json) -> Json:
    """The objects of a spoke's folder; with sync waves, some go earlier than the rest."""
    early = {"Namespace": "-2", "ReferenceGrant": "-1"} if settings.get("syncWaves") else {}
    files = (data for path, data in tree.files(spoke).items() if path != KUSTOMIZATION)
    return {
        e2e.identity(value): with_annotation(value, SYNC_WAVE, early[value["kind"]])
        if value["kind"] in early
        else value
        for data in files
        for value in e2e.parsed(data)
    }


def with_annotation(value: Json, key: str, text: str) -> Json:
    metadata = value["metadata"]
    return {
        **value,
        "metadata": metadata | {"annotations": {**metadata.get("annotations", {}), key: text}},
    }


@each(*OURS)
def test_a_folder_that_is_gone_has_no_application(
    variant: str, judge: Judge, tmp_path: Path
) -> None:
    """Where spokes are listed, the Application of this one says that its folder is gone."""
    name, gone = "ocm", "america"
    settings = settings_of(variant, tmp_path)
    tree = delivered(name, settings)
    Repository(tmp_path).commit(files_of(tree, settings, without=gone))
    judged = judge.delivered(tree)
    refusals = {each["application"]["metadata"]["name"]: each["refusals"] for each in judged}
    prefix = settings.get("name", "spokes")
    assert refusals.pop(f"{prefix}-europe") is None
    is_listed = settings.get("kind") or "waves" in settings or "destination" in settings
    if is_listed and settings.get("destination") != {"label": LABEL}:
        (told,) = refusals.pop(f"{prefix}-{gone}")
        assert "app path does not exist" in told
    assert refusals == {}


def test_a_spoke_without_objects_is_no_error(judge: Judge, tmp_path: Path) -> None:
    fleet = e2e.rendered(
        {
            "hub/all.yaml": "",
            "placement.yaml": e2e.placement("[{name: europe}]", "[]"),
        }
    )
    settings = settings_of("argocd", tmp_path)
    tree = delivered_by(fleet, {"argocd": settings})
    Repository(tmp_path).commit(files_of(tree, settings))
    (answer,) = judge.delivered(tree)
    assert (answer["refusals"], answer["objects"]) == (None, None)
