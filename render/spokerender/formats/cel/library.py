"""CEL with the topology library: Kuadrant's functions, and further functions of ours.

`self`, its types and its functions are the operator's (kuadrant-operator v1.5.2, `pkg/cel/ext`). As
there, optionals and the extension of strings are missing; `strings.` and `url.` have bounded
functions of ours. Results are sorted, and nothing depends on map order
(`spokerender.formats.cel.checked`).
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from cel_expr_python import cel
from google.protobuf.message import DecodeError
from msgspec import Struct

from spokerender.formats.cel import checked, declaring
from spokerender.formats.cel.checked import Call, ExpressionFault
from spokerender.formats.cel.costs import BUDGET, MAX_MADE, MAX_SOURCE, WEIGHTS, growth, list_growth
from spokerender.formats.cel.environment import UnevaluableError, evaluate_over, first_line
from spokerender.formats.cel.messages import is_message
from spokerender.formats.cel.syntax import say_plainly
from spokerender.model.shapes import is_unicode

_LINE = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): (.*)")
_TOO_DEEP = re.compile("MaxDepth|max recursion depth|Cannot parse serialized")
"""Errors for an expression that is nested too deeply for the library or, with guards, protobuf."""
_OUTSIDE = re.compile(r"Index error: index=(-?\d+) size=\d+")


class LibraryProgram(Struct, frozen=True, eq=False):
    """A valid expression. `returns` is the name of its type.

    `calls` are the functions that it calls, `paths` the fields of its variables that it reads.
    """

    source: str
    returns: str
    calls: frozenset[Call]
    paths: frozenset[tuple[str, ...]]
    expression: cel.Expression
    growth: int
    is_keeping: bool

    @property
    def names(self) -> frozenset[str]:
        """Return the variables that the expression reads."""
        return frozenset(path[0] for path in self.paths)

    def evaluate(self, values: Mapping[str, Any], library: declaring.Library | None = None) -> Any:  # noqa: ANN401
        """Return the value of the expression: JSON data or messages.

        Raises `UnevaluableError` if it fails, costs too much, or has a value that is neither.
        """
        if self.growth > 1:  # it could make gigabytes, by the size of the values that it reads
            size = len(self.source) + sum(WEIGHTS.of(values[n]) for n in self.names if n in values)
            if self.growth * size * (size if self.is_keeping else 1) > MAX_MADE:
                raise UnevaluableError("it could make more data than is allowed here")
        BUDGET.refill()
        declaring.CURRENT_LIBRARY.library = library
        try:
            return _data(evaluate_over(self.expression, values, _told))
        finally:
            declaring.CURRENT_LIBRARY.library = None


def compile_expression(
    source: str, names: Mapping[str, str]
) -> LibraryProgram | tuple[ExpressionFault, ...]:
    """Return a compiled expression, or its faults; `names` has the type of each variable."""
    return _compiled(source, tuple(sorted(names.items())))


@lru_cache(maxsize=4096)
def _compiled(
    source: str, names: tuple[tuple[str, str], ...]
) -> LibraryProgram | tuple[ExpressionFault, ...]:
    if len(source) > MAX_SOURCE:
        return (ExpressionFault(f"it is longer than {MAX_SOURCE:,} characters", 1, 1),)
    if not is_unicode(source):
        return (ExpressionFault("it has bytes that are not UTF-8", 1, 1),)
    declared = declaring.environment(names)
    try:
        expression = declared.compile(source)
        returns = declaring.name_of(expression.return_type())
        inspection = checked.inspect_expression(expression.serialize(), declaring.QUESTIONS)
        if inspection.serialized is not None and not inspection.faults:
            expression = declared.deserialize(inspection.serialized)
    except (DecodeError, RuntimeError) as error:
        return _faults(str(error))
    if inspection.faults:
        return inspection.faults
    return LibraryProgram(
        source,
        returns,
        inspection.calls,
        inspection.paths,
        expression,
        growth(source, copies_lists=True),
        list_growth(source) > 1,
    )


def _told(text: str) -> str:
    """Return an error of the library in the words of cel-go."""
    line = _OUTSIDE.sub(r"index out of bounds: \1", first_line(text))
    return line.removeprefix("OUT_OF_RANGE: ").removesuffix(" [INVALID_ARGUMENT]")


def _faults(text: str) -> tuple[ExpressionFault, ...]:
    faults = tuple(
        ExpressionFault(
            say_plainly(match[3].replace(" (in container '')", "")), int(match[1]), int(match[2])
        )
        for match in _LINE.finditer(text)
        if int(match[1]) > 0 and "'*error*'" not in match[3]
    )
    message = "it is nested too deeply" if _TOO_DEEP.search(text) else first_line(text)
    return faults or (ExpressionFault(message, 1, 1),)


def _data(value: Any) -> Any:  # noqa: ANN401  (whatever CEL makes)
    if value is None or isinstance(value, str | bool | int | float) or is_message(value):
        return value
    if isinstance(value, list):
        return [_data(item) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _data(value[key]) for key in sorted(value)}
    raise UnevaluableError("it comes to something that JSON has no word for")
