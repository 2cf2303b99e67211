"""Builds that are ended at any moment: the tree is old or new, and no process is left."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spokerender.cli import run
from tests.edge.processes.programs import LONG, all_end

TIMES = pytest.mark.parametrize(
    "times", [3, pytest.param(200, marks=pytest.mark.weekly)], ids=["some", "many"]
)
"""How often a test ends a build; each signal does so as often as the others."""
COMMAND = (sys.executable, "-m", "spokerender", "build", "--allow-project-code")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
FAMILY = f"""\
import os, time

def note():
    with open(NOTES, "a") as file:
        file.write(f"{{os.getpid()}}\\n")

note()
if os.fork() == 0:
    os.setsid()
    note()
    time.sleep({LONG})
"""
"""It notes its process in the file `NOTES`, and starts another one that goes its own way."""


def moments(times: int, seconds: float) -> list[float]:
    """So many moments up to a little after so many seconds, one in each part, in any order."""
    chance = random.Random(times)  # noqa: S311  (moments, no secrets)
    parts = [(number + chance.random()) / times for number in range(times)]
    return [part * seconds * 1.1 for part in chance.sample(parts, times)]


def end_at_any_moment(
    folder: Path, times: int, ended: Callable[[signal.Signals], None] = lambda _: None
) -> None:
    """Build a project that runs a program of `FAMILY`, and end that by one signal or another.

    Args:
        folder: A project made by `quotas`, whose program notes its processes in its file `pids`.
        times: How often.
        ended: What else has to hold after each signal.

    Raises:
        AssertionError: a process is left, or a file is neither old nor new.

    """
    new = _build(folder, 4)
    _limit(folder, 3)
    start = time.monotonic()
    subprocess.run([*COMMAND, str(folder)], check=True, capture_output=True)
    seconds, old = time.monotonic() - start, _tree(folder)
    cut_short = 0
    notes = folder / "pids"
    for number, moment in enumerate(moments(times, seconds)):
        _limit(folder, 4 if number % 2 == 0 else 3)
        notes.unlink(missing_ok=True)
        with subprocess.Popen(
            [*COMMAND, str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            time.sleep(moment)
            running.send_signal(SIGNALS[number % 3])
            cut_short += running.wait() != 0
        text = notes.read_text(encoding="utf-8") if notes.exists() else ""
        assert all_end([int(line) for line in text.splitlines()])
        for path, data in _tree(folder).items():
            assert data in (old[path], new[path])
        ended(SIGNALS[number % 3])
    assert cut_short
    assert _build(folder, 4) == new


def _build(folder: Path, limit: int) -> dict[str, bytes]:
    """The tree with this limit, built in this process."""
    _limit(folder, limit)
    assert run([*COMMAND[3:], str(folder)]) == 0
    return _tree(folder)


def _tree(folder: Path) -> dict[str, bytes]:
    """The files of the output by path, without what a build may leave for the next one."""
    output = folder / "clusters"
    return {str(path.relative_to(output)): path.read_bytes() for path in output.rglob("*.yaml")}


def _limit(folder: Path, limit: int) -> None:
    """Another number in the metapolicy."""
    hub = folder / "hub" / "hub.yaml"
    head, _, _ = hub.read_text(encoding="utf-8").rpartition("perMinute:")
    hub.write_text(f"{head}perMinute: {limit}\n", encoding="utf-8")
