"""Whole numbers. Source: sprig's numeric.go: everything is made an int64 first."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from spokerender.wings.publishing.gotemplates.problems import TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import Function
from spokerender.wings.publishing.gotemplates.values import Value

_BITS = 64


def _wrapped(value: int) -> int:
    """An int64 overflows silently."""
    half = 1 << (_BITS - 1)
    return (value + half) % (1 << _BITS) - half


def _fold(step: Callable[[int, int], int]) -> Callable[..., int]:
    return lambda first, *others: reduce(lambda a, b: _wrapped(step(a, b)), others, first)


def _div(one: int, other: int) -> int:
    if not other:
        message = "division by zero"
        raise TemplateProblem(message)
    return abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)


def _mod(one: int, other: int) -> int:
    return one - _div(one, other) * other


def _float(value: Value) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


FUNCTIONS = (
    Function("int", int, ("integer",)),
    Function("int64", int, ("integer",)),
    Function("float64", _float, ("any",)),
    Function("add", lambda *values: _wrapped(sum(values)), ("integer",), more=True),
    Function("add1", lambda value: _wrapped(value + 1), ("integer",)),
    Function("sub", lambda one, other: _wrapped(one - other), ("integer", "integer")),
    Function("mul", _fold(lambda a, b: a * b), ("integer", "integer"), more=True),
    Function("div", _div, ("integer", "integer")),
    Function("mod", _mod, ("integer", "integer")),
    Function("max", max, ("integer", "integer"), more=True),
    Function("min", min, ("integer", "integer"), more=True),
)
