"""The benchmarks run, on a fleet of a few spokes: nothing is asserted about time."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.hostile import AUTHORS
from tests.conftest import ROOT


def test_the_benchmarks_can_be_imported() -> None:
    command = [sys.executable, "-m", "benchmarks", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.weekly
def test_every_benchmark_still_runs(tmp_path: Path) -> None:
    """It takes a minute of CPU seconds: each contender is a process or more."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--small", "--work", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    titles = [line for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert titles[1:] == [
        "Start-up",
        "A fresh tree, 12 spokes x 36 objects",
        "Nothing has changed",
        "Waves",
        "A true tree, judged",
        "Status back, 12 spokes x 36 objects",
        "A renamed gateway",
        "A raised limit",
        "Ten kinds of change at once",
        "One policy has changed",
        "Other ways",
        "20 spokes x 30 objects",
        "Refusals of 100 KB",
        "20 Placements over 12 clusters",
        *(f"100 KB of {author}" for author in AUTHORS),
        "Publishing, 12 workspaces x 36 objects",
        "Schemas of 20 CRDs",
        "Metapolicies, 12 spokes x 36 objects",
        "One metapolicy, 20 inputs",
        "Growth",
    ]
    assert list(tmp_path.iterdir()) == []
