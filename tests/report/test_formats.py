"""The table of formats: a row is all that a new one needs."""

import re
import sys
from types import ModuleType

import pytest

from spokerender.findings.codes.hub import NO_NAMESPACE
from spokerender.report.formats import FORMATS, Format, offered, printer
from spokerender.report.reports import (
    BuildReport,
    CheckReport,
    FindingsReport,
    Look,
    Report,
    StatusReport,
)
from tests.support import cases

EVERY = [(name, kind) for name, form in FORMATS.items() for kind in form.printers]


@cases(*EVERY, ids=[f"{form}-{kind.__name__}" for form, kind in EVERY])
def test_every_row_names_something_that_prints(form: str, kind: type[Report]) -> None:
    assert callable(printer(kind, form))


def test_every_report_can_be_read_by_people_and_by_programs() -> None:
    kinds = {kind for _, kind in EVERY}
    assert kinds == set(Report.__subclasses__())
    for kind in kinds:
        names = offered(kind)
        assert "json" in names
        assert next(iter(names)) in {"text", "table"}, "the default"


def test_what_a_command_offers() -> None:
    assert list(offered(CheckReport)) == ["text", "json", "github", "sarif", "junit", "codequality"]
    assert list(offered(BuildReport)) == ["text", "json"]
    assert list(offered(StatusReport)) == ["table", "json", "yaml"]


def test_a_format_is_a_module_and_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    teamcity = ModuleType("spokerender.report.teamcity")

    def findings_teamcity(report: Report, _: Look) -> str:
        return ",".join(result.code for result in report.results)

    teamcity.findings_teamcity = findings_teamcity  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, teamcity.__name__, teamcity)
    row = Format(
        "for TeamCity", dict.fromkeys((FindingsReport, CheckReport), "teamcity:findings_teamcity")
    )
    others = list(offered(CheckReport))
    monkeypatch.setitem(FORMATS, "teamcity", row)
    assert list(offered(CheckReport)) == [*others, "teamcity"]
    report = FindingsReport(results=[NO_NAMESPACE.result("it has none")])
    assert printer(FindingsReport, "teamcity")(report, Look()) == "SR1006"


def test_a_meaning_fits_into_a_sentence() -> None:
    assert all(re.fullmatch(r"[a-z][^.]*", form.meaning) for form in FORMATS.values())
