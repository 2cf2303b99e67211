"""Texts within a size."""

from hypothesis import given, strategies as st

from spokerender.report.markdown import choose_forms, measure

PIECES = st.lists(
    st.lists(st.text(max_size=20), min_size=1, max_size=4).map(lambda forms: ["", *forms]),
    max_size=12,
)


@given(PIECES, st.integers(0, 300))
def test_all_forms_fit_and_none_had_room_for_more(pieces: list[list[str]], limit: int) -> None:
    chosen = choose_forms(pieces, limit)
    total = sum(measure(forms[level]) for forms, level in zip(pieces, chosen, strict=True))
    assert total <= limit
    if limit >= sum(max(map(measure, forms)) for forms in pieces):
        assert chosen == [len(forms) - 1 for forms in pieces]


def test_everybody_gets_a_line_before_somebody_gets_two() -> None:
    assert choose_forms([["", "a", "aaaa"], ["", "b", "bbbb"]], 5) == [2, 1]
    assert choose_forms([["", "a", "aaaa"], ["", "b", "bbbb"]], 2) == [1, 1]
    assert choose_forms([["", "aaa", "aaaa"], ["", "b", "bbbb"]], 2) == [0, 1]


def test_an_emoji_counts_as_two() -> None:
    assert (measure("a❌"), measure("💡")) == (2, 2)
