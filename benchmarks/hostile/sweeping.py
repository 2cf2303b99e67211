"""Shapes through the real commands: CPU seconds and memory, and how both grow with the input."""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hostile.commands import asked, commit
from benchmarks.hostile.shape import STDIN, Shape, of_size, write

BEARABLE = 1.0, 200.0
"""CPU seconds and MiB, for 100 KB of anything."""
LONGEST = 20
"""Seconds of CPU after which a run is ended."""
_DONE = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took."""

    seconds: float
    peak: float
    status: int

    @property
    def is_bearable(self) -> bool:
        """Whether it ended as commands end, and soon."""
        return self.status in _DONE and (self.seconds, self.peak) <= BEARABLE

    def __str__(self) -> str:
        """In one column."""
        return f"{self.seconds:6.2f} s {self.peak:5.0f} MiB"


def cost(folder: Path, command: Sequence[str], given: bytes) -> Cost:
    """Run a command in a project, its output thrown away."""
    source = folder.with_suffix(".stdin")
    source.write_bytes(given)
    with (
        source.open("rb") as stdin,
        subprocess.Popen(
            [sys.executable, "-m", "spokerender", *command],
            cwd=folder,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (LONGEST, LONGEST))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    return Cost(seconds, usage.ru_maxrss / 1024, process.returncode)


def sweep_shape(shape: Shape, command: Sequence[str], size: int, work: Path) -> str:
    """A line about a shape; where it costs much, also with a half and a quarter of it.

    What is told of growth is the power: 1 is linear, 2 quadratic. Starting takes a part of it.
    """
    whole = _measured(shape, command, size, work)
    name = f"{shape.name}, {' '.join(command)}"
    if whole.is_bearable:
        return f"  {name:<52} {whole}"
    parts = [_measured(shape, command, size // part, work) for part in (4, 2)]
    growth = math.log2(max(whole.seconds, 0.01) / max(parts[0].seconds, 0.01)) / 2
    told = "".join(f" | {part}" for part in parts)
    ended = "" if whole.status in _DONE else f", ended with {whole.status}"
    return f"! {name:<52} {whole}{told}, growth {growth:.1f}{ended}"


def _measured(shape: Shape, command: Sequence[str], size: int, work: Path) -> Cost:
    files = of_size(shape, size)
    folder = work / f"{size}"
    folder.mkdir()
    given = write(folder, files)
    assert STDIN in files or not given  # noqa: S101  (nothing is piped that is not measured)
    if "--against" in command:
        commit(folder)
    return cost(folder, asked(command, files), given)
