"""Counting and listing."""

from __future__ import annotations

import pytest

from spokerender.findings.words import count, joined, listed, on_spokes

NAMES = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (1, "file", "1 file"),
        (0, "file", "0 files"),
        (1200, "spoke", "1,200 spokes"),
        (2, "policy", "2 policies"),
    ],
)
def test_how_many(number: int, noun: str, said: str) -> None:
    assert count(number, noun) == said


def test_a_list_is_cut_and_says_how_much_is_missing() -> None:
    assert listed(NAMES) == "a, b, c, d"
    assert listed(NAMES, 3) == "a, b, c and 1 more"
    assert listed(range(5000), 1) == "0 and 4,999 more"
    assert listed([]) == ""


def test_a_sentence_joins_with_and() -> None:
    assert joined(NAMES) == "a, b, c and d"
    assert joined(NAMES[:1]) == "a"
    assert joined(NAMES, 2) == "a, b and 2 more"
    assert joined(NAMES, 4) == "a, b, c and d"


def test_where() -> None:
    assert on_spokes(["eu"]) == "on eu"
    assert on_spokes(["_fleet"]) == "in _fleet"
    assert on_spokes(["eu", "us"]) == "on 2 spokes: eu, us"
    assert on_spokes(["eu", "us"], 2) == "on all 2 spokes"
    assert on_spokes([*NAMES, "e", "f"], 7) == "on 6 spokes: a, b, c, d, e and 1 more"
