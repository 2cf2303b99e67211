"""A review as Markdown: within GitHub's size, with everything shown or counted."""

from __future__ import annotations

import re

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from spokerender.findings.results import Severity
from spokerender.report.budget import measure
from spokerender.report.markdown import LIMIT, MARK
from tests.report.test_inert import prose
from tests.support.reviews import consequence, difference, printed, review, whole

BREAKING = [
    "<script>alert(1)</script>",
    "@everyone",
    "```\n# closed\n```",
    "](javascript:alert(1))",
    "a | b",
    "-->\n/close",
    "\x1b[31m\u202e",
]


def test_a_small_review_has_everything() -> None:
    text = printed(whole(), "markdown")
    assert text.startswith(f"{MARK}\n## Review: 1 error, 1 warning and 1 info on 6 spokes\n")
    assert "Left out" not in text
    assert "shortened" not in text
    for part in ("### Consequences", "### Stricter than before", "### Changes", "```diff"):
        assert part in text
    assert "  - but kept on `s0000 (placement.yaml:9)`\n" in text
    assert "  - so named by 1 object: AuthPolicy `shop/cart`\n" in text
    assert "- moved `AuthPolicy shop/before to AuthPolicy shop/now` on 3 spokes" in text


@pytest.mark.parametrize("text", BREAKING)
def test_hub_text_is_inert(text: str) -> None:
    report = review([consequence(text, spokes=["s0000"])], [difference(text)])
    lines = printed(report, "markdown").splitlines()
    fence = ""
    for line in lines[1:]:
        bare = line.strip()
        if fence:
            fence = "" if bare == fence else fence
            assert line.startswith("  "), "it belongs to its item"
            continue
        opened = re.fullmatch(r"(`{3,})\w*", bare)
        if opened:
            fence = opened[1]
            continue
        assert re.fullmatch(r"[\w #>'.,;:()!→❌⚠️💡“”-]*", prose(line)), line
    assert not fence


@settings(max_examples=15, deadline=None, phases=[Phase.generate])
@given(st.integers(0, 900), st.integers(0, 900), st.sampled_from(["x", "y" * 300, "💡" * 100]))
def test_it_fits_and_counts_what_it_leaves_out(alarms: int, changes: int, text: str) -> None:
    report = review(
        [consequence(text, Severity.WARNING, ["s0001"], number) for number in range(1, alarms + 1)],
        [difference(f"{text}{number}") for number in range(changes)],
    )
    printed_text = printed(report, "markdown")
    assert measure(printed_text) <= LIMIT
    parts = re.split(r"^### ", printed_text, flags=re.MULTILINE)
    by_title = {part.split("\n")[0]: len(re.findall(r"^- ", part, re.MULTILINE)) for part in parts}
    for title, number in (("Consequences", alarms), ("Changes", changes)):
        left = re.search(rf"([\d,]+) of [\d,]+ under “{title}”", printed_text)
        missing = int(left[1].replace(",", "")) if left else 0
        assert by_title.get(title, 0) + missing == number
    if "Left out" in printed_text:
        assert "spokerender review --format html" in printed_text


def test_nothing_to_say() -> None:
    assert "## Review: no consequence" in printed(review(), "markdown")
