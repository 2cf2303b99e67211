"""Standard streams that are closed or full: no traceback, and a status that scripts can rely on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.project import PROJECT
from tests.support import cases, each, end_to_end as e2e

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")

UNPRINTABLE = "spokerender: cannot print the output: "


def run(folder: Path, arguments: str, streams: str) -> tuple[int, str, set[str]]:
    """The status, what was told on stderr, and the reports of faults."""
    e2e.write(folder / "project", PROJECT)
    reports = folder / "reports"
    reports.mkdir()
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m spokerender {arguments} {streams}', sys.executable],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(reports)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr, {path.name for path in reports.iterdir()}


@cases(
    *(
        pytest.param(arguments, streams, marks=() if i % 3 == j else pytest.mark.weekly)
        for i, arguments in enumerate(["build project", "build project -o -", "schema", "--help"])
        for j, streams in enumerate([">&-", "<&- >&-", ">/dev/full"])
    )
)
def test_what_can_not_be_printed_is_told(arguments: str, streams: str, tmp_path: Path) -> None:
    status, told, reports = run(tmp_path, arguments, streams)
    assert (status, reports) == (2, set())
    assert told.startswith(UNPRINTABLE)
    assert told.count("\n") == 1


@each("2>&-", "2>/dev/full", "<&-")
def test_what_was_done_counts_where_nothing_is_told(streams: str, tmp_path: Path) -> None:
    assert run(tmp_path, "build project", streams) == (0, "", set())
    assert (tmp_path / "project/clusters/eu/kustomization.yaml").is_file()


@each("2>&-", "2>/dev/full", ">&- 2>&-", ">/dev/full 2>/dev/full")
def test_wrong_input_has_its_status_even_so(streams: str, tmp_path: Path) -> None:
    assert run(tmp_path, "build nowhere", streams) == (2, "", set())


@each("latin-1", "cp1252")
def test_what_an_encoding_lacks_is_an_escape(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    assert run(tmp_path, "graph project >tree", "") == (0, "", set())
    assert r"\u2514\u2500 listener https" in (tmp_path / "tree").read_text(encoding)
