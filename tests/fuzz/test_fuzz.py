"""Mutations of projects and arguments, the same ones every time."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.support.cases import each


@each(1_000, pytest.param(10_000, marks=pytest.mark.weekly))
def test_no_input_makes_a_traceback_a_write_outside_or_an_endless_run(mutations: int) -> None:
    """Thousand mutations take ten CPU seconds."""
    command = [sys.executable, "-m", "tests.fuzz", "--mutations", str(mutations), "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert f"seed 1: {mutations // 100 / 10:.1f}".replace(".", ",") in done.stdout
