"""Conditions are compared by what `&&` and `||` join."""

from typing import Any

from spokerender.judging.effective.conditions import compare_conditions
from tests.support import cases, rows_of


@cases(*rows_of(__file__, "fewer_requests_fulfil_more_conditions"))
def test_fewer_requests_fulfil_more_conditions(
    old: Any, new: Any, joining: Any, expected: int | None
) -> None:
    assert compare_conditions(old, new, joining) == expected
    assert compare_conditions(new, old, joining) == (None if expected is None else -expected)
