"""The law of reviews: every difference is in each format, or counted there as left out."""

import json
import re

import pytest
from msgspec.structs import replace

from spokerender.findings.examples import CodeMeaning
from spokerender.report import markdown
from spokerender.report.formats import printer
from spokerender.report.reports import Look, ReviewReport
from tests.support import each
from tests.support.reviews import consequence, difference, printed, review

NUMBER = 120
REASON = "kustomization.yaml that only follow"


def name(number: int) -> str:
    return f"change{number:04}x"


@pytest.fixture(scope="module")
def report() -> ReviewReport:
    whole = review([consequence()], [difference(name(n)) for n in range(NUMBER)])
    return replace(whole, review=replace(whole.review, left_out={REASON: 7}))


@each("text", "json")
def test_all_are_in_it(form: str, report: ReviewReport) -> None:
    text = printed(report, form)
    assert all(name(number) in text for number in range(NUMBER))
    assert REASON in text
    assert "7" in text


@each(4_000, 8_000, 16_000, 32_000, 65_536)
def test_a_comment_counts_what_it_has_no_room_for(
    limit: int, report: ReviewReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markdown, "LIMIT", limit)
    text = printed(report, "markdown")
    shown = sum(name(number) in text for number in range(NUMBER))
    tail = text[text.rfind("**Left out**") :] if "**Left out**" in text else ""
    counted = re.findall(r"([\d,]+) of [\d,]+ under “Changes”", text)
    assert shown + sum(int(number.replace(",", "")) for number in counted) >= NUMBER
    assert f"7 {REASON}" in tail.replace("`", "")
    assert len(text.encode()) <= limit or limit < 8_000


def test_a_page_counts_what_it_has_no_room_for() -> None:
    many = review([], [difference(name(n), new="y" * 2_000) for n in range(1_500)])
    many = replace(many, review=replace(many.review, left_out={REASON: 7}))
    text = printed(many, "html")
    section = text[text.index('<section id="changes"') :]
    section = section[: section.index("</section>")]
    shown = sum(name(number) in section for number in range(1_500))
    (more,) = re.findall(r"([\d,]+) changed", re.sub(r"<[^>]*>", "", section))[-1:] or ["0"]
    assert shown < 1_500
    assert shown + int(more.replace(",", "")) == 1_500
    assert f"7 {REASON}" in text


@each("codequality", "sarif", "junit", "github")
@each(0, 1)
def test_formats_of_findings_count_the_differences(
    count: int, form: str, report: ReviewReport
) -> None:
    own = replace(
        report, review=replace(report.review, consequences=report.review.consequences[:count])
    )
    text = _print_findings(own, form)
    assert f"not in this format: {NUMBER} differences and 7 {REASON}" in text
    none = replace(own, review=replace(own.review, changes=(), left_out={}))
    assert "not in this format" not in _print_findings(none, form)
    if form in ("codequality", "sarif"):
        json.loads(text)


def _print_findings(report: ReviewReport, form: str) -> str:
    look = Look(meanings=lambda: {"SR1909": CodeMeaning("it asks less", "read it")})
    return printer(ReviewReport, form)(report, look)
