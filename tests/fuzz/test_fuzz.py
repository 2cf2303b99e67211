"""Ten thousand mutations of projects and arguments, the same ones every time."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.slow
def test_no_input_makes_a_traceback_a_write_outside_or_an_endless_run() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--mutations", "10000", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert "10,0" in done.stdout
