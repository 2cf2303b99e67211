"""kustomize and kpt: they build our folders as they are, and run our function."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spokerender.cli import run
from spokerender.model.plan import KUSTOMIZATION
from tests.live.building import program
from tests.live.trees import EXAMPLES, NAMES, exact, meant, objects, rendered, written
from tests.support import end_to_end as e2e

pytestmark = pytest.mark.live
example = pytest.mark.parametrize("name", NAMES)

SPOKERENDER = str(Path(sys.executable).with_name("spokerender"))
CONFIGS = ("fleet.yaml", "placement.yaml")
FUNCTION = "config.kubernetes.io/function"


def build(folder: Path, *flags: str) -> dict[str, Any]:
    command = [program("kustomize"), "build", *flags, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return objects(done.stdout)


@example
def test_kustomize_builds_every_folder_as_it_is(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for spoke, folder in written(name, tmp_path).items():
        built = exact(build(folder))
        assert built == exact(meant(name, spoke))
        assert run(["build", str(EXAMPLES / name), "-o", "-", "--spoke", spoke, "-q"]) == 0
        assert built == exact(objects(capsys.readouterr().out))


def config_of(folder: Path, **annotations: str) -> dict[str, Any]:
    """The fleet file of a project, or its placement where it has none, for a function to read."""
    files = [folder / name for name in CONFIGS]
    (config, *_) = e2e.parsed(next(file for file in files if file.exists()).read_bytes())
    metadata = config.setdefault("metadata", {"name": folder.name})
    metadata.setdefault("annotations", {}).update(annotations)
    found: dict[str, Any] = config
    return found


@example
def test_kustomize_runs_the_function_as_a_generator(name: str, tmp_path: Path) -> None:
    """Its CPU seconds are those of a process for each spoke."""
    project = tmp_path / name
    shutil.copytree(EXAMPLES / name, project)
    for spoke in sorted(rendered(name).bundles):
        function = {"exec": {"path": SPOKERENDER, "args": ["fn", "--spoke", spoke]}}
        config = config_of(project, **{FUNCTION: json.dumps(function)})
        (project / "generator.yaml").write_text(json.dumps(config))
        (project / KUSTOMIZATION).write_text("generators: [generator.yaml]\n")
        made = build(project, "--enable-alpha-plugins", "--enable-exec")
        assert exact(made) == exact(meant(name, spoke))


@example
def test_kpt_runs_the_function(name: str, tmp_path: Path) -> None:
    kpt = shutil.which("kpt")
    if kpt is None:
        pytest.skip("kpt is not installed; no module of it can be had from the Go module proxy")
    project = tmp_path / name
    shutil.copytree(EXAMPLES / name, project)
    told = config_of(project)
    output = project / told["spec"].get("output", "clusters")
    shutil.rmtree(output, ignore_errors=True)
    # kpt takes objects with names alone: the Fleet gets one, and tests of requests are left out.
    config = next(file for file in map(project.joinpath, CONFIGS) if file.exists())
    config.write_text(json.dumps(told))
    (project / ".krmignore").write_text("tests\n")
    command = [kpt, "fn", "eval", ".", "--exec", f"{SPOKERENDER} fn", "--fn-config", str(config)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = rendered(name)
    for spoke in found.bundles:
        files = [p for p in (output / spoke).rglob("*.yaml") if p.name != KUSTOMIZATION]
        text = "---\n".join(file.read_text() for file in files)
        assert exact(objects(text)) == exact(meant(name, spoke))
