"""Expressions that make a value: base CEL, without the libraries that Kubernetes adds.

As in cel-go over decoded JSON, every number is a double: `value + 42` has no overload, and
`value + 42.0` has. What comes out is JSON again, whole numbers as such.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from cel_expr_python import cel

from spokerender.formats.cel.costs import MAX_SOURCE, growth, scopes
from spokerender.formats.cel.environment import Program, UnevaluableError, first_line

_EXACT = 1 << 53
"""Above it a double would not be the number that is written: it stays an integer."""


def computed(source: str, values: Mapping[str, Any]) -> Any:  # noqa: ANN401  (JSON of any shape)
    """What an expression over JSON values comes to: JSON data.

    Raises:
        UnevaluableError: it is none, fails, costs too much, or comes to what is no JSON.

    """
    program = _compiled(source, tuple(sorted(values)))
    decoded = {name: _decoded(value) for name, value in values.items()}
    program.check(repr(decoded))
    try:
        value = program.expression.eval(data=decoded)
    except RuntimeError as error:
        raise UnevaluableError(first_line(str(error))) from error
    if value.type() == cel.Type.ERROR:
        raise UnevaluableError(first_line(str(value.plain_value())))
    return _encoded(value.plain_value())


@lru_cache(maxsize=1024)
def _compiled(source: str, names: tuple[str, ...]) -> Program:
    if len(source) > MAX_SOURCE:
        message = f"it is longer than {MAX_SOURCE:,} characters"
        raise UnevaluableError(message)
    try:
        expression = _environment(names).compile(source)
    except RuntimeError as error:
        raise UnevaluableError(first_line(str(error))) from error
    return Program(source, expression, growth(source), scopes(source), is_calling=False)


def check_expression(source: str, names: tuple[str, ...]) -> None:
    """Read an expression of these names; raises `UnevaluableError`, with the reason."""
    _compiled(source, tuple(sorted(names)))


@cache
def _environment(names: tuple[str, ...]) -> cel.Env:
    return cel.NewEnv(variables=dict.fromkeys(names, cel.Type.DYN))


def _decoded(value: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    if isinstance(value, Mapping):
        return {key: _decoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _EXACT:
        return float(value)
    return value


def _encoded(value: Any) -> Any:  # noqa: ANN401  (whatever CEL makes)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _encoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encoded(item) for item in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= _EXACT else value
    if value is None or isinstance(value, str | bool | int):
        return value
    message = "it comes to something that JSON has no word for"
    raise UnevaluableError(message)
