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
from spokerender.formats.cel.environment import UnevaluableError
from spokerender.formats.cel.library import compile_expression
from spokerender.model.budget import BudgetSpentError
from tests.support import cases, each, rows_of


@cases(*rows_of(__file__, "growth_is_estimated_from_above"))
def test_growth_is_estimated_from_above(source: str, times: int) -> None:
    assert growth(source) == times


@cases(*rows_of(__file__, "items_that_are_written_out_are_copied_for_functions"))
def test_items_that_are_written_out_are_copied_for_functions(source: str, times: int) -> None:
    assert growth(source, copies_lists=True) == times


def test_a_text_that_a_function_makes_has_a_length() -> None:
    program = compile_expression(
        "strings.join(names, between)", {"names": "list(dyn)", "between": "dyn"}
    )
    assert not isinstance(program, tuple)
    assert program.evaluate({"names": ["a", "b"], "between": "-"}) == "a-b"
    with pytest.raises(UnevaluableError, match="a text of more than 65,536 characters"):
        program.evaluate({"names": [""] * 9, "between": "x" * 9000})


def _nested(depth: int) -> str:
    """An expression in which each of several loops makes a text ten times as long."""
    inner = f"x{depth} == text"
    for number in range(depth, 0, -1):
        tenfold = " + ".join([f"x{number - 1}"] * 10)
        inner = f"[{tenfold}].all(x{number}, {inner})"
    return f"[text].all(x0, {inner})"


@each(
    _nested(4),
    "[text].all(a, strings.join([" + ",".join("a" * 2000) + "].map(b, b + a), text) == '')",
    ids=range(2),
)
def test_texts_that_double_each_other_are_refused_before_they_are_made(source: str) -> None:
    program = compile_expression(source, {"text": "string"})
    assert not isinstance(program, tuple)
    with pytest.raises(UnevaluableError, match="more data than is allowed"):
        program.evaluate({"text": "x" * 300_000})


@each(22, 24, 26, 28, 40)
def test_a_chain_of_macros_is_evaluated_or_refused(depth: int) -> None:
    maps = "".join(f".map(x{i}, x{i})" for i in range(depth))
    program = compile_expression(f"[1]{maps} == [1]", {})
    if isinstance(program, tuple):
        assert program[0].message == "it is nested too deeply"
    else:
        assert program.evaluate({}) is True


@each("'a + b'", '"a + b"', 'r"\\"', '"""a " + b"""', "'\\' + '")
def test_what_is_in_a_literal_is_no_code(literal: str) -> None:
    assert bare(f"x == {literal}") == 'x == ""'


def test_loops_are_counted_up_to_what_the_library_runs() -> None:
    source = "self.all(x, self.exists_one(y, y.map == x.map && y.name == '.all('))"
    assert scopes(source) == 2
    assert [iterations(loops, 5) for loops in (0, 1, 2, 9)] == [1, 5, 25, 10_000]


@cases(*rows_of(__file__, "a_list_that_a_macro_makes_is_copied_with_each_item"))
def test_a_list_that_a_macro_makes_is_copied_with_each_item(source: str, bytes_: int) -> None:
    """The library keeps the copies until the evaluation ends."""
    assert estimate_list_bytes(source, scopes(source), 100) == bytes_


def test_the_budget_ends() -> None:
    BUDGET.refill()
    BUDGET.spend(MAX_WORK, "join()")
    with pytest.raises(BudgetSpentError, match=r"join\(\) takes more than the limit of 10,000,000"):
        BUDGET.spend(1, "join()")
    BUDGET.refill()
