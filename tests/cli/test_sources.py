"""A project is loaded from a revision as from disk."""

import shutil
from pathlib import Path

import pytest

from spokerender.cli.loaded import FLEET_FILE, read_fleet_file
from spokerender.cli.project import read_project
from spokerender.edge.files import OnDisk
from spokerender.edge.git.revision import AtRevision
from spokerender.findings.errors import InputError
from spokerender.model.sources import Source
from spokerender.pipeline import render
from spokerender.rendering.values.rendered import Rendered
from tests.cli.examples import NAMES
from tests.cli.project import PROJECT, Shell
from tests.conftest import ROOT
from tests.support import each
from tests.support.git import commit, needs_git, run_git
from tests.support.project import tree

pytestmark = needs_git


def loaded(source: Source) -> Rendered:
    """Render the project of a source."""
    return render(read_project(source, read_fleet_file(source)))


@each(*NAMES)
def test_a_commit_renders_as_the_folder_that_was_committed(name: str, tmp_path: Path) -> None:
    project = tmp_path / "fleets" / name
    shutil.copytree(ROOT / "examples" / name, project)
    run_git(tmp_path, "init", "--quiet")
    commit(tmp_path, {})
    on_disk = loaded(OnDisk(project))
    for path in project.rglob("*.yaml"):
        path.write_bytes(b"changed since\n")

    found = loaded(AtRevision(project, "HEAD"))

    assert tree(found) == tree(on_disk)
    assert [(r.code, r.message) for r in found.results] == [
        (r.code, r.message) for r in on_disk.results
    ]


def test_a_finding_names_the_revision(shell: Shell) -> None:
    run_git(shell.folder, "init", "--quiet")
    commit(shell.folder, {"placement.yaml": b"kind: Place\n"})
    shell.write(PROJECT)

    source = AtRevision(Path(), "HEAD")
    with pytest.raises(InputError) as raised:
        loaded(source)

    assert str(raised.value.results[0].origin) == "HEAD:placement.yaml:1"
    assert source.shown(FLEET_FILE) == "HEAD:fleet.yaml"
