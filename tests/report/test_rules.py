"""The table of rules, for people and for programs."""

import json
import re

import pytest

from spokerender.edge.carried import carried_meanings
from spokerender.findings.codes.table import FINDING_KINDS, HUNDREDS
from spokerender.findings.examples import CodeMeaning, Examples
from spokerender.findings.results import ERROR, FindingKind
from spokerender.report import rules
from spokerender.report.reports import Look, RulesReport
from spokerender.report.rules import rules_json
from tests.support import each, rows_of

NONE = Examples({}, {"SR": "none is written"})


def report_of(*codes: str, **more: CodeMeaning) -> RulesReport:
    meanings = {**carried_meanings(), **more}
    return RulesReport(codes=codes, examples=NONE, meanings=meanings)


def rules_text(*codes: str, color: bool = False, width: int = 80) -> str:
    return rules.rules_text(report_of(*codes), Look(color=color, width=width))


def test_rules_are_told_by_what_they_are_about() -> None:
    assert rules_text("SR1101", "SR1005", "SR1006", width=72) == rows_of(
        __file__, "rules_are_told_by_what_they_are_about"
    )


def test_without_a_code_all_are_told() -> None:
    text = rules_text(width=100)
    assert re.findall(r"^SR\d{4}", text, re.MULTILINE) == [kind.code for kind in FINDING_KINDS]
    assert all(f"{about} (" in text for about in HUNDREDS)


@each(40, 72, 100, 200)
def test_a_line_is_no_longer_than_the_terminal_unless_a_word_is(width: int) -> None:
    lines = rules_text(width=width).splitlines()
    indented = [line for line in lines if line.startswith((" ", "SR"))]
    assert [line for line in indented if len(line) > width and " " in line[17:].strip()] == []


def test_a_very_narrow_terminal_is_no_reason_to_fail() -> None:
    assert rules_text(width=1)


def test_colours_are_plain_ansi_and_only_when_asked_for() -> None:
    assert "\x1b" not in rules_text()
    colored = rules_text("SR1001", color=True)
    assert colored.startswith("\x1b[1mThe hub's files and objects (SR10xx)\x1b[0m\n")
    assert "SR1001  \x1b[1;31merror\x1b[0m    a hub file" in colored


def test_tags_are_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = FindingKind("SR9901", ERROR, (("level", "MUST"), ("source", "GEP-713")))
    report = report_of("SR9901", SR9901=CodeMeaning("a meaning", "Mend it."))
    monkeypatch.setattr(rules, "HUNDREDS", {"Tests": (kind,)})
    assert "\n                 level: MUST; source: GEP-713\n" in rules.rules_text(report, Look())
    (found,) = json.loads(rules_json(report, Look()))["rules"]
    assert found["tags"] == {"level": "MUST", "source": "GEP-713"}


def test_as_json() -> None:
    found = json.loads(
        rules_json(
            RulesReport(
                codes=("SR1999", "SR1902", "SR1005"), examples=NONE, meanings=carried_meanings()
            ),
            Look(),
        )
    )["rules"]
    assert [rule["code"] for rule in found] == ["SR1005", "SR1902"]
    assert found[1] == rows_of(__file__, "as_json")
    assert len(json.loads(rules_json(report_of(), Look()))["rules"]) == len(FINDING_KINDS)
