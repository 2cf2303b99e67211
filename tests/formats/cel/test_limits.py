"""The growth that an expression can come to, estimated off its source."""

import pytest

from spokerender.formats.cel.costs import (
    BUDGET,
    MAX_WORK,
    bare,
    estimate_list_bytes,
    growth,
    iterations,
    scopes,
)
from spokerender.model.budget import BudgetSpentError
from tests.support.cases import cases, each


@cases(
    ("self.a == 1", 1),
    ("self + self", 2),
    ("self + self + self", 3),
    ("self.matches('a+b+')", 1),
    ('self.matches(r"""a+"b+""")', 1),
    ("true // a + b", 1),
    ("[self].all(x, x + x == '')", 2),
    ("[self].all(x, [x + x].all(y, y + y == ''))", 4),
    ("[self].map(x, x + x)", 20_000),
)
def test_growth_is_estimated_from_above(source: str, times: int) -> None:
    assert growth(source) == times


@each("'a + b'", '"a + b"', 'r"\\"', '"""a " + b"""', "'\\' + '")
def test_what_is_in_a_literal_is_no_code(literal: str) -> None:
    assert bare(f"x == {literal}") == 'x == ""'


def test_loops_are_counted_up_to_what_the_library_runs() -> None:
    source = "self.all(x, self.exists_one(y, y.map == x.map && y.name == '.all('))"
    assert scopes(source) == 2
    assert [iterations(loops, 5) for loops in (0, 1, 2, 9)] == [1, 5, 25, 10_000]


@cases(
    ("self.all(x, self.all(y, x == y))", 0),
    ("self.map(x, x.name).size() == 9", 100 * 100 * 64),
    ("self.filter(x, self.exists(y, y == x)) == []", 10_000 * 100 * 64),
)
def test_a_list_that_a_macro_makes_is_copied_with_each_item(source: str, bytes_: int) -> None:
    """The library keeps the copies until the evaluation ends."""
    assert estimate_list_bytes(source, scopes(source), 100) == bytes_


def test_the_budget_ends() -> None:
    BUDGET.refill()
    BUDGET.spend(MAX_WORK, "join()")
    with pytest.raises(BudgetSpentError, match=r"join\(\) takes more than the limit of 10,000,000"):
        BUDGET.spend(1, "join()")
    BUDGET.refill()
