"""Programs that are run as users and their runners run them: with our own first on the path."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.live.building import MissingError, program
from tests.support.profiles import is_weekly

BIN = Path(sys.executable).parent
SECONDS = 300
"""What `make weekly` may wait for Go, the first time; two cores build kustomize in one minute."""


def installed(name: str) -> str:
    """A program of others: as it is here, or as Go built it for `make live` or `make weekly`.

    Raises:
        pytest.skip.Exception: there is neither, and why.

    """
    try:
        return shutil.which(name) or program(name, SECONDS if is_weekly() else 0)
    except MissingError as error:
        pytest.skip(str(error))


def ran(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with nothing else in its environment."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=folder,
        env={"PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
