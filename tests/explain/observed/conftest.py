"""The command `status --from`, run on exports of an example."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from spokerender.cli import run
from tests.conftest import ROOT
from tests.support.exports import Export, make_exports, write_exports

EXAMPLE = "one-gateway-two-spokes"
Exports = dict[str, Export]
Status = Callable[..., tuple[int, str, list[str]]]


@pytest.fixture
def exports() -> Exports:
    """Those of the example, as they are expected."""
    return make_exports(ROOT / "examples" / EXAMPLE)


@pytest.fixture
def status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Status:
    """Run the command; return its exit status, what it printed, and the findings."""

    def ask(exports: Exports, *more: str, example: str = EXAMPLE) -> tuple[int, str, list[str]]:
        write_exports(tmp_path / "x", exports)
        capsys.readouterr()
        code = run(
            ["status", str(ROOT / "examples" / example), "--from", str(tmp_path / "x"), *more]
        )
        out, err = capsys.readouterr()
        findings = re.findall(r"^(?:\S+: )?(?:error|warning) (SR\d+ .*)$", err, re.MULTILINE)
        return code, out, findings

    return ask
