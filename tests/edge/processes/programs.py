"""Programs for tests, and what is left of them."""

import os
import signal
import sys
import time
from pathlib import Path
from textwrap import dedent

LONG = 600
"""Seconds: longer than any test waits."""


def program(folder: Path, text: str, name: str = "program") -> Path:
    """A program in Python, which says so in its first line."""
    path = folder / name
    path.write_text(f"#!{sys.executable} -IS\n" + dedent(text), encoding="utf-8")
    path.chmod(0o755)
    return path


def is_alive(process: int) -> bool:
    """Whether a process runs: one that has ended and was not asked for yet does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def all_end(processes: list[int], seconds: float = 20) -> bool:
    """Whether all of them end soon; those that do not are ended here."""
    end = time.monotonic() + seconds
    while left := [each for each in processes if is_alive(each)]:
        if time.monotonic() > end:
            for each in left:
                os.kill(each, signal.SIGKILL)
            return False
        time.sleep(0.01)
    return True


def told(path: Path, count: int, seconds: float = 20) -> list[int]:
    """The numbers that processes wrote into a file, a line each, once there are so many."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        if len(lines) >= count:
            return list(map(int, lines))
        time.sleep(0.01)
    message = f"{path}: fewer than {count} processes"
    raise AssertionError(message)
