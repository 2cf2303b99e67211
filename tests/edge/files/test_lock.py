"""Two builds at once: the second is told so at once."""

import os
import signal
from pathlib import Path

import pytest

from spokerender.edge.files import locked
from spokerender.findings.errors import DiskError
from tests.edge.files.trees import snapshot

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


def test_the_second_build_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    with locked(tmp_path):
        with pytest.raises(DiskError, match="another build is writing there"), locked(tmp_path):
            pytest.fail("two builds at once")
        assert snapshot(tmp_path) == {}, "a lock file would be committed"
    with locked(tmp_path):
        pass


def test_builds_into_different_folders_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with locked(tmp_path / "a"), locked(tmp_path / "b"):
        pass


def test_an_output_that_is_not_there_is_not_left_behind(tmp_path: Path) -> None:
    with locked(tmp_path / "deploy" / "clusters"):
        assert (tmp_path / "deploy" / "clusters").is_dir()

    assert snapshot(tmp_path) == {}


def test_what_was_written_stays(tmp_path: Path) -> None:
    with locked(tmp_path / "deploy" / "clusters"):
        (tmp_path / "deploy" / "clusters" / "x").write_bytes(b"x")

    assert snapshot(tmp_path) == {"deploy/clusters/x": b"x"}


def test_the_lock_of_a_killed_build_is_gone(tmp_path: Path) -> None:
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        with locked(tmp_path):
            os.write(told, b"!")
            signal.pause()
    os.read(ready, 1)
    with pytest.raises(DiskError), locked(tmp_path):
        pytest.fail("the child has the lock")

    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with locked(tmp_path):
        pass
    os.close(ready)
    os.close(told)


def test_an_output_that_another_build_deleted_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "clusters"
    monkeypatch.setattr("fcntl.flock", lambda *_: output.rmdir())

    with pytest.raises(DiskError, match="another build"), locked(output):
        pytest.fail("what is locked is not there any more")


def test_an_output_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    output = tmp_path / "file" / "clusters"

    with pytest.raises(DiskError, match="file/clusters: Not a directory"), locked(output):
        pytest.fail("there is no such folder")
