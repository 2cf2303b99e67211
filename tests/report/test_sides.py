"""Both sides of a change: what differs is there, however long the text is that it is in."""

from hypothesis import given, settings, strategies as st

from spokerender.formats.comparing import Change
from spokerender.report.sides import compare_sides, write_diff
from tests.support.profiles import examples

AT = ("data", "text")


@settings(max_examples=examples(60, house=20), deadline=None)
@given(st.integers(2, 3_000), st.data())
def test_a_line_that_changes_in_a_long_text_is_shown(length: int, data: st.DataObject) -> None:
    lines = [f"line {number}" for number in range(length)]
    at = data.draw(st.integers(0, length - 1))
    other = [*lines[:at], "another", *lines[at + 1 :]]
    rows = compare_sides([Change(AT, "\n".join(lines), "\n".join(other))])
    changed = [(row.old, row.new) for row in rows if not row.is_equal]
    assert [(str(old).strip(), str(new).strip()) for old, new in changed] == [
        (f"line {at}", "another")
    ]
    assert len(rows) < 20


def test_what_is_left_out_of_a_text_is_counted() -> None:
    lines = [f"line {number}" for number in range(100)]
    text = "\n".join([*lines, "old", *lines])
    rows = compare_sides([Change(AT, text, text.replace("old", "new"))])
    assert [line.strip() for line in write_diff(rows)] == [
        "data:",
        "text: |-",
        "# … 97 equal lines",
        "line 97",
        "line 98",
        "line 99",
        "-     old",
        "+     new",
        "line 0",
        "line 1",
        "line 2",
        "# … 97 equal lines",
    ]


def test_a_newline_at_the_end_of_a_text_is_a_difference() -> None:
    rows = compare_sides([Change(AT, "a\nb", "a\nb\n")])
    assert [row for row in rows if not row.is_equal]


def test_lines_that_are_left_out_say_that_they_differ() -> None:
    old, new = ({f"key-{number}": value for number in range(500)} for value in ("a", "b"))
    for other, says in ((new, True), ({**old, "key-0": "b"}, False)):
        last = compare_sides([Change(("spec",), old, other)])[-1]
        assert str(last.new).startswith("# … 301 more lines") is True
        assert str(last.new).endswith(", which differ") is says
