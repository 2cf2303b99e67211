"""Hostile expressions: what is read off their text is read once.

None of these asserts a time: each took minutes, so a relapse stops the run.
"""

from contextlib import nullcontext

import pytest

from spokerender.formats.cel.costs import BUDGET, MAX_WORK, Weights, bare
from spokerender.formats.cel.declaring import ANY
from spokerender.formats.cel.environment import UnevaluableError
from spokerender.formats.cel.library import LibraryProgram, compile_expression
from tests.support import cases, each, rows_of

LONG = 200_000


@each('"', "'", '"""', "'''")
def test_a_literal_that_is_never_closed(opened: str) -> None:
    assert bare("a + " + opened + f"\\{opened[0]}" * LONG) == 'a + ""'


@each('"', "'", '"""', "'''")
def test_literals_and_comments_are_left_out(quote: str) -> None:
    assert bare(f"a + {quote}b.map(\\{quote[0]} {quote} + c // d\n") == 'a + "" + c \n'


@each(*rows_of(__file__, "a_list_that_is_made_is_copied_with_each_item"))
def test_a_list_that_is_made_is_copied_with_each_item(expression: str) -> None:
    program = compile_expression(expression, {"spoke": ANY})
    assert isinstance(program, LibraryProgram)
    for count in (2_000, 5_000):
        values = {"spoke": {"long": list(range(count)), "text": "a," * count}}
        is_bearable = count**2 < MAX_WORK
        refused = pytest.raises(UnevaluableError, match="costs too much")
        with nullcontext() if is_bearable else refused:
            program.evaluate(values)
        assert BUDGET.spent >= min(count**2, MAX_WORK)


@cases(*rows_of(__file__, "the_steps_of_loops_in_loops_are_counted"))
def test_the_steps_of_loops_in_loops_are_counted(expression: str, least: int) -> None:
    program = compile_expression(expression, {"spoke": ANY})
    assert isinstance(program, LibraryProgram)
    values = {"spoke": {"long": list(range(80)), "map": {str(i): i for i in range(80)}}}
    assert program.evaluate(values) is True
    assert BUDGET.spent >= least * 40


def test_what_is_read_is_weighed_once() -> None:
    long = list(range(1_000))
    data = {"a": {"b": long}, "c": "text"}
    assert Weights().of(data) > len(long)
    weights = Weights()
    assert weights.of(data) == weights.of(data)
    long.append(1)  # it is not looked at again
    assert weights.of(data) == weights.of({**data})
