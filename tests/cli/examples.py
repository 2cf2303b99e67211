"""The repository's examples, asked as a user asks them, and answers that stand beside the tests."""

from pathlib import Path

import pytest

from tests.cli.project import Done, Shell
from tests.conftest import ROOT

NAMES = sorted(path.name for path in (ROOT / "examples").iterdir() if path.is_dir())
SHOP = "examples/shop"


def ask(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> Done:
    """Run a command at the top of the repository; it must find nothing wrong."""
    monkeypatch.chdir(ROOT)
    done = Shell(ROOT, capsys).run(*arguments)
    assert (done.status, done.err) == (0, "")
    return done


def compare(path: Path, text: str, *, update: bool) -> None:
    """Compare with what is committed; `update` writes it anew instead."""
    if update:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
