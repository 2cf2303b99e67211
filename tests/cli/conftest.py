"""The tests of the command line work in a folder of their own."""

from pathlib import Path

import pytest

from tests.cli.judged import AT_CRDS, LONG, SECOND
from tests.cli.project import PROJECT, Shell
from tests.support.crds import crd


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


@pytest.fixture
def fleet(shell: Shell) -> Shell:
    """The project with a CRD beside its hub, and its tree."""
    shell.write({"fleet.yaml": AT_CRDS, "crds/auth.yaml": crd()})
    shell.succeed("build")
    return shell


@pytest.fixture
def wrong(shell: Shell) -> Shell:
    """Each aspect of it fails: it has an odd policy, an invalid object, and a stale tree."""
    shell.write({"fleet.yaml": AT_CRDS, "crds/auth.yaml": crd(), "hub/second.yaml": SECOND, **LONG})
    return shell
