"""Mutations of projects and arguments, the same ones every time."""

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.support import each


@each(200, pytest.param(10_000, marks=pytest.mark.weekly))
def test_no_input_makes_a_traceback_a_write_outside_or_an_endless_run(mutations: int) -> None:
    """Two hundred mutations take three CPU seconds."""
    # -B: bytecode of a module that nobody imported before would be a write outside.
    fuzz = [sys.executable, "-B", "-m", "tests.fuzz"]
    command = [*fuzz, "--mutations", str(mutations), "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    tried = re.match(r"seed 1: ([\d,]+) mutations", done.stdout)
    assert tried is not None, done.stdout
    assert int(tried[1].replace(",", "")) >= mutations
