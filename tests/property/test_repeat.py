"""Law of repetition: hash seed, locale, time zone and place change no byte of a rich project."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spokerender.cli import run
from tests.conftest import ROOT
from tests.support import each

COMMAND = ["build", str(ROOT / "examples" / "shop"), "-o", "-"]
TURKISH = {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}
NO_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
SURROUNDINGS = {
    "turkish-in-the-far-east": {**TURKISH, "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "7"},
    "no-locale": {**NO_LOCALE, "PYTHONHASHSEED": "12345"},
}


@each(*SURROUNDINGS)
def test_surroundings_change_nothing(
    name: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(COMMAND) == 0
    usual = capsysbinary.readouterr().out
    assert usual.count(b"\nkind: ") > 100
    command = [sys.executable, "-m", "spokerender", *COMMAND]
    surroundings = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **SURROUNDINGS[name]}
    other = subprocess.run(command, cwd=tmp_path, env=surroundings, check=True, capture_output=True)
    assert other.stdout == usual
