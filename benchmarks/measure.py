"""Timing whole commands in turn: every contender once, then all again; medians and ratios."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

RUNS = "runs"

Prepare = Callable[[int], Sequence[str]]
"""The command of a run, given its number; what it prepares is not timed."""


@dataclass(slots=True)
class Contender:
    """A command and what its runs took: seconds, and the largest process's peak in MiB."""

    name: str
    prepare: Prepare
    scale: float = 1
    seconds: list[float] = field(default_factory=list)
    peak: float = 0

    @property
    def median(self) -> float:
        """The median of the runs, in seconds, times `scale` where it did a part of the work."""
        return statistics.median(self.seconds) * self.scale


def run(command: Sequence[str], *, expect: Sequence[int] = (0,)) -> tuple[float, float]:
    """Run a command with its output thrown away; seconds and MiB.

    Raises:
        RuntimeError: it ended with another status than expected.

    """
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in expect:
        message = f"{' '.join(command)} ended with {process.returncode}"
        raise RuntimeError(message)
    return seconds, usage.ru_maxrss / 1024


def compete(title: str, contenders: Sequence[Contender], *, runs: int) -> None:
    """Run all contenders in turn, so many times after a warm-up, and print how they compare.

    The first contender is the yardstick.
    """
    for number in range(runs + 1):
        for contender in contenders:
            seconds, peak = run(contender.prepare(number))
            contender.peak = max(contender.peak, peak)
            if number or not runs:
                contender.seconds.append(seconds)
    yardstick = contenders[0].median
    print(f"\n{title}")
    for contender in contenders:
        note = f"  (x {contender.scale:g}, extrapolated)" if contender.scale != 1 else ""
        print(
            f"  {contender.name:<44} {contender.median * 1000:>10.0f} ms "
            f"{contender.median / yardstick:>8.2f} x {contender.peak:>6.0f} MiB{note}"
        )


def fresh(folder: Path, name: str, number: int) -> Path:
    """A path that nothing has been at: some file systems are slow where something was deleted."""
    runs = folder / RUNS
    runs.mkdir(exist_ok=True)
    return runs / f"{name}-{number}"


def sweep(folder: Path) -> None:
    """Make room after a contest."""
    shutil.rmtree(folder / RUNS, ignore_errors=True)
