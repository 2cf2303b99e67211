"""What is made once for all workers, where a fixture would have each of them make it."""

import fcntl
import os
import pickle
from collections.abc import Callable
from typing import TypeVar

import pytest

Value = TypeVar("Value")


def share(factory: pytest.TempPathFactory, name: str, make: Callable[[], Value]) -> Value:
    """Return the value that `make` returned to the first worker; the others wait for it.

    It is pickled into the folder of this run.
    """
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    file = folder / f"{name}.pickle"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            file.write_bytes(pickle.dumps(make()))
        value: Value = pickle.loads(file.read_bytes())  # noqa: S301 - by this run
    return value
