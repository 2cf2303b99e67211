"""The tests of the command line work in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.project import PROJECT, Shell


@pytest.fixture
def empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    """An empty folder."""
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


@pytest.fixture
def shell(empty: Shell) -> Shell:
    """A folder with a project that is right."""
    empty.write(PROJECT)
    return empty
