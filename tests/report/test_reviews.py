"""A review for people: consequences, then changes, in the width of the terminal."""

import re

from msgspec.structs import replace

from spokerender.report.formats import printer
from spokerender.report.reports import Look, ReviewReport
from spokerender.review.changes.values import DifferenceKind
from tests.support import each
from tests.support.reviews import consequence, difference, place, policy, printed, review, whole


def test_consequences_come_before_changes() -> None:
    lines = printed(whole(), "text").splitlines()
    assert lines[0] == "changes from origin/main to the working tree"
    assert lines[2:4] == ["error SR1909 access: nobody is asked any more", "    on all 6 spokes"]
    assert lines[-1] == "consequences: 1 error, 1 warning and 1 info on 6 spokes"
    order = [lines.index(line) for line in lines if line.startswith(("error", "stricter", "moved"))]
    assert len(order) == 3
    assert order == sorted(order)


def test_infos_are_counted_unless_they_are_asked_for() -> None:
    quiet = printer(ReviewReport, "text")(whole(), Look())
    assert "another geo" not in quiet
    assert "1 info; -v prints it\n" in quiet
    assert "\nstricter SR" in quiet, "somebody is refused: that is no info"
    assert "another geo" in printed(whole(), "text")


@each(40, 60, 100)
def test_messages_fit_the_width(width: int) -> None:
    text = printed(review([consequence("words " * 60)]), "text", width=width)
    message = text.split("\n\n")[1].split(" -> ")[0].splitlines()[:-1]
    assert len(message) > 2
    assert max(map(len, message)) <= width


@each(60, 80, 120)
def test_what_has_words_fits_the_width(width: int) -> None:
    item = replace(
        consequence("x"),
        was="a long value of many words " * 4,
        now="another " * 9,
        places=(place("r" * 20, gateway="g" * 20),),
    )
    change = replace(
        difference(new="many words " * 9, folders=[f"spoke-of-a-long-name-{n}" for n in range(4)]),
        was=policy("of-a-long-name-that-it-had-before"),
        follows=(policy("a-long-name-that-follows"),) * 5,
    )
    report = review([item], [change, replace(change, kind=DifferenceKind.NEW_FOLDER)])
    told = replace(report.review, left_out={"files with nothing but the names of others " * 3: 8})
    text = printed(replace(report, review=told), "text", width=width)
    assert max(map(len, text.splitlines())) <= width, text


def test_what_comes_behind_a_thousand_lines_is_counted() -> None:
    report = review(
        [consequence("x", spokes=["s0001"], number=n) for n in range(1, 901)],
        [difference(f"y{n}") for n in range(10_000)],
    )
    text = printer(ReviewReport, "text")(report, Look())
    assert text.count("\n") < 2_100
    for noun, total, first in (("consequence", 900, "error "), ("difference", 10_000, "changed ")):
        (more,) = re.findall(rf"^and ([\d,]+) more {noun}s; -v prints them$", text, re.MULTILINE)
        shown = sum(line.startswith(first) for line in text.splitlines())
        assert 50 < shown == total - int(more.replace(",", ""))
    assert "10,000 differences (10,000 changed)" in text
    assert printed(report, "text").count("\nchanged ") == 10_000, "with -v"


def test_a_source_is_below_what_has_no_room_beside_it() -> None:
    narrow, wide = (printed(whole(), "text", width=width) for width in (50, 400))
    assert "\n      > HTTPRoute" in narrow
    assert "\n      > HTTPRoute" not in wide


def test_nothing_changes() -> None:
    assert printed(review(), "text").endswith("\nnothing changes\n")
