"""Exit statuses, help and version: what scripts rely on before they rely on anything else."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import spokerender.cli.project
from spokerender import __version__
from spokerender.cli import COMMANDS
from tests.cli.project import Shell
from tests.conftest import ROOT
from tests.edge.files.trees import snapshot
from tests.support import cases, each, named_rows_of


def test_help_lists_every_command_with_its_purpose(empty: Shell) -> None:
    done = empty.pass_silently("--help")
    words = " ".join(done.out.split())
    assert all(f"{name} {purpose}" in words for name, purpose in COMMANDS.items())
    assert "Exit status: 0 success" in words
    assert empty.run("-h") == done


@each(*COMMANDS)
def test_every_command_says_what_it_does(name: str, empty: Shell) -> None:
    assert empty.pass_silently(name, "--help").out.startswith(f"Usage: spokerender {name} ")


def test_version(empty: Shell) -> None:
    done = empty.run("--version")
    assert (done.status, done.out) == (0, f"spokerender, version {__version__}\n")


def test_no_command_shows_the_help(empty: Shell) -> None:
    done = empty.run()
    assert done.status == 2
    assert "Render and review:" in done.out + done.err


@cases(*named_rows_of(__file__, "a_slip_of_the_fingers_is_wrong_input"))
def test_a_slip_of_the_fingers_is_wrong_input(
    arguments: list[str], says: str, shell: Shell
) -> None:
    before = snapshot(shell.folder)
    done = shell.refuse(*arguments)
    assert done.err.startswith("Usage: spokerender")
    assert says in done.err
    assert snapshot(shell.folder) == before


def test_an_argument_can_do_nothing_to_the_terminal(shell: Shell) -> None:
    done = shell.run("build", "\x1b[2J\u202e\n::error::x")
    assert done.status == 2
    assert "\\x1b[2J\\u202e" in done.err
    assert not [line for line in done.err.splitlines() if line.startswith("::")]


def test_the_name_of_an_output_can_do_nothing_to_the_terminal(shell: Shell) -> None:
    assert shell.pass_silently("build", "-o", "a\x1b[2J").out.startswith("a\\x1b[2J: ")


def test_our_own_fault_is_one_paragraph_and_says_where_the_traceback_is(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> None:
        message = "of all things"
        raise ZeroDivisionError(message)

    reports = tmp_path / "reports"
    reports.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(reports))
    monkeypatch.setattr(spokerender.cli.project, "render", fail)
    done = shell.run("build")
    (report,) = reports.iterdir()
    assert (done.status, done.out) == (3, "")
    assert done.err == (
        "spokerender: internal error; no unfinished file is in place. Please report it with the "
        f"traceback in {report}.\n"
    )
    assert "ZeroDivisionError: of all things" in report.read_text(encoding="utf-8")
    assert not (shell.folder / "clusters").exists()


def test_ctrl_c(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(spokerender.cli.project, "render", interrupt)
    done = shell.run("build")
    assert (done.status, done.out, done.err.strip()) == (130, "", "")


def test_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    """`spokerender build -o - | head -1` is no reason for a traceback."""
    command = [
        sys.executable,
        "-m",
        "spokerender",
        "build",
        str(ROOT / "examples" / "shop"),
        "-o",
        "-",
    ]
    errors = tmp_path / "errors"
    with (
        errors.open("wb") as file,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=file) as process,
    ):
        assert process.stdout is not None
        os.read(process.stdout.fileno(), 1)
        process.stdout.close()
        assert process.wait() == 2
    assert errors.read_bytes() == b""


def test_schema_is_printed(empty: Shell) -> None:
    done = empty.pass_silently("schema")
    committed = (ROOT / "examples" / "schema.json").read_text(encoding="utf-8")
    assert json.loads(done.out) == json.loads(committed)
    assert done.out == committed


def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"rmdir {gone}; exec {sys.executable} -m spokerender check"
    done = subprocess.run(
        ["sh", "-c", command], check=False, cwd=gone, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "the current folder is gone: go to another one" in done.stderr
