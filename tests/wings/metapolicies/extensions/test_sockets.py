"""The folder of a socket: ours alone, gone with us, and swept where somebody was killed."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from spokerender.findings.errors import DiskError
from spokerender.wings.metapolicies.runners.extensions.process import private_socket


@pytest.fixture(autouse=True)
def base(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of a short name: that of a socket may have about a hundred bytes."""
    with tempfile.TemporaryDirectory(prefix="sr-", dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


def folders(base: Path) -> list[Path]:
    return sorted(base.glob("spokerender-ext-*"))


def test_nobody_else_may_enter_its_folder_and_it_goes(base: Path) -> None:
    with private_socket() as socket:
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
        assert folders(base) == [socket.parent]
    assert folders(base) == []


def test_two_at_once_leave_each_other_alone(base: Path) -> None:
    with private_socket() as one, private_socket() as other:
        assert folders(base) == sorted([one.parent, other.parent])


def test_a_long_folder_is_no_place(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = base / ("x" * 100)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    with private_socket() as socket:
        assert not socket.is_relative_to(deep)
        assert len(os.fsencode(socket)) <= 103


def test_nowhere_to_be_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(DiskError, match="TMPDIR"), private_socket():
        pass
