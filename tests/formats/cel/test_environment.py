"""Evaluating: what holds, what fails, what can't be judged, and what must not exhaust us."""

from typing import Any

import pytest

from spokerender.formats import cel
from tests.support import case, cases, each, rows_of


def outcome(source: str, value: Any = None) -> bool | str | cel.Failure | None:
    return cel.compile_rule(source).evaluate(cel.bind(value))


@cases(*rows_of(__file__, "an_expression_comes_to"))
def test_an_expression_comes_to(source: str, value: Any, expected: object) -> None:
    assert outcome(source, value) == expected


@cases(*rows_of(__file__, "a_failure_is_a_value_with_the_reason"))
def test_a_failure_is_a_value_with_the_reason(source: str, value: Any, words: str) -> None:
    found = outcome(source, value)
    assert isinstance(found, cel.Failure)
    assert words in found.message


@each(*rows_of(__file__, "what_does_not_compile_is_told_not_passed_over"))
def test_what_does_not_compile_is_told_not_passed_over(source: str) -> None:
    with pytest.raises(cel.UnevaluableError, match=r".+"):
        cel.compile_rule(source)


@cases(
    case("nested loops", "self.all(a, self.all(b, self.all(c, a + b + c > 0)))", [1] * 200),
    case("doubling texts", "['ab']" + ".map(x, x + x)" * 25 + ".size() > 0", None),
    case("doubling lists", "[[1]]" + ".map(x, x + x)" * 25 + ".size() > 0", None),
    case(
        "doubling in nested macros",
        "['ab'].all(a, [a + a].all(b, [b + b].all(c, [c + c].all(d, [d + d + d + d].all(e, "
        "[e+e+e+e+e+e+e].all(f, [f+f+f+f+f+f].all(g, [g+g+g+g+g].all(h, [h+h+h+h+h+h+h].all(i,"
        "[i+i+i+i+i+i+i+i].all(j, j == ''))))))))))",
        None,
    ),
    case("replace", "self" + ".replace('a', 'aaaaaaaaaa')" * 9 + " == ''", "a" * 100),
    case("join", "['a', 'a'].join(self).size() > 0", "x" * 20_000_000),
    case("patterns in loops", "self.l.all(x, self.l.all(y, !self.a.matches('(x+)+y')))",
         {"a": "x" * 1_000_000, "l": list(range(99))}),
    case("copies in loops", "self.l.all(x, self.l.all(y, self.a.lowerAscii() != ''))",
         {"a": "x" * 1_000_000, "l": list(range(99))}),
    case("comparisons in loops", "self.l.all(x, self.l.all(y, self.m == self.m))",
         {"m": [{"k": str(i)} for i in range(10_000)], "l": list(range(99))}),
    case("parentheses", "(" * 200 + "true" + ")" * 200, None),
    case("regex size", "self.matches('((a{1,500}){1,500}){1,500}')", "a" * 50),
)  # fmt: skip
def test_a_hostile_expression_stops_at_once(source: str, value: Any) -> None:
    """Some refuse to compile, some to go on; a pattern that is too large is a failure."""
    try:
        found = outcome(source, value)
    except cel.UnevaluableError:
        return
    assert isinstance(found, cel.Failure) or found is True


def test_a_pattern_that_backtracks_elsewhere_takes_no_time() -> None:
    assert outcome("self.matches('^(a+)+$')", "a" * 5_000 + "b") is False


def test_sums_in_macros_are_no_danger_with_small_values() -> None:
    value = [{"a": 1}, {"b": 1}]
    source = "self.all(x, (has(x.a) ? 1 : 0) + (has(x.b) ? 1 : 0) + (has(x.c) ? 1 : 0) <= 1)"
    assert outcome(source, value) is True


def test_a_pattern_is_found_as_re2_finds_it() -> None:
    assert cel.matches_pattern("^(?i)abc$", "ABC")
    assert not cel.matches_pattern("^a$", "a\n")
    with pytest.raises(cel.UnevaluableError):
        cel.matches_pattern("(?=a)", "a")


@each(2**64, {"a": -(2**70)}, {"a": object()})
def test_a_value_that_the_library_does_not_take_is_no_failure_of_the_rule(value: Any) -> None:
    with pytest.raises(cel.UnevaluableError):
        outcome("self != 1", value)
