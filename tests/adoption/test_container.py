"""The container recipe and Argo CD's plugin, tried as far as no daemon is needed."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from spokerender.formats import yamlio
from tests.cli.project import PROJECT
from tests.conftest import ROOT
from tests.support import cases
from tests.support.end_to_end import write
from tests.support.programs import ran

RECIPE = (ROOT / "container/Containerfile").read_text()


def plugin() -> dict[str, Any]:
    (document,) = yamlio.read((ROOT / "container/plugin.yaml").read_bytes(), "")[0]
    value: dict[str, Any] = document.value
    return value


def generate(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the plugin's command as the repository server does, in the project's folder."""
    spec = plugin()["spec"]["generate"]
    return ran([*spec["command"], *spec["args"]], folder, environment)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, PROJECT)
    return tmp_path


def test_the_plugin_prints_one_spoke(project: Path) -> None:
    done = generate(project, PARAM_SPOKE="eu")
    assert (done.returncode, done.stderr) == (0, "")
    documents, problems = yamlio.read(done.stdout.encode(), "")
    assert problems == ()
    kinds = [each.value["kind"] for each in documents]
    assert kinds == ["AuthPolicy", "Gateway", "HTTPRoute"], "manifests and nothing else"


@cases(({}, "the plugin needs the parameter spoke"), ({"PARAM_SPOKE": "ue"}, "SR2004"))
def test_the_plugin_says_what_is_wrong(
    environment: dict[str, str], message: str, project: Path
) -> None:
    done = generate(project, **environment)
    assert done.returncode != 0
    assert done.stdout == ""
    assert message in done.stderr


def test_it_asks_for_the_parameter_that_it_uses() -> None:
    (parameter,) = plugin()["spec"]["parameters"]["static"]
    assert parameter["name"] == "spoke"
    assert "PARAM_SPOKE" in plugin()["spec"]["generate"]["args"][0]


def test_the_image_is_pinned_and_runs_as_nobody_in_particular() -> None:
    bases = re.findall(r"^FROM (\S+)", RECIPE, re.MULTILINE)
    assert len(bases) == 2
    assert all(
        re.fullmatch(r"docker\.io/library/python:\d+\.\d+\.\d+-slim-\w+", each) for each in bases
    )
    (user,) = re.findall(r"^USER (\S+)", RECIPE, re.MULTILINE)
    assert user == "999:999"
    assert RECIPE.rindex("USER") > RECIPE.rindex("RUN"), "nothing is installed after that"
    assert "--constraint /tmp/constraints.txt" in RECIPE


def test_what_it_copies_is_let_in() -> None:
    """`.dockerignore` keeps everything out but what the recipe and the wheel need."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[0] == "*"
    let_in = {line.removeprefix("!") for line in lines[1:]}
    assert all((ROOT / name).exists() for name in let_in)
    copied = re.findall(r"^COPY (?!--from)(\S+)", RECIPE, re.MULTILINE)
    assert {path.split("/")[0] for path in copied if path != "."} <= let_in
