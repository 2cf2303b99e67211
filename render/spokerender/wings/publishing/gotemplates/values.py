"""The values of templates: what is true, what is alike, and how each is printed.

Go's own types are int, float64, string, bool, nil, list and map; here they are Python's. What
JSON reads as a whole number is an int, and stays one: after a mutation upstream has float64s and
prints 1000000 as `1e+06`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from msgspec import Struct

from spokerender.wings.publishing.gotemplates.problems import TemplateProblem

Value: TypeAlias = Any
"""None, bool, int, float, str, list, dict with string keys, or a `Record`."""

MAX_MADE = 1_000_000
"""Characters that one text may have, and that a template may print."""
_SMALLEST, _LARGEST = -4, 6


class Record(Struct, frozen=True, eq=False):
    """A struct of Go's: names that it does not have are an error; what can be called is a method.

    `text` is what it is printed as, where it can be.
    """

    name: str
    fields: Mapping[str, Value | Callable[..., Value]]
    text: str | None = None


def is_true(value: Value) -> bool:
    """What `if` goes by: zero, empty, false and nil are not true, a struct always is."""
    return True if isinstance(value, Record) else bool(value)


def printed(value: Value) -> str:
    """What `{{ }}` and `print` make of a value (`fmt`'s %v)."""
    match value:
        case str():
            text = value
        case None:
            text = "<nil>"
        case bool():
            text = "true" if value else "false"
        case float():
            text = number(value)
        case list():
            text = "[" + " ".join(map(printed, value)) + "]"
        case dict():
            text = "map[" + " ".join(f"{key}:{printed(value[key])}" for key in sorted(value)) + "]"
        case Record(text=str(shown)):
            text = shown
        case Record():
            message = f"{value.name} as a whole can't be printed"
            raise TemplateProblem(message)
        case _:
            text = str(value)
    return text


def number(value: float) -> str:
    """A float64 as %v has it: with an exponent below 1e-4 and from 1e+06 on."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)  # noqa: S101  (JSON has no infinity)
    if digits == (0,):
        return "-0" if sign else "0"
    point = exponent + len(digits) - 1
    if _SMALLEST <= point < _LARGEST:
        return format(Decimal(repr(value)).normalize(), "f")
    mantissa = "".join(map(str, digits))
    mantissa = mantissa[0] + ("." + mantissa[1:] if mantissa[1:] else "")
    return f"{'-' if sign else ''}{mantissa}e{'-' if point < 0 else '+'}{abs(point):02d}"


def type_name(value: Value) -> str:
    """A value's type, as Go calls it."""
    if isinstance(value, Record):
        return value.name
    names = {bool: "bool", int: "int", float: "float64", str: "string", list: "list", dict: "map"}
    return names.get(type(value), "nil")


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    raise TemplateProblem(
        "invalid value; expected string"
        if value is None
        else f"wrong type for value; expected string; got {type_name(value)}"
    )


def _whole(value: Value) -> int:
    """An integer where Go's parameter is one: a constant without a fraction will do."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    message = f"wrong type for value; expected int; got {type_name(value)}"
    raise TemplateProblem(message)


def as_int(value: Value) -> int:
    """What sprig's `int64` makes of a value (spf13/cast): of what is no number, 0."""
    if isinstance(value, bool | int | float):
        return int(value)
    if isinstance(value, str):
        try:
            return int(value, 0)
        except ValueError:
            return 0
    return 0


def _list(value: Value) -> list[Value]:
    if isinstance(value, list):
        return value
    message = f"expected a list; got {type_name(value)}"
    raise TemplateProblem(message)


def _map(value: Value) -> dict[str, Value]:
    if isinstance(value, dict):
        return value
    message = f"wrong type for value; expected map; got {type_name(value)}"
    raise TemplateProblem(message)


def _any(value: Value) -> Value:
    return value


CONVERTED: Mapping[str, Callable[[Value], Value]] = {
    "any": _any,
    "integer": as_int,
    "list": _list,
    "map": _map,
    "string": _text,
    "whole": _whole,
}
"""What each word of a parameter takes, and what it makes of it."""


def weight(value: Value) -> int:
    """How many values are in a value, itself included. Raises `TemplateProblem` for too many."""
    count, waiting = 0, [value]
    while waiting:
        here = waiting.pop()
        count += 1
        bounded(count)
        if isinstance(here, list):
            waiting += here
        elif isinstance(here, dict):
            waiting += here.values()
    return count


def bounded(size: int) -> None:
    """Refuse to make a text of so many characters. Raises `TemplateProblem`."""
    if size > MAX_MADE:
        message = f"it would make more than {MAX_MADE:,} characters"
        raise TemplateProblem(message)
