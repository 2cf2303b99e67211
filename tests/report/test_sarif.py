"""FindingsReport as SARIF: valid by OASIS' schema, at the line somebody wrote."""

import json
from typing import Any

from msgspec.structs import replace

from spokerender.edge.carried import carried_meanings
from spokerender.findings.codes.hub import MISSING_TARGET
from spokerender.findings.codes.shipping import ENTRY_DROPPED, UNKNOWN_BASE
from spokerender.findings.results import Result
from spokerender.findings.suppressions import suppress
from spokerender.model import Origin, Ref
from spokerender.report.reports import FindingsReport, Look
from spokerender.report.sarif import MOST_RESULTS, findings_sarif
from tests.findings.test_suppressions import Entry
from tests.report.published import sarif

MEANINGS = carried_meanings()
LOOK = Look(meanings=carried_meanings)
AUTH = Ref("kuadrant.io", "AuthPolicy", "shop", "pay")


def missing(line: int = 12, path: str = "hub/auth.yaml", **more: Any) -> Result:
    return MISSING_TARGET.result(
        "no Gateway shop/web",
        cure='did you mean "infra/web"?',
        resource=AUTH,
        field="spec.targetRef",
        origin=Origin(path, 1, line),
        **more,
    )


def told(*results: Result, **look: Any) -> list[dict[str, Any]]:
    return sarif(
        findings_sarif(
            FindingsReport(results=results, spokes=3), Look(meanings=carried_meanings, **look)
        )
    )


def place(result: dict[str, Any]) -> dict[str, Any]:
    (location,) = result["locations"]
    found: dict[str, Any] = location["physicalLocation"]
    return found


def test_a_finding_is_a_result_at_its_line() -> None:
    (found,) = told(missing(spokes=("eu", "us")))
    assert (found["ruleId"], found["level"]) == ("SR1010", "error")
    assert found["message"]["text"] == (
        'no Gateway shop/web\non 2 spokes: eu, us\ndid you mean "infra/web"?'
    )
    assert place(found) == {
        "artifactLocation": {"uri": "hub/auth.yaml"},
        "region": {"startLine": 12},
    }
    (logical,) = found["locations"][0]["logicalLocations"]
    assert logical["fullyQualifiedName"] == "AuthPolicy shop/pay spec.targetRef"
    assert found["properties"] == {"spokes": ["eu", "us"]}


def test_a_column_is_told_where_there_is_one() -> None:
    (found,) = told(MISSING_TARGET.result("odd", origin=Origin("hub/a.yaml", 0, 3, 7)))
    assert place(found)["region"] == {"startLine": 3, "startColumn": 7}


def test_a_rule_links_to_its_section_where_the_page_is_known() -> None:
    look = replace(LOOK, documentation=lambda: "https://docs.example/findings")
    report = FindingsReport(results=[missing()])
    texts = [findings_sarif(report, each) for each in (look, LOOK)]
    rules = [json.loads(text)["runs"][0]["tool"]["driver"]["rules"][0] for text in texts]
    assert [rule.get("helpUri") for rule in rules] == ["https://docs.example/findings#sr1010", None]


def test_a_rule_says_what_it_means_once() -> None:
    text = findings_sarif(
        FindingsReport(results=[missing(1), missing(2)]), Look(meanings=carried_meanings)
    )
    (rule,) = json.loads(text)["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "SR1010"
    assert rule["shortDescription"]["text"] == MEANINGS[MISSING_TARGET.code].meaning
    assert rule["help"]["text"] == MEANINGS[MISSING_TARGET.code].mend


def test_nothing_found_is_a_run_without_results() -> None:
    assert told() == []


def test_infos_are_notes_when_asked_for() -> None:
    info = ENTRY_DROPPED.result("dropped", origin=Origin("hub/a.yaml", 0, 3))
    assert told(info) == []
    assert [each["level"] for each in told(info, verbose=True)] == ["note"]


def test_what_has_no_place_is_told_of_the_whole_project() -> None:
    (found,) = told(UNKNOWN_BASE.result("no such revision"))
    assert place(found) == {"artifactLocation": {"uri": "."}}


def test_a_path_is_a_uri() -> None:
    (odd,) = told(missing(path="./hub/a b%.yaml"))
    (absolute,) = told(missing(path="/srv/hub/a b.yaml"))
    assert place(odd)["artifactLocation"] == {"uri": "hub/a%20b%25.yaml"}
    assert place(absolute)["artifactLocation"] == {"uri": "file:///srv/hub/a%20b.yaml"}


def test_a_fingerprint_outlives_another_line_and_another_spoke() -> None:
    prints = {
        str(each["partialFingerprints"])
        for each in told(missing(1), missing(9, spokes=("eu",)), missing(1, path="hub/b.yaml"))
    }
    assert len(prints) == 2


def test_an_accepted_finding_has_the_reason() -> None:
    accepted = suppress([missing()], [Entry(code="SR1010", reason="it is a demo")])
    (found,) = told(*accepted, verbose=True)
    assert found["suppressions"] == [{"kind": "external", "justification": "it is a demo"}]


def test_any_text_is_valid_json() -> None:
    (found,) = told(MISSING_TARGET.result("\x1b[31m \ud800 \u202e"))
    assert found["message"]["text"].startswith("\x1b[31m")


def test_a_report_of_thousands_has_the_errors_first_and_says_what_it_leaves_out() -> None:
    many = (ENTRY_DROPPED.result(f"dropped {i}") for i in range(MOST_RESULTS))
    log = findings_sarif(
        FindingsReport(results=(*many, missing(), missing(13)), spokes=3),
        replace(LOOK, verbose=True),
    )
    found = sarif(log)
    assert len(found) == MOST_RESULTS
    assert [result["level"] for result in found].count("error") == 2
    (invocation,) = json.loads(log)["runs"][0]["invocations"]
    (note,) = invocation["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("2 more findings are not in this report")
