"""A review as Markdown: within GitHub's size, with everything shown or counted."""

import re
from typing import Any

from hypothesis import Phase, given, settings, strategies as st
from msgspec.structs import replace

from spokerender.findings.results import Severity
from spokerender.report.markdown import LIMIT, MARK, measure
from tests.support import each, rows_of
from tests.support.inert import is_inert
from tests.support.profiles import examples
from tests.support.reviews import consequence, difference, policy, printed, review, whole

ADDED = 300
"""The letters of a link and a mark that the workflow which posts a review adds below it."""
BREAKING: list[Any] = rows_of(__file__, "breaking")


def test_a_small_review_has_everything() -> None:
    text = printed(whole(), "markdown")
    assert text.startswith(f"{MARK}\n## Review: 1 error, 1 warning and 1 info on 6 spokes\n")
    assert "Left out" not in text
    assert "shortened" not in text
    for part in ("### Consequences", "### Stricter than before", "### Changes", "```diff"):
        assert part in text
    assert "  - so named by 1 object: AuthPolicy `shop/cart`\n" in text
    assert "- moved `AuthPolicy shop/before to AuthPolicy shop/now` on 3 spokes" in text


@each(*BREAKING)
def test_hub_text_is_inert(text: str) -> None:
    items = [consequence(text, spokes=["s0000"]), consequence(text * 30, Severity.WARNING)]
    for few in (items, items[:1]):
        assert is_inert(printed(review(few, [difference(text)]), "markdown"))


def test_a_table_has_the_worst_of_each_cause_for_a_first_look() -> None:
    text = printed(whole(), "markdown")
    table = text.partition("\n| ")[2].partition("\n\n")[0].splitlines()[2:]
    where = "`HTTPRoute shop/nobody is asked any more [rule-1]` | all 6 spokes"
    by = "`hub/nobody is asked any more.yaml:3`"
    what = "nobody is asked any more"
    assert table[0] == f"| ❌ | {what}: `{what}` → `{what}` | {where} | {by} |"
    assert [row[:4] for row in table] == ["| ❌ ", "| ⚠️", "| 💡 "]
    assert text.index(table[1]) < text.index("### Consequences")


def test_entries_to_copy_stand_in_a_block_of_their_own() -> None:
    item = consequence("gone", spokes=["s0000"])
    cure = "if that is meant, add to fleet.yaml:\nspec:\n  deletions: []\n"
    text = printed(review([replace(item, result=replace(item.result, cure=cure))]), "markdown")
    lines = [
        "- if that is meant, add to `fleet.yaml`:",
        "  ```yaml",
        "  spec:",
        "    deletions: []",
    ]
    assert "".join(f"  {line}\n" for line in [*lines, "  ```"]) in text
    assert is_inert(text)


ENTRY = re.compile(r"^(?:  )?- (?:⚠️|changed) ", re.MULTILINE)


@settings(max_examples=examples(15, house=4), deadline=None, phases=[Phase.generate])
@given(st.integers(0, 900), st.integers(0, 900), st.sampled_from(["x", "y" * 300, "💡" * 100]))
def test_it_fits_and_counts_what_it_leaves_out(alarms: int, changes: int, text: str) -> None:
    report = review(
        [consequence(text, Severity.WARNING, ["s0001"], number) for number in range(1, alarms + 1)],
        [difference(f"{text}{number}") for number in range(changes)],
    )
    printed_text = printed(report, "markdown")
    assert measure(printed_text) <= LIMIT - ADDED
    parts = re.split(r"^### ", printed_text, flags=re.MULTILINE)
    by_title = {part.split("\n")[0]: len(re.findall(ENTRY, part)) for part in parts}
    for title, number in (("Consequences", alarms), ("Changes", changes)):
        left = re.findall(rf"([\d,]+) of [\d,]+ under “{title}”", printed_text)
        missing = sum(int(each.replace(",", "")) for each in left)
        assert by_title.get(title, 0) + missing == number
    if "Left out" in printed_text:
        assert "spokerender review --format html" in printed_text


def test_what_has_no_room_for_a_line_is_summed_up_in_a_table() -> None:
    kinds = ["AuthPolicy", "RateLimitPolicy"]
    every = [f"s{number:04}" for number in range(6)]
    changes = [
        replace(difference("y" * 300 + str(i), every[: 1 + i % 6]), ref=policy("y" * 300, kind))
        for i, kind in enumerate(kinds * 400)
    ]
    text = printed(review(changes=changes), "markdown")
    assert measure(text) <= LIMIT
    rows = re.findall(r"^\| changed `(\w+)` \| (\d+) \| (.*?) \| `", text, re.MULTILINE)
    assert sorted(kind for kind, _, _ in rows) == kinds
    lines = len(re.findall(r"^- changed", text, re.MULTILINE))
    assert sum(int(number) for _, number, _ in rows) + lines == 800
    assert {where for _, _, where in rows} == {"5", "all 6"}
    assert measure(text) > LIMIT - 8_000, "no room is kept for tables of sections without entries"
    assert "\n\n\n" not in text
    assert f"**Only summed up in a table**: {800 - lines} of 800 under “Changes”" in text
    assert is_inert(text)


def test_more_sorts_than_a_table_has_room_for_are_counted() -> None:
    changes = [
        replace(difference("y" * 300 + str(i)), ref=policy("y" * 300, f"Kind{i}"))
        for i in range(900)
    ]
    text = printed(review(changes=changes), "markdown")
    assert measure(text) <= LIMIT
    summed, left = re.findall(r"([\d,]+) of 900 under “Changes”", text)
    lines = len(re.findall(r"^- changed", text, re.MULTILINE))
    assert int(summed) + int(left) + lines == 900
    assert len(re.findall(r"^\| changed `Kind", text, re.MULTILINE)) == int(summed) > 5
    assert is_inert(text)


def test_nothing_to_say() -> None:
    assert "## Review: no consequence" in printed(review(), "markdown")
