"""`flux build kustomization` makes of our Kustomizations and folders what the folders have."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from spokerender.model.plan import KUSTOMIZATION
from spokerender.rendering.tree import SpokeFolders
from spokerender.rendering.values.rendered import Rendered
from tests.live.building import program
from tests.live.trees import NAMES, exact, objects, rendered
from tests.support import end_to_end as e2e
from tests.support.cases import each
from tests.wings.delivery.engines import VARIANTS, delivered_by, fleet_files

pytestmark = pytest.mark.live

Json = dict[str, Any]
FLUX = "kustomize.toolkit.fluxcd.io"
OURS = {name: each for name, each in VARIANTS.items() if "flux" in each}


@each(*OURS)
@each(*NAMES)
def test_flux_builds_every_spoke(name: str, variant: str, tmp_path: Path) -> None:
    check_every_spoke(rendered(name), OURS[variant], tmp_path)


def test_a_spoke_without_objects_is_no_error(tmp_path: Path) -> None:
    files = {"hub/all.yaml": "", "placement.yaml": e2e.placement("[{name: europe}]", "[]")}
    check_every_spoke(e2e.rendered(files), {"flux": {}}, tmp_path)


def check_every_spoke(fleet: Rendered, settings: Mapping[str, Any], folder: Path) -> None:
    """Build the folder that each Kustomization names, and compare it with the spoke's objects."""
    tree = delivered_by(fleet, settings, namespaces={})
    for spoke in fleet.bundles:
        e2e.write(folder / "clusters" / spoke, dict(tree.files(spoke)))
    kustomizations = kustomizations_of(tree)
    assert sorted(kustomizations) == sorted(fleet.bundles)
    is_artifact = str(settings["flux"].get("source", {}).get("url", "")).startswith("oci://")
    for spoke, kustomization in kustomizations.items():
        # An artifact has the files of its spoke alone.
        source = folder / "clusters" / spoke if is_artifact else folder
        built = build(kustomization, source, folder / "kustomization.yaml")
        assert exact(built) == exact(wanted(tree, spoke, kustomization["metadata"]))


def kustomizations_of(tree: SpokeFolders) -> dict[str, Json]:
    return {
        each["metadata"]["name"]: each
        for documents in fleet_files(tree).values()
        for each in documents
        if each["kind"] == "Kustomization" and each["apiVersion"].startswith(FLUX)
    }


def build(kustomization: Json, source: Path, file: Path) -> dict[str, Json]:
    """What Flux would apply for a Kustomization, whose source is in this folder."""
    file.write_text(yaml.safe_dump(kustomization))
    command = [program("flux"), "build", "kustomization", kustomization["metadata"]["name"]]
    command += ["--path", str(source / kustomization["spec"]["path"]), "--dry-run"]
    command += ["--kustomization-file", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return objects(done.stdout)


def wanted(tree: SpokeFolders, spoke: str, owner: Json) -> dict[str, Json]:
    """The objects of a spoke's folder, labelled as Flux's own, and safe from substitutions."""
    labels = {f"{FLUX}/{key}": owner[key] for key in ("name", "namespace")}
    more = {"labels": labels, "annotations": {f"{FLUX}/substitute": "disabled"}}
    values = (
        value
        for path, data in tree.files(spoke).items()
        if path != KUSTOMIZATION
        for value in e2e.parsed(data)
    )
    return {e2e.identity(value): marked(value, more) for value in values}


def marked(value: Json, more: Mapping[str, Json]) -> Json:
    metadata = value["metadata"]
    added = {key: metadata.get(key, {}) | texts for key, texts in more.items()}
    return {**value, "metadata": metadata | added}
