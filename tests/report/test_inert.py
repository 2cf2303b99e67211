"""Texts of others in Markdown: nothing of them is a link, a mention, HTML or a command."""

import re

from hypothesis import given, strategies as st

from spokerender.report.markdown import code_span, fenced, inert, table_cell
from spokerender.report.terminal import on_one_line
from tests.support import cases, each, rows_of
from tests.support.inert import is_inert

SPAN = re.compile(r"(`+)(?!`)(.*?[^`])\1(?!`)")
NASTY = st.text(alphabet="ab `|@#<>[]()!/:*_~\\\n-.&", max_size=40)


def prose(text: str) -> str:
    """What is left of a line without its code (CommonMark: code spans)."""
    return SPAN.sub("", text)


@given(NASTY)
def test_prose_is_plain_words(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9 \"'.,;:()→-]*", prose(inert(text)))
    assert not re.search(r"\S[.:]\S", prose(inert(text)))


@given(NASTY)
def test_a_span_has_the_whole_text(text: str) -> None:
    span = SPAN.fullmatch(code_span(text))
    assert span is not None
    assert span[2].strip() == on_one_line(text).strip()


@given(st.lists(NASTY, max_size=5))
def test_nothing_in_a_fence_closes_it(lines: list[str]) -> None:
    first, *inner, last = fenced(lines, "diff")
    ticks = re.match("`+", first)
    assert ticks is not None
    assert last == ticks[0]
    assert len(inner) == len(lines)
    assert not any(ticks[0] in line for line in inner)


@cases(*rows_of(__file__, "names_become_code"))
def test_names_become_code(text: str, expected: str) -> None:
    assert inert(text) == expected


@given(NASTY)
def test_a_cell_is_code_without_a_bar(text: str) -> None:
    cell = table_cell(text)
    assert SPAN.fullmatch(cell) is not None
    assert "|" not in cell


@each(*rows_of(__file__, "the_oracle_sees_what_is_not_inert"))
def test_the_oracle_sees_what_is_not_inert(text: str) -> None:
    assert not is_inert(text)


def test_a_bar_in_code_outside_a_table_is_inert() -> None:
    assert is_inert("- matches `a|b` on all 3 spokes")
