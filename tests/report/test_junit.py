"""FindingsReport as JUnit XML: valid by Jenkins' schema, a case for each object."""

from typing import Any

from spokerender.findings.codes.hub import MISSING_TARGET
from spokerender.findings.codes.placement import UNPLACED_GATEWAY
from spokerender.findings.codes.project import STALE
from spokerender.findings.results import Result
from spokerender.model import Origin, Ref
from spokerender.report.junit import findings_junit
from spokerender.report.reports import FindingsReport, Look
from tests.report.published import junit, junit_cases

AUTH = Ref("kuadrant.io", "AuthPolicy", "shop", "pay")


def missing(field: str = "spec.targetRef", message: str = "no Gateway shop/web") -> Result:
    return MISSING_TARGET.result(
        message, resource=AUTH, field=field, origin=Origin("hub/auth.yaml", 1, 12)
    )


def text(*results: Result, **look: Any) -> str:
    return findings_junit(FindingsReport(results=results, spokes=3), Look(**look))


def test_an_error_fails_the_case_of_its_object() -> None:
    assert junit_cases(text(missing())) == {
        ("hub/auth.yaml", "AuthPolicy shop/pay"): (
            "hub/auth.yaml:12: error SR1010 AuthPolicy shop/pay spec.targetRef: no Gateway shop/web"
        )
    }


def test_all_errors_of_an_object_are_one_failure() -> None:
    (failure,) = junit(text(missing("spec.a"), missing("spec.b"))).iter("failure")
    assert failure.attrib == {"message": "2 errors", "type": "SR1010"}
    assert (failure.text or "").count("SR1010") == 2


def test_a_warning_fails_nothing_and_is_told() -> None:
    warning = UNPLACED_GATEWAY.result("on no spoke", origin=Origin("hub/a.yaml", 0, 3))
    (case,) = junit(text(warning)).iter("testcase")
    assert case.find("failure") is None
    assert "hub/a.yaml:3: warning SR1404" in (case.findtext("system-out") or "")


def test_what_has_no_place_is_a_case_of_the_project() -> None:
    assert list(junit_cases(text(STALE.result("stale")))) == [("the project", "the project")]


def test_nothing_found_is_no_suite() -> None:
    assert len(junit(text())) == 0


def test_any_text_is_valid_xml() -> None:
    odd = "\x00\x1b]8;; ]]> <b>&\ud800\ufffe\u202e"
    (shown,) = junit_cases(text(missing(message=odd, field=odd))).values()
    assert "]]> <b>&" in shown
    assert "\\x00\\x1b" in shown
