"""A path that nothing can be at is told as any other wrong one, wherever it is written."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.project import FLEET, Shell
from tests.support import cases, each, rows_of
from tests.support.functions import program, quotas

LONG = {
    "spaces": " " * 5_000,
    "one name": "x" * 300,
    "many folders": "a/" * 3_000,
    "a file as a folder": "placement.yaml/x",
    "a circle": "circle/x",
}
COMMANDS = rows_of(__file__, "commands")
KEYS = rows_of(__file__, "keys")


@pytest.fixture
def project(shell: Shell) -> Shell:
    """A project in Git, beside which a link leads to itself."""
    (shell.folder / "circle").symlink_to("circle")
    shell.commit()
    return shell


@each(*COMMANDS)
def test_no_argument_is_a_fault_of_ours(command: str, project: Shell) -> None:
    for path in LONG.values():
        before = set(project.folder.iterdir())
        done = project.run(*(path if word == "PATH" else word for word in command.split()))
        assert done.status in {0, 1, 2}, done.err
        assert done.status != 2 or set(project.folder.iterdir()) == before


@each(*KEYS)
def test_nor_is_a_path_in_the_fleet_file(key: str, project: Shell) -> None:
    for name, path in LONG.items():
        project.write({"fleet.yaml": f"{FLEET}  {key.replace('PATH', path)}\n"})
        for command in ("build", "check", "diff", "diff --against HEAD", "crds add hub"):
            if not (key.startswith("output") and name == "many folders"):  # -o is the same door
                done = project.run(*command.split())
                assert done.status in {0, 1, 2}, done.err


@each(*KEYS, "delivery: {flux: {path: 'PATH'}}")
def test_no_path_has_a_nul(key: str, project: Shell) -> None:
    written = key.replace("'PATH'", r'"a\0b"')
    project.write({"fleet.yaml": f"{FLEET}  {written}\n"})
    for command in ("build", "check", "diff"):
        done = project.run(command)
        assert done.status == 2
        assert "fleet.yaml:4" in done.err
        assert "a path can't have a NUL in it" in done.err


@cases(*rows_of(__file__, "nor_is_a_program_given_one"))
def test_nor_is_a_program_given_one(field: str, said: str, empty: Shell) -> None:
    program(quotas(Path(empty.folder), f"exec: {{{field}}}\n"), "open('ran', 'w')")
    done = empty.run("build", "--allow-project-code")
    assert (done.status, said in done.err) == (2, True)


def test_a_question_that_is_no_text_is_told(project: Shell) -> None:
    done = project.run("query", "\udcff")
    assert done.status == 2
    assert "it has bytes that are not UTF-8" in done.err


def test_a_folder_may_be_as_deep_as_the_system_has_them(empty: Shell) -> None:
    project = "a/" * 1_100  # more than Python goes down into itself
    try:
        empty.succeed("init", project)
        empty.succeed("check", project)
    finally:
        subprocess.run(["rm", "-r", str(empty.folder / "a")], check=True)  # as Python can't


OBJECT = "apiVersion: {}\nkind: {}\nmetadata: {{name: x, namespace: infra}}\n"


@cases(*rows_of(__file__, "a_hidden_file_of_the_hub_is_told"))
def test_a_hidden_file_of_the_hub_is_told(
    path: str, text: str, severity: str, project: Shell
) -> None:
    place = project.folder / "hub" / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    for command in ("build", "check"):
        ended = project.run(command)
        assert (ended.status == 2) is (severity == "error"), ended.err
        found = f"hub/{path}:1: {severity} SR1213" in ended.out + ended.err
        assert found is bool(severity) or (command == "build" and ended.status == 0)
