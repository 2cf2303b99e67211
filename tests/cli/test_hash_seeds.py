"""What a build prints does not depend on how Python hashes, with metapolicies in any way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_ways import TABLE, written
from tests.conftest import ROOT
from tests.support import each


def printed(folder: Path, seed: str) -> bytes:
    """All that a build of a project prints."""
    command = [sys.executable, "-m", "spokerender", "build", str(folder), "-o", "-"]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [*command, "--allow-project-code"], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@each("metapolicies", pytest.param("shop", marks=pytest.mark.weekly))
def test_an_example_is_the_same_whatever_the_seed(name: str) -> None:
    first, other = (printed(ROOT / "examples" / name, seed) for seed in ("0", "77"))
    assert other == first


@pytest.mark.weekly
@each(*TABLE)
def test_a_metapolicy_is_the_same_whatever_the_seed(way: str, tmp_path: Path) -> None:
    written(tmp_path, TABLE[way])
    first, other = (printed(tmp_path, seed) for seed in ("0", "77"))
    assert other == first
