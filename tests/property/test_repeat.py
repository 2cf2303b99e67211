"""Law of repetition: hash seed, locale, time zone and place change no byte of a rich project."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spokerender.cli import run
from tests.conftest import ROOT

COMMAND = ["build", str(ROOT / "examples" / "shop"), "-o", "-"]
TURKISH = {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}
NO_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
SURROUNDINGS = (
    {**TURKISH, "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "7"},
    {**NO_LOCALE, "PYTHONHASHSEED": "12345"},
)


def test_surroundings_change_nothing(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(COMMAND) == 0
    usual = capsysbinary.readouterr().out
    assert usual.count(b"\nkind: ") > 100
    command = [sys.executable, "-m", "spokerender", *COMMAND]
    common = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    for own in SURROUNDINGS:
        done = subprocess.run(
            command, cwd=tmp_path, env=common | own, check=True, capture_output=True
        )
        assert done.stdout == usual, own
