"""A build that is ended while a function runs: the tree is old or new, and no process is left."""

import sys
from pathlib import Path

import pytest

from tests.support.ending import FAMILY, TIMES, end_at_any_moment
from tests.support.functions import program, quotas

FUNCTION = f"""
NOTES = "pids"
{FAMILY}
time.sleep(0.1)
answer(limits(config["spec"]["perMinute"]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")
@TIMES
def test_it_may_be_ended_at_any_moment(tmp_path: Path, times: int) -> None:
    folder = quotas(tmp_path / "project", "exec: {path: ./function}\n")
    program(folder, FUNCTION)
    end_at_any_moment(folder, times)
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]
