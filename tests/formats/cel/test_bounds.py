"""Hostile expressions: what is read off their text is read once.

None of these asserts a time: each took minutes, so a relapse stops the run.
"""

from contextlib import nullcontext

import pytest

from spokerender.formats.cel.costs import BUDGET, MAX_WORK, Weights, bare
from spokerender.formats.cel.declaring import ANY
from spokerender.formats.cel.environment import UnevaluableError
from spokerender.formats.cel.library import LibraryProgram, compile_expression
from tests.support import cases, each

LONG = 200_000


@each('"', "'", '"""', "'''")
def test_a_literal_that_is_never_closed(opened: str) -> None:
    assert bare("a + " + opened + f"\\{opened[0]}" * LONG) == 'a + ""'


@each('"', "'", '"""', "'''")
def test_literals_and_comments_are_left_out(quote: str) -> None:
    assert bare(f"a + {quote}b.map(\\{quote[0]} {quote} + c // d\n") == 'a + "" + c \n'


@each(
    "spoke.long.map(each, each)",
    "spoke.long.map(each, each).map(each, each)",
    "strings.split(spoke.text, ',').map(each, each)",
    "[1].map(one, spoke.long.filter(each, each > 0))",
)
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


@cases(
    ("spoke.long.all(a, spoke.long.all(b, a + b >= 0))", 80 * 80),
    ("spoke.map.all(a, spoke.long.exists(b, b == 79))", 80 * 80),
    ("[1, 2, 3].all(a, [1, 2, 3].map(b, a + b).all(c, c > 0))", 3 * 3 * 2),
)
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
