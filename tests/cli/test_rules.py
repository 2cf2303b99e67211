"""`spokerender rules`: what a code means, without a project."""

import json

import pytest

from spokerender.findings.codes.table import FINDING_KINDS
from tests.cli.project import Shell
from tests.support import each


def test_every_rule_is_told(empty: Shell) -> None:
    done = empty.pass_silently("rules")
    assert all(f"\n{kind.code}  {kind.severity}" in done.out for kind in FINDING_KINDS)


def test_some_are_told_in_any_case_and_order(empty: Shell) -> None:
    done = empty.pass_silently("rules", "sr1404", "SR1010")
    codes = [line[:6] for line in done.out.splitlines() if line.startswith("SR")]
    assert codes == ["SR1010", "SR1404"]
    assert empty.run("rules", "SR1010", "SR1404") == done


def test_lines_fit_the_terminal(empty: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    narrow = empty.run("rules", "SR1901").out
    prose, _, yaml = narrow.partition("given: ")  # which can't be wrapped
    assert yaml
    assert max(map(len, prose.splitlines())) <= 60
    monkeypatch.setenv("COLUMNS", "200")
    assert max(map(len, empty.run("rules").out.splitlines())) in range(90, 101)


def test_json(empty: Shell) -> None:
    done = empty.run("rules", "SR1010", "--format", "json")
    (kind,) = json.loads(done.out)["rules"]
    assert (done.status, kind["code"], kind["severity"]) == (0, "SR1010", "error")


@each("text", "json")
def test_an_unknown_code_is_wrong_input(form: str, empty: Shell) -> None:
    done = empty.run("rules", "SR1010", "SR18O1", "x", "--format", form)
    assert done.status == 2
    if form == "json":
        told = json.loads(done.out)["results"]
        assert [result["tags"]["code"] for result in told] == ["SR2005", "SR2005"]
        return
    assert done.out == ""
    assert done.err.splitlines() == [
        'error SR2005: no finding has the code "SR18O1"',
        '    did you mean "SR1801"?',
        'error SR2005: no finding has the code "X"',
        "    spokerender rules lists every code",
        "2 errors",
    ]
