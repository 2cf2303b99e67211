"""A review for people: consequences, then changes, in the width of the terminal."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from spokerender.report.formats import printer
from spokerender.report.reports import Look, ReviewReport
from tests.support.reviews import consequence, difference, printed, review, whole


def test_consequences_come_before_changes() -> None:
    lines = printed(whole(), "text").splitlines()
    assert lines[0] == "origin/main -> the working tree"
    assert lines[2].startswith("error SR1909 access: nobody is asked any more on all 6 spokes")
    assert lines[-1] == "consequences: 1 error, 1 warning and 1 info on 6 spokes"
    order = [lines.index(line) for line in lines if line.startswith(("error", "stricter", "moved"))]
    assert len(order) == 3
    assert order == sorted(order)


def test_infos_are_counted_unless_they_are_asked_for() -> None:
    quiet = printer(ReviewReport, "text")(whole(), Look())
    assert "another geo" not in quiet
    assert "1 info; -v prints them" in quiet
    assert "1 stricter change; -v prints them" in quiet
    assert "another geo" in printed(whole(), "text")


@pytest.mark.parametrize("width", [40, 60, 100])
def test_messages_fit_the_width(width: int) -> None:
    text = printed(review([consequence("words " * 60)]), "text", width=width)
    message = text.split("\n\n")[1].split(" -> ")[0].splitlines()[:-1]
    assert len(message) > 2
    assert max(map(len, message)) <= width


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_has_words_fits_the_width(width: int) -> None:
    item = replace(
        consequence("x"),
        was="a long value of many words " * 4,
        now="another " * 9,
        paths=(f"Gateway infra/{'g' * 20} [http] > HTTPRoute shop/{'r' * 20} [rule-1]",),
    )
    change = replace(difference(new="b" * 20), does="www.example.com /a on Gateway a/b; open " * 3)
    text = printed(review([item], [change]), "text", width=width)
    assert max(map(len, text.splitlines())) <= width, text


def test_a_source_is_below_what_has_no_room_beside_it() -> None:
    narrow, wide = (printed(whole(), "text", width=width) for width in (50, 400))
    assert "  (placement.yaml:9)\n" in wide
    assert "\n    > HTTPRoute" in narrow
    assert "\n    > HTTPRoute" not in wide


def test_nothing_changes() -> None:
    assert printed(review(), "text").endswith("\nnothing changes\n")
