"""Conditions are compared by what `&&` and `||` join."""

from typing import Any

from spokerender.judging.effective.conditions import compare_conditions
from tests.support import cases


@cases(
    ("a && b", "a", "all", -1),
    ("a", "a || b", "all", -1),
    ("a || b && c", "(a || b) && (a || c)", "all", 0),
    ("(a || b) && c", "c && a", "all", 1),
    (["a && b"], ["b", "a"], "all", 0),
    (["a || b"], ["b", "a"], "any", 0),
    (["a && b"], ["b", "a"], "any", -1),
    ([{"predicate": "a"}], [{"any": [{"predicate": "a"}, {"predicate": "b"}]}], "all", -1),
    ([{"all": [{"predicate": "a"}, {"selector": "x"}]}], [{"selector": "x"}], "all", -1),
    ("a == 'x'", 'a  ==  "x" // the same', "all", 0),
    ("a == 'x y'", "a == 'xy'", "all", None),
    ("a == 'x && y'", "a == 'x '", "all", None),
    ("a && b ? c : d", "a", "all", None),
    ("f(a && b)", "f(a)", "all", None),
    ("a", "b", "all", None),
    (" && ".join(f"(a{i} || b{i})" for i in range(9)), "a0 || b0", "all", -1),
    (" || ".join(f"(a{i} && b{i})" for i in range(9)), "a0 && b0", "all", None),
)
def test_fewer_requests_fulfil_more_conditions(
    old: Any, new: Any, joining: Any, expected: int | None
) -> None:
    assert compare_conditions(old, new, joining) == expected
    assert compare_conditions(new, old, joining) == (None if expected is None else -expected)
