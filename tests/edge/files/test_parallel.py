"""Several processes do what one does, and none of them is left behind."""

import os
import signal
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from spokerender.edge.files import apply, compare, parallel
from spokerender.edge.files.parallel import spread
from spokerender.findings.errors import DiskError, InputError
from spokerender.findings.results import Result, Severity
from tests.edge.files.trees import Tree, ours, snapshot, write
from tests.support import cases

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


@pytest.fixture(autouse=True)
def _three_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "FILES_WORTH_A_FORK", 10)
    monkeypatch.setattr(parallel, "processors", lambda: 3)


def squares(numbers: Iterable[int]) -> tuple[int, list[int]]:
    return os.getpid(), [number * number for number in numbers]


def assert_no_child_is_left() -> None:
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@cases((10, 1), (11, 3))
def test_work_is_shared_from_some_size_on(files: int, processes: int) -> None:
    answers = spread(range(10), squares, files=files)

    assert len({pid for pid, _ in answers}) == processes
    assert sorted(n for _, part in answers for n in part) == [n * n for n in range(10)]
    assert_no_child_is_left()


@cases((0, 1), (1, 1), (2, 2))
def test_there_are_no_more_processes_than_items(items: int, processes: int) -> None:
    assert len(spread(range(items), squares, files=1000)) == processes


def test_where_no_process_can_be_started_one_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)

    ((pid, part),) = spread(range(4), squares, files=1000)

    assert (pid, sorted(part)) == (os.getpid(), [0, 1, 4, 9])


def test_progress_reaches_the_end() -> None:
    told: list[tuple[int, int]] = []

    spread(range(9), squares, files=1000, progress=lambda done, of: told.append((done, of)))

    assert told == [(3, 9), (6, 9), (9, 9)]


def fail_in_a_child(error: BaseException) -> None:
    """Raise the error in each process but this one."""
    here = os.getpid()

    def work(numbers: Iterable[int]) -> None:
        for _ in numbers:
            if os.getpid() != here:
                raise error

    spread(range(9), work, files=1000)


@cases(
    (DiskError("eu: full"), DiskError, "eu: full"),
    (KeyError("eu"), RuntimeError, "KeyError: 'eu'"),
    (KeyboardInterrupt(), RuntimeError, "KeyboardInterrupt"),
    (SystemExit(0), RuntimeError, "SystemExit"),
    ids=["ours", "crash", "interrupt", "exit"],
)
def test_what_a_child_raises_is_raised_here(
    error: BaseException, expected: type[Exception], message: str
) -> None:
    with pytest.raises(expected, match=message):
        fail_in_a_child(error)
    assert_no_child_is_left()


def test_an_input_error_keeps_its_results() -> None:
    results = (Result(code="SR0000", severity=Severity.ERROR, message="wrong"),)

    with pytest.raises(InputError) as raised:
        fail_in_a_child(InputError(results))

    assert raised.value.results == results


def test_a_child_that_is_killed_is_an_error() -> None:
    here = os.getpid()

    def work(numbers: Iterable[int]) -> None:
        for _ in numbers:
            if os.getpid() != here:
                os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(RuntimeError, match="was killed"):
        spread(range(9), work, files=1000)
    assert_no_child_is_left()


def test_when_this_process_fails_the_children_are_stopped() -> None:
    here = os.getpid()

    def work(numbers: Iterable[int]) -> None:
        for _ in numbers:
            if os.getpid() == here:
                raise KeyboardInterrupt
            time.sleep(600)

    with pytest.raises(KeyboardInterrupt):
        spread(range(9), work, files=1000)
    assert_no_child_is_left()


def test_a_child_stops_when_its_parent_is_gone(tmp_path: Path) -> None:
    ended, running = os.pipe()
    parent = os.fork()
    if parent == 0:
        try:
            spread(range(9), lambda numbers: outlive(os.getppid(), numbers, tmp_path), files=1000)
        finally:
            os._exit(0)
    os.close(running)
    os.waitpid(parent, 0)

    os.read(ended, 1)  # returns when no process has the other end any more
    os.close(ended)
    assert snapshot(tmp_path).keys() == {"1", "2"}


def outlive(parent: int, numbers: Iterable[int], folder: Path) -> None:
    """Note each number; the process that started the others dies when each has noted one."""
    for number in numbers:
        if number == 0:
            while len(list(folder.iterdir())) < 2:
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGKILL)
        (folder / str(number)).touch()
        while os.getppid() == parent:
            time.sleep(0.001)


@dataclass(frozen=True)
class FailingTree(Tree):
    """A tree that can't make one of its folders."""

    def files(self, folder: str, paths: Collection[str] | None = None) -> Mapping[str, bytes]:
        """The files of a folder, but of one."""
        if folder == "spoke-4":
            raise DiskError(folder)
        return super().files(folder, paths)


def a_tree(text: str, numbers: Iterable[int]) -> Tree:
    files = {"kustomization.yaml": ours(text), "shop/a.yaml": ours("a"), "shop/b.yaml": ours(text)}
    return Tree({f"spoke-{number}": files for number in numbers})


def test_processes_plan_and_write_what_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = []
    for name in ("shared", "alone"):
        output = tmp_path / name
        write(output, a_tree("old", range(7)).on_disk | {"spoke-1/notes.md": b"by hand"})
        write(output, {"spoke-9/kustomization.yaml": b"by hand"})
        tree = a_tree("new", [5, 3, 4, 8, 7, 6])
        plans.append(compare(output, tree))
        apply(output, plans[-1], tree)
        plans.append(compare(output, tree))
        monkeypatch.setattr(parallel, "FILES_WORTH_A_FORK", 1_000_000)

    assert plans[:2] == plans[2:]
    assert plans[0].folders
    assert snapshot(tmp_path / "shared") == snapshot(tmp_path / "alone")
    assert_no_child_is_left()


def test_a_folder_that_cannot_be_made_fails_the_build(tmp_path: Path) -> None:
    tree = a_tree("new", range(9))
    plan = compare(tmp_path, tree)
    failing = FailingTree(tree.content)

    with pytest.raises(DiskError, match="spoke-4"):
        apply(tmp_path, plan, failing)

    there = snapshot(tmp_path)
    assert there.items() <= tree.on_disk.items()
    assert not any(path.startswith("spoke-4/") for path in there)
    assert_no_child_is_left()
