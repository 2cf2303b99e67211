"""A disk that is full or refuses: said with path and cure, and nothing is half-written."""

import errno
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from spokerender.edge.files import apply, compare, locked
from spokerender.findings.errors import DiskError
from tests.edge.files.faults import Fault, inject
from tests.edge.files.trees import Tree, ours, snapshot, write
from tests.support import cases

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

NOBODY = 65534
BIG = ours("x" * 500_000)
TREE = Tree({"eu": {"a.yaml": ours("a"), "b.yaml": BIG}, "us": {"a.yaml": ours("a")}})


def build(output: Path, tree: Tree = TREE) -> None:
    with locked(output):
        apply(output, compare(output, tree), tree)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for some 300 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=300k", "spokerender-test", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a file system")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    old = Tree({"eu": {"a.yaml": ours("old"), "b.yaml": ours("old")}, "left": {"c": ours("old")}})
    build(small_disk, old)

    with pytest.raises(DiskError, match=r"eu/b.yaml: No space left on device; make room"):
        build(small_disk)

    assert snapshot(small_disk) == old.on_disk | {"eu/a.yaml": ours("a")}
    smaller = Tree({**TREE.content, "eu": {"a.yaml": ours("a"), "b.yaml": ours("small")}})
    build(small_disk, smaller)
    assert snapshot(small_disk) == smaller.on_disk


def test_a_disk_that_is_really_full_in_a_fresh_folder(small_disk: Path) -> None:
    with pytest.raises(DiskError, match=r"eu/b.yaml: No space left on device; make room"):
        build(small_disk / "clusters")

    assert snapshot(small_disk) == {}


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    answers, answer = os.pipe()
    child = os.fork()
    if child == 0:  # a limit is for the rest of a process's life
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
        try:
            build(tmp_path)
        except DiskError as error:
            os.write(answer, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(answer)
    with os.fdopen(answers) as said:
        message = said.read()

    assert message.endswith(
        "eu/b.yaml: File too large; raise the limit on the size of files, then build again"
    )
    assert snapshot(tmp_path) == {}


@cases(
    (errno.EROFS, "make the file system writable"),
    (errno.EACCES, "let your user read and write"),
    (errno.EDQUOT, "make room"),
    (errno.EIO, "Input/output error$"),
    ids=["read-only", "forbidden", "quota", "broken"],
)
def test_what_the_disk_refuses_is_said(
    reason: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"eu/a.yaml": ours("old")})
    inject(monkeypatch, Fault.FULL, 0, reason)

    with pytest.raises(DiskError, match=message):
        build(tmp_path)

    assert snapshot(tmp_path) == {"eu/a.yaml": ours("old")}


@pytest.fixture
def bound(tmp_path: Path) -> Iterator[Path]:
    """A folder of a user to whom files can be forbidden: root is another user meanwhile."""
    if os.geteuid():
        yield tmp_path
        return
    with TemporaryDirectory() as name:  # the parents of tmp_path are for root alone
        os.chown(name, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            os.seteuid(0)


def test_a_folder_that_is_read_only(bound: Path) -> None:
    bound.chmod(0o555)
    try:
        with pytest.raises(DiskError, match="Permission denied; let your user read and write"):
            build(bound)
    finally:
        bound.chmod(0o755)

    assert snapshot(bound) == {}


def test_what_cannot_be_read_is_foreign_where_we_write_nothing(bound: Path) -> None:
    disk = {"eu/a.yaml": ours("a"), "eu/secret": b"secret", "lost+found/x": b"x"}
    write(bound, disk)
    (bound / "eu/secret").chmod(0)
    (bound / "lost+found").chmod(0)
    try:
        plan = compare(bound, Tree({"eu": {"a.yaml": ours("a")}}))
    finally:
        (bound / "eu/secret").chmod(0o644)
        (bound / "lost+found").chmod(0o755)

    assert [(p.folder, p.foreign, p.changes) for p in plan.folders] == [("eu", ("secret",), 0)]
