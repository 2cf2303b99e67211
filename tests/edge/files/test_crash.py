"""A build that fails or dies at any of its steps leaves whole files, and the next one is right."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from spokerender.edge.files import apply, compare, locked, parallel
from spokerender.edge.files.folders import STAGING
from spokerender.findings.errors import DiskError
from tests.edge.files.faults import Fault, KilledError, inject
from tests.edge.files.trees import Disk, Tree, ours, snapshot, write
from tests.support import case, each
from tests.support.ending import TIMES, moments

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

NEW = Tree(
    {
        "_fleet": {"lock.yaml": ours("new " * 40)},
        "eu": {
            "kustomization.yaml": ours("new"),
            "shop/a.yaml": ours("new"),
            "more/b.yaml": ours("same"),
        },
        "us": {"kustomization.yaml": ours("new"), "shop/deep/a.yaml": ours("new")},
    }
)
CHANGED = {
    "_fleet/lock.yaml": ours("old"),
    "eu/kustomization.yaml": b"<<<<<<< ours\n" + ours("old"),
    "eu/shop/a.yaml": ours("old " * 40),
    "eu/more/b.yaml": ours("same"),
    "eu/gone/c.yaml": ours("old"),
}
REMOVED = {
    "left/kustomization.yaml": ours("old"),
    "left/shop/a.yaml": ours("old"),
    "left/shop/deep/b.yaml": ours("old"),
    "gone/kustomization.yaml": ours("old"),
    "gone/one/two/three.yaml": ours("old"),
}
LEFT_BY_KILLED = {f"{STAGING}/eu/shop/a.yaml": ours("older"), f"{STAGING}/us": ours("older")[:30]}
FOREIGN = {
    "README.md": b"by hand\n",
    "eu/notes.md": b"by hand\n",
    "eu/gone/notes.md": b"",
    "left/shop/deep/notes.md": b"# Rendered by somebody else\n",
    "gone/notes.md": b"by hand\n",
    "theirs/kustomization.yaml": b"resources: []\n",
}


@dataclass(frozen=True)
class Scenario:
    """What is on disk before a build."""

    old: Disk
    foreign: Disk


SCENARIOS = [
    pytest.param(Scenario({}, {}), id="fresh"),
    pytest.param(Scenario(CHANGED, {}), id="update"),
    pytest.param(Scenario(REMOVED, {}), id="spoke-removed"),
    pytest.param(Scenario(CHANGED | REMOVED, FOREIGN), id="foreign-present"),
    pytest.param(Scenario(CHANGED | LEFT_BY_KILLED, FOREIGN), id="after-a-killed-build"),
]


def build(output: Path, tree: Tree = NEW) -> None:
    """Do what the command does."""
    with locked(output):
        apply(output, compare(output, tree), tree)


def assert_whole(output: Path, old: Disk, foreign: Disk, new: Disk = NEW.on_disk) -> None:
    """Every file in place is old or new, and what is foreign is as it was."""
    there = snapshot(output) if output.exists() else {}
    in_place = {p: d for p, d in there.items() if not (p.startswith(STAGING) or p.endswith("/"))}
    assert {p: d for p, d in in_place.items() if p in foreign} == foreign
    for path, data in in_place.items():
        assert data in (old.get(path), new.get(path), foreign.get(path)), path
    for path in new.keys() & old.keys():
        assert path in in_place, path


@each(*Fault)
@each(*SCENARIOS)
def test_a_build_that_fails_at_any_step(
    scenario: Scenario, fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = 0
    while _comes_to(step, tmp_path / str(step), monkeypatch, fault, scenario):
        step += 1

    assert step > 10


def _comes_to(
    step: int, output: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault, scenario: Scenario
) -> bool:
    """Fail at that step, then build again; tell whether there is such a step."""
    expected = NEW.on_disk | scenario.foreign
    write(output, scenario.old | scenario.foreign)
    with monkeypatch.context() as patch:
        faulty = inject(patch, fault, step)
        try:
            build(output)
        except (DiskError, KilledError):
            assert_whole(output, scenario.old, scenario.foreign)
        else:
            assert snapshot(output) == expected
    if fault is Fault.FULL:
        assert not (output / STAGING).exists()

    build(output)
    assert snapshot(output) == expected
    return faulty.has_failed


@each(Fault.FULL, Fault.KILLED)
def test_a_child_process_that_fails(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share_work(monkeypatch)
    for step in range(8):  # each process counts for itself
        output = tmp_path / str(step)
        write(output, CHANGED | REMOVED | FOREIGN)
        with monkeypatch.context() as patch:
            inject(patch, fault, step)
            with pytest.raises((DiskError, KilledError, RuntimeError)):
                build(output)
        assert_whole(output, CHANGED | REMOVED, FOREIGN)

        build(output)
        assert snapshot(output) == NEW.on_disk | FOREIGN


def share_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let three processes share even the smallest work."""
    monkeypatch.setattr(parallel, "FILES_WORTH_A_FORK", 0)
    monkeypatch.setattr(parallel, "processors", lambda: 3)


def tree_of(text: str, folders: range) -> Tree:
    """A tree that takes some time to write."""
    names = [f"shop/{number:02}.yaml" for number in range(20)]
    files = {name: ours(f"{name} {text}\n" * 50) for name in ["kustomization.yaml", *names]}
    return Tree({f"spoke-{number}": files for number in folders})


@TIMES
@each(case("alone", False), case("forks", True))
def test_real_kills(
    shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    if shared:
        share_work(monkeypatch)
    old, new = tree_of("old", range(20)), tree_of("new", range(5, 25))
    foreign = {"spoke-0/notes.md": b"by hand\n", "spoke-9/notes.md": b"by hand\n"}
    write(tmp_path, foreign)
    build(tmp_path, old)
    started = time.monotonic()
    build(tmp_path, new)
    duration = time.monotonic() - started
    build(tmp_path, old)

    left = moments(times, duration)
    while left:
        if kill_a_build(tmp_path, new, after=left[-1]):
            left.pop()
        else:
            left[-1] *= 0.9
        wait_until_unlocked(tmp_path)
        assert_whole(tmp_path, old.on_disk, foreign, new.on_disk)
        build(tmp_path, new)
        assert snapshot(tmp_path) == new.on_disk | foreign
        old, new = new, old


def kill_a_build(output: Path, tree: Tree, *, after: float) -> bool:
    """Build in a child process and kill it after some seconds; tell whether it was in time."""
    child = os.fork()
    if child == 0:
        try:
            build(output, tree)
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def wait_until_unlocked(output: Path) -> None:
    """Wait until the processes that a killed build started have noticed that it is gone."""
    until = time.monotonic() + 60
    while True:
        try:
            with locked(output):
                return
        except DiskError:
            if time.monotonic() > until:
                raise
            time.sleep(0.001)
