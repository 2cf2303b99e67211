"""A build that is ended while a function runs: the tree is old or new, and no process is left."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.edge.processes.programs import LONG, all_end
from tests.support.functions import program, quotas

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")

FUNCTION = f"""
def note():
    with open("pids", "a") as file:
        file.write(f"{{os.getpid()}}\\n")
note()
if os.fork() == 0:
    os.setsid()
    note()
    time.sleep({LONG})
time.sleep(0.1)
answer(limits(config["spec"]["perMinute"]))
"""
COMMAND = [sys.executable, "-m", "render", "build", "--allow-project-code"]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


def tree(folder: Path) -> dict[str, bytes]:
    """The files of the output by path, without what a build may leave for the next one."""
    output = folder / "clusters"
    return {str(path.relative_to(output)): path.read_bytes() for path in output.rglob("*.yaml")}


def build(folder: Path) -> subprocess.Popen[bytes]:
    """A build that runs."""
    return subprocess.Popen(
        [*COMMAND, str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def with_limit(folder: Path, limit: int) -> None:
    """Another number in the metapolicy."""
    hub = folder / "hub" / "hub.yaml"
    head, _, _ = hub.read_text(encoding="utf-8").rpartition("perMinute:")
    hub.write_text(f"{head}perMinute: {limit}\n", encoding="utf-8")


@pytest.mark.parametrize(
    "times", [20, pytest.param(200, marks=pytest.mark.endurance)], ids=["some", "many"]
)
def test_it_may_be_ended_at_any_moment(tmp_path: Path, times: int) -> None:
    chance = random.Random(times)  # noqa: S311  (moments, no secrets)
    folder = quotas(tmp_path / "project", "exec: {path: ./function}\n")
    program(folder, FUNCTION)
    trees = []
    for limit in (4, 3):
        with_limit(folder, limit)
        start = time.monotonic()
        assert build(folder).wait() == 0
        seconds = time.monotonic() - start
        trees.append(tree(folder))
    new, old = trees
    cut_short = 0
    for number in range(times):
        with_limit(folder, 4 if number % 2 == 0 else 3)
        (folder / "pids").unlink(missing_ok=True)
        with build(folder) as running:
            time.sleep(chance.uniform(0, seconds * 1.1))
            running.send_signal(SIGNALS[number % 3])
            cut_short += running.wait() != 0
        text = (folder / "pids").read_text() if (folder / "pids").exists() else ""
        assert all_end([int(line) for line in text.splitlines()])
        for path, data in tree(folder).items():
            assert data in (old[path], new[path])
    assert cut_short
    with_limit(folder, 4)
    assert build(folder).wait() == 0
    assert tree(folder) == new
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]
