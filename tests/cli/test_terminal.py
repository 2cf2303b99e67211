"""The terminal: colours as the environment asks, and the project that one stands in."""

import subprocess
import sys

import pytest

from tests.cli.project import BASIS, Shell
from tests.support import cases, each, rows_of


@cases(*rows_of(__file__, "colours"))
def test_colours(
    variables: dict[str, str], is_colored: bool, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    shell.write({"hub/odd.yaml": "kind: [\n"})
    done = shell.run("build")
    assert ("\x1b[" in done.err) is is_colored
    assert "error SR1001" in done.err or is_colored


def test_the_project_is_found_upward(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.succeed("build")
    below = shell.folder / "hub" / "teams"
    below.mkdir()
    monkeypatch.chdir(below)
    assert shell.run("check").out == "../../clusters: up to date, 8 files\n" + BASIS
    assert shell.run("explain").out.startswith("2 spokes")
    assert "../../hub/web.yaml:15" in shell.run("explain", "HTTPRoute/shop").out
    assert shell.run("check", ".").status == 2


def test_it_is_not_looked_for_beyond_the_repository(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = shell.folder / "inner"
    (inner / ".git").mkdir(parents=True)
    below = inner / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert shell.run("check").status == 2


def test_without_posix_it_says_so_in_one_line() -> None:
    """As on Windows, which has no `fcntl`."""
    commands = ["build", "check", "diff", "init"]
    program = (
        "import sys; sys.modules['fcntl'] = None; from spokerender.cli import run; "
        f"assert [run([each]) for each in {commands}] == [2] * 4; "
        "assert run(['--help']) == run(['--version']) == 0"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Usage: ")
    assert done.stderr.splitlines() == [
        f"Error: {each} needs POSIX file locks: on Windows, run it in WSL" for each in commands
    ]


def test_help_names_completion(shell: Shell) -> None:
    assert 'eval "$(_SPOKERENDER_COMPLETE=bash_source spokerender)"' in shell.run("--help").out


@each(("effective",), ("status",), ("explain", "HTTPRoute/shop"))
@each(40, 60, 80)
def test_lines_go_on_below_on_a_narrow_terminal(
    width: int, command: tuple[str, ...], shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    whole = shell.run(*command).out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    folded = shell.run(*command).out
    assert folded.split() == whole.split()
    assert [line for line in folded.splitlines() if len(line) > width and " " in line.strip()] == []
