"""Law of repetition: hash seed, locale, time zone and place change no byte of a rich project."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

PROJECT = ROOT / "examples" / "shop"
SURROUNDINGS = {
    "another-hash-seed": {"PYTHONHASHSEED": "12345"},
    "turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "7"},
    "no-locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "far-east": {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "99"},
}


def stream(folder: Path, **more: str) -> bytes:
    """What `build -o -` prints there."""
    command = [sys.executable, "-m", "spokerender", "build", str(PROJECT), "-o", "-"]
    surroundings = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **more}
    return subprocess.run(
        command, cwd=folder, env=surroundings, check=True, capture_output=True
    ).stdout


@cache
def usual() -> bytes:
    return stream(ROOT, PYTHONHASHSEED="0")


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_surroundings_change_nothing(name: str, tmp_path: Path) -> None:
    assert stream(tmp_path, **SURROUNDINGS[name]) == usual()


def test_there_is_something_to_compare() -> None:
    assert usual().count(b"\nkind: ") > 100
