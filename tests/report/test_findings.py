"""FindingsReport as people read them, and as programs do."""

import json
from textwrap import dedent

from msgspec.structs import replace

from spokerender.findings.codes.hub import EMPTY_HUB, MISSING_TARGET
from spokerender.findings.codes.placement import BAD_VALUE, UNPLACED_GATEWAY
from spokerender.findings.codes.shipping import ENTRY_DROPPED
from spokerender.findings.results import Result
from spokerender.findings.suppressions import suppress
from spokerender.model import Origin, Ref
from spokerender.report.findings import findings_text
from spokerender.report.reports import FindingsReport, Look
from spokerender.report.serializing import report_json
from tests.findings.test_suppressions import Entry
from tests.support import rows_of

AUTH = Ref("kuadrant.io", "AuthPolicy", "shop", "pay")
MISSING = MISSING_TARGET.result(
    "no Gateway shop/web",
    cure='did you mean "infra/web"?',
    resource=AUTH,
    field="spec.targetRef",
    origin=Origin("hub/auth.yaml", 1, 12),
)
EMPTY = EMPTY_HUB.result("the hub has no object", cure="put Gateways there")
UNPLACED = UNPLACED_GATEWAY.result("the Gateway is placed on no spoke", origin=Origin("hub/a.yaml"))


def dropped(*spokes: str) -> Result:
    return ENTRY_DROPPED.result(
        "the entry is dropped", resource=AUTH, origin=Origin("hub/a.yaml", 0, 3), spokes=spokes
    )


def text(*results: Result, verbose: bool = False, spokes: int | None = None) -> str:
    return findings_text(FindingsReport(results=results, spokes=spokes), Look(verbose=verbose))


def data(*results: Result) -> str:
    return report_json(FindingsReport(results=results), Look())


def test_nothing_found_is_nothing_told() -> None:
    assert text() == ""


def test_errors_come_first_then_by_place() -> None:
    assert text(UNPLACED, MISSING, EMPTY) == rows_of(__file__, "errors_come_first_then_by_place")


def test_findings_in_one_file_come_by_line_not_by_digit() -> None:
    found = [
        BAD_VALUE.result("odd", origin=Origin("placement.yaml", 0, line)) for line in (10, 9, 100)
    ]
    lines = [line.partition(": ")[0] for line in text(*found).splitlines()[:-1]]
    assert lines == ["placement.yaml:9", "placement.yaml:10", "placement.yaml:100"]


def test_infos_are_told_when_asked_for() -> None:
    assert text(dropped("eu"), MISSING) == rows_of(__file__, "infos_are_told_when_asked_for")
    assert text(dropped("eu"), dropped("us")).splitlines()[0] == "2 infos not shown; -v shows them"
    assert text(dropped("eu"), verbose=True) == dedent("""\
        hub/a.yaml:3: info SR1503 AuthPolicy shop/pay: the entry is dropped
            on eu
        1 info
        """)


def test_spokes_are_listed_as_far_as_that_helps() -> None:
    many = [f"s{number:03}" for number in range(200)]

    def spokes_line(*names: str, spokes: int | None = None) -> str:
        return text(dropped(*names), verbose=True, spokes=spokes).splitlines()[1].strip()

    assert spokes_line("a", "b", "c", spokes=4) == "on 3 spokes: a, b, c"
    assert spokes_line(*many, spokes=200) == "on all 200 spokes"
    assert spokes_line(*many) == "on 200 spokes: s000, s001, s002, s003, s004 and 195 more"
    assert spokes_line("a", spokes=1) == "on a"


def test_colours_are_plain_ansi_and_only_when_asked_for() -> None:
    colored = findings_text(FindingsReport(results=[UNPLACED]), Look(color=True))
    assert colored.splitlines()[0] == (
        "\x1b[1mhub/a.yaml:1: \x1b[0m\x1b[1;33mwarning\x1b[0m SR1404: "
        "the Gateway is placed on no spoke"
    )
    assert "\x1b" not in text(UNPLACED, MISSING, EMPTY)


def test_json_has_the_words_of_the_krm_functions_specification() -> None:
    found = json.loads(data(dropped("eu", "us"), MISSING, EMPTY))
    assert found == rows_of(__file__, "json_has_the_words_of_the_krm_functions_specification")


def test_json_ends_in_a_line_feed_and_keeps_letters_readable() -> None:
    told = data(BAD_VALUE.result("Köln"))
    assert told.endswith("}\n")
    assert "Köln" in told


def test_the_tags_of_a_finding_stand_beside_its_code() -> None:
    tagged = replace(EMPTY, tags=(("level", "MUST"), ("source", "GEP-713")))
    (found,) = json.loads(data(tagged))["results"]
    assert found["tags"] == {
        "code": "SR1004",
        "cure": "put Gateways there",
        "level": "MUST",
        "source": "GEP-713",
    }


def test_a_suppressed_finding_says_why_when_infos_are_told() -> None:
    (found,) = suppress([MISSING], [Entry(code="SR1010", reason="made by hand")])
    assert text(found).splitlines()[0] == "1 info not shown; -v shows it"
    assert text(found, verbose=True) == rows_of(
        __file__, "a_suppressed_finding_says_why_when_infos_are_told"
    )
    (value,) = json.loads(data(found))["results"]
    assert (value["severity"], value["tags"]["suppressed"]) == ("info", "made by hand")
