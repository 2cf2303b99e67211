"""Regular expressions: Go's answers, its replacements, and what hostile ones may cost."""

import json
from pathlib import Path

import pytest

from spokerender.formats import regexes
from tests.support import each

_CASES = json.loads(
    (Path(__file__).parents[1] / "wings/publishing/go/regexes.json").read_text(encoding="utf-8")
)


@each(*_CASES["cases"], ids=repr)
def test_replacing_is_as_in_go(case: list[str]) -> None:
    pattern, text, replacement, expected = case
    assert regexes.compile_pattern(pattern).replace(text, replacement) == expected


@each("(", "a**", "(?=a)", r"\1", r"\C", r"x\\\C", r"\Z", "a" * 2000)
def test_what_go_does_not_take_is_refused(pattern: str) -> None:
    with pytest.raises(regexes.PatternError):
        regexes.compile_pattern(pattern)


def test_a_backslash_before_an_escape_is_no_escape() -> None:
    assert regexes.compile_pattern(r"\\C").replace(r"a\C", "x") == "ax"


def test_what_hardly_means_what_was_meant_is_told() -> None:
    doubts = regexes.compile_pattern("(.+)").find_doubts
    assert list(doubts(r"foo-\1")) == [r"\1 is literal text in Go; the group is written ${1}"]
    assert list(doubts("$1x")) == [
        "$1x names no group and is replaced by nothing; did you mean ${1}x?"
    ]
    assert list(doubts("$n")) == ["$n names no group and is replaced by nothing"]
    assert not list(doubts("$1 ${1}x $0 $$"))


def test_what_a_replacement_makes_is_bounded() -> None:
    with pytest.raises(regexes.PatternError, match="more than"):
        regexes.compile_pattern("(.*)").replace("a" * 100_000, "$1" * 100)
    with pytest.raises(regexes.PatternError, match="more than"):
        regexes.compile_pattern("a").replace("a" * 1_000_001, "")


def test_a_pattern_that_others_backtrack_on_for_ever_is_done_at_once() -> None:
    pattern = regexes.compile_pattern("(a*)*b")
    assert pattern.replace("a" * 100_000, "x") == "a" * 100_000
