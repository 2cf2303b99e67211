"""The wheel works by itself: in an empty environment, from another folder, without the sources."""

import os
import re
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

import spokerender
from tests.support import text_of

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = re.compile("NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError")

pytestmark = [pytest.mark.wheel, pytest.mark.slow]

FLEET = text_of(__file__, "wheel_fleet.yaml")
PLACEMENT = text_of(__file__, "wheel_placement.yaml")
HUB = text_of(__file__, "wheel_hub.yaml")


def run(command: Sequence[str | Path], folder: Path) -> str:
    """The output of a program that knows nothing of this checkout and its environment."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if OFFLINE.search(done.stderr):
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an empty environment into which pip has installed the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], ROOT)
    (wheel,) = folder.glob("spokerender-*.whl")
    venv.create(folder / "environment")
    python = folder / "environment" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install"]
    pip += ["--no-compile", "--retries", "1"]  # half of the CPU seconds were for bytecode
    run([*pip, "--quiet", "--constraint", ROOT / "constraints.txt", wheel], folder)
    return python.parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "hub.yaml").write_text(HUB)
    (tmp_path / "placement.yaml").write_text(PLACEMENT)
    (tmp_path / "fleet.yaml").write_text(FLEET)
    return tmp_path


def test_it_is_the_wheel_that_is_tried(programs: Path, tmp_path: Path) -> None:
    module = run(
        [programs / "python", "-c", "import spokerender as s; print(s.__file__)"], tmp_path
    )
    assert programs.parent in Path(module).parents


def test_it_says_its_version(programs: Path, tmp_path: Path) -> None:
    assert spokerender.__version__ in run([programs / "spokerender", "--version"], tmp_path)


def test_it_builds_a_project_and_finds_its_templates(programs: Path, project: Path) -> None:
    run([programs / "spokerender", "build", ".", "-o", "out"], project)
    written = {path.relative_to(project / "out").as_posix() for path in project.rglob("out/**/*.*")}
    assert written >= {
        "_fleet/argocd/applicationset.yaml",
        "_fleet/flux/kustomizations.yaml",
        "eu/infra/authpolicy.kuadrant.io_public.yaml",
        "eu/infra/gateway.gateway.networking.k8s.io_public.yaml",
        "eu/kustomization.yaml",
    }
