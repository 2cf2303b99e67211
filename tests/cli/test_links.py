"""What a build writes lands in the project, and reads no secret out, whatever links it has."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.project import FLEET, PROJECT, Shell
from tests.edge.files.trees import snapshot
from tests.support import each, end_to_end as e2e

CLOSED = "AuthPolicy/infra/closed"


@pytest.fixture
def project(empty: Shell) -> Shell:
    """A project in a folder of its own, beside one that is not the project's."""
    e2e.write(empty.folder / "project", PROJECT)
    e2e.write(empty.folder / "elsewhere", {"file": "precious\n"})
    return empty


@each("fleet.yaml", ".fleet.yaml.spokerender")
def test_a_reason_is_not_written_through_a_link(planted: str, project: Shell) -> None:
    if planted == "fleet.yaml":  # a link to a fleet file, so that the build gets that far
        e2e.write(project.folder / "elsewhere", {"file": FLEET + "  output: clusters\n"})
    project.succeed("build", "project")
    (project.folder / "project/hub/auth.yaml").unlink()
    (project.folder / "project" / planted).symlink_to("../elsewhere/file")
    before = snapshot(project.folder)
    done = project.run("build", "project", "--allow-delete", CLOSED, "--reason", "moved")
    assert done.status == 2
    assert f"{planted}: it is a link, and is not written through" in done.err
    assert snapshot(project.folder) == before


def test_what_a_killed_build_left_beside_the_fleet_file_is_replaced(project: Shell) -> None:
    project.succeed("build", "project")
    (project.folder / "project/hub/auth.yaml").unlink()
    e2e.write(project.folder, {"project/.fleet.yaml.spokerender": "half"})
    project.succeed("build", "project", "--allow-delete", CLOSED, "--reason", "moved")
    assert not (project.folder / "project/.fleet.yaml.spokerender").exists()
    assert "moved" in (project.folder / "project/fleet.yaml").read_text()


def linked_output(project: Path) -> None:
    (project / "clusters").symlink_to("../elsewhere")


def linked_parent(project: Path) -> None:
    e2e.write(project, {"fleet.yaml": FLEET + "  output: out/clusters\n"})
    (project / "out").symlink_to("../elsewhere")


def linked_nowhere(project: Path) -> None:
    (project / "clusters").symlink_to("../new")


@each(linked_output, linked_parent, linked_nowhere)
def test_no_output_lands_outside(plant: Callable[[Path], None], project: Shell) -> None:
    plant(project.folder / "project")
    before = snapshot(project.folder)
    assert "a link leads outside, to " in project.refuse("build", "project").err
    assert snapshot(project.folder) == before


def test_nor_does_that_of_one_spoke(project: Shell) -> None:
    (project.folder / "project/clusters").mkdir()
    (project.folder / "project/clusters/eu").symlink_to("../../elsewhere")
    before = snapshot(project.folder)
    assert "clusters/eu" in project.refuse("build", "project").err
    assert snapshot(project.folder) == before


def test_a_link_within_the_project_is_the_projects_own_affair(project: Shell) -> None:
    (project.folder / "project/rendered").mkdir()
    (project.folder / "project/clusters").symlink_to("rendered")
    project.succeed("build", "project")
    assert (project.folder / "project/rendered/eu/kustomization.yaml").is_file()


def test_what_follows_a_separator_in_a_file_elsewhere_is_not_shown(project: Shell) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n--- c2VjcmV0\n"
    e2e.write(project.folder / "elsewhere", {"key.pem": key})
    (project.folder / "project/hub/key.yaml").symlink_to("../../elsewhere/key.pem")
    done = project.run("build", "project")
    assert done.status == 2
    assert "hub/key.yaml:2: error" in done.err
    assert "c2VjcmV0" not in done.out + done.err
    assert "PRIVATE" not in done.out + done.err
