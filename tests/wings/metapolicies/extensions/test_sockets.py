"""The folder of a socket: ours alone, gone with us, and swept where somebody was killed."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
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


def test_what_a_killed_run_left_is_swept(base: Path) -> None:
    text = (
        "import time\n"
        "from spokerender.wings.metapolicies.runners.extensions.process import private_socket\n"
        "with private_socket() as path:\n"
        "    path.touch()\n"
        "    print(path, flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        left = Path(killed.stdout.readline().decode().strip()).parent
        with private_socket():
            assert left.is_dir(), "it is still held"
        os.kill(killed.pid, signal.SIGKILL)
    assert left.is_dir()
    with private_socket() as socket:
        assert folders(base) == [socket.parent]


def test_a_folder_that_was_never_finished_is_swept_in_time(base: Path) -> None:
    young, old = (base / f"spokerender-ext-{os.getuid()}-{name}" for name in ("young", "old"))
    for folder in (young, old):
        folder.mkdir()
    then = time.time() - 3600
    os.utime(old, (then, then))
    with private_socket():
        assert young.is_dir()
        assert not old.exists()


def test_what_is_not_ours_is_left(base: Path) -> None:
    link = base / f"spokerender-ext-{os.getuid()}-link"
    link.symlink_to(base)
    file = base / f"spokerender-ext-{os.getuid()}-file"
    file.touch()
    with private_socket():
        pass
    assert link.is_symlink()
    assert file.exists()


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
