"""Nothing that a name or a value says moves a terminal, commands a runner or forges a line."""

import json

import pytest

from spokerender.findings.codes.placement import BAD_VALUE
from spokerender.findings.results import Result
from spokerender.model import Origin, Ref
from spokerender.report.findings import findings_text
from spokerender.report.github import SHOWN_OF_A_STEP, findings_github
from spokerender.report.reports import FindingsReport, Look
from spokerender.report.serializing import report_json
from spokerender.report.terminal import Style, on_one_line, paint, printable
from tests.support import cases, each, rows_of

ATTACKS = {
    "escape": "\x1b[2J",
    "csi": "\x9b2J",
    "bell": "\a",
    "return": "\r",
    "delete": "\x7f",
    "next line": "\x85",
    "override": "\u202e",
    "isolate": "\u2066",
    "mark": "\u200f",
    "zero width": "\u200b",
    "line": "\u2028",
    "paragraph": "\u2029",
    "surrogate": "\ud800",
    "tag": "\U000e0041",
}
attacks = pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)


def everywhere(attack: str) -> Result:
    """A finding that says it in each of its texts."""
    return BAD_VALUE.result(
        f"a{attack}b",
        cure=f"c{attack}d",
        resource=Ref("g", f"K{attack}", "n", f"o{attack}"),
        field=f"spec{attack}",
        origin=Origin(f"hub/{attack}.yaml", 0, 1),
        spokes=(f"eu{attack}",),
    )


def one(result: Result, times: int = 1) -> FindingsReport:
    return FindingsReport(results=[result] * times)


@attacks
def test_the_findings_show_it_escaped(attack: str) -> None:
    for color in (False, True):
        told = findings_text(one(everywhere(attack)), Look(color=color, verbose=True))
        assert attack not in told
        assert f"a{attack.encode('unicode_escape').decode()}b" in told


@attacks
def test_so_do_annotations_and_what_is_told_below_them(attack: str) -> None:
    told = findings_github(one(everywhere(attack), SHOWN_OF_A_STEP + 1), Look())
    assert attack not in told
    told.encode()


@attacks
def test_json_says_the_same_with_escapes(attack: str) -> None:
    told = report_json(one(everywhere(attack)), Look())
    assert attack not in told
    assert json.loads(told)["results"][0]["message"] == f"a{attack}b"


def test_a_message_is_one_line_and_a_cure_has_no_more_than_its_own() -> None:
    forged = "x\nhub/a.yaml:1: error SR9999: forged"
    told = findings_text(one(everywhere(forged)), Look(verbose=True))
    assert not [line for line in told.splitlines() if line.startswith("hub/a.yaml")]


@each("::error::x", "  ::add-mask::x", "\t::stop-commands::x")
def test_no_line_is_a_command_of_the_runner(line: str) -> None:
    shown = printable(f"one\n{line}\nKind::name\n")
    assert not [each for each in shown.splitlines() if each.lstrip().startswith("::")]
    assert "Kind::name" in shown


def test_nor_has_one_the_old_form_of_a_command() -> None:
    assert printable("see ##[error]x") == "see \\x23#[error]x"


def test_properties_and_data_of_an_annotation_are_percent_escaped() -> None:
    told = findings_github(
        one(BAD_VALUE.result("50%\r\nx", origin=Origin("a,b:\n::error.yaml"))), Look()
    )
    assert told.startswith("::error file=a%2Cb%3A%0A%3A%3Aerror.yaml,line=1,")
    assert told.partition("\n")[0].endswith("::50%25%0D%0Ax")


def test_our_own_colours_stay_where_there_are_colours() -> None:
    red = paint("wrong", Style.RED, color=True)
    assert printable(red, color=True) == red
    assert "\x1b" not in printable(red)
    assert "\x1b" not in printable("\x1b[31;5m", color=True)


def test_what_people_write_stays_as_it_is() -> None:
    text = "Gänsefüßchen „…“ 日本 🙂\ta: b\n"
    assert printable(text) == text
    assert on_one_line("a\nb") == "a\\nb"
    assert on_one_line(text.replace("\n", " ")) == text.replace("\n", " ")


@cases(*rows_of(__file__, "letters_that_pass_for_latin_ones_are_named"))
def test_letters_that_pass_for_latin_ones_are_named(text: str, shown: str) -> None:
    """The issuer of a policy may be another one and look the same (UTS #39, mixed scripts)."""
    assert on_one_line(text) == shown == on_one_line(shown)
