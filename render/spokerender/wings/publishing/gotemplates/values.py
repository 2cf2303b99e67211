"""The values of templates: their truth, their text, and the types of parameters.

Go's types int, float64, string, bool, nil, list and map are Python's types here.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any, NoReturn, TypeAlias

from msgspec import Struct

GoValue: TypeAlias = Any
"""None, bool, int, float, str, list, dict with string keys, or a `GoStruct`."""

MAX_OUTPUT = 1_000_000
"""The most characters of a text, and of the output of a template."""
_MIN_POINT, _MAX_POINT = -4, 6


class GoTemplateError(Exception):
    """A template can't be read or rendered; the text gives the reason."""


class MissingValueError(GoTemplateError):
    """A template would print a value that does not exist."""


def reject_template(message: str) -> NoReturn:
    """Raise `GoTemplateError` with this message."""
    raise GoTemplateError(message)


class TemplateFunction(Struct, frozen=True, dict=True):
    """A function that templates can call: a row of a table.

    `signature` has the types of the arguments, by their names in `CONVERSIONS`. Brackets mark an
    optional argument, and `…` means that the last argument may be repeated.
    """

    name: str
    call: Callable[..., Any]
    signature: str

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The types of the arguments; the last type is repeated if the function is variadic."""
        return tuple(name.strip("[]") for name in self.signature.removesuffix(" …").split())

    @property
    def is_variadic(self) -> bool:
        """True if the last parameter takes any number of arguments."""
        return self.signature.endswith("…")

    @property
    def optional(self) -> int:
        """The number of parameters at the end that may be left out."""
        return self.signature.count("[")


class GoStruct(Struct, frozen=True, eq=False):
    """A Go struct: access to an unknown field is an error, and callable fields are methods.

    `text` is the printed form; a struct without a text can't be printed.
    """

    name: str
    fields: Mapping[str, GoValue | Callable[..., GoValue]]
    text: str | None = None


def is_truthy(value: GoValue) -> bool:
    """Return whether a value is true in `if`: all except zero, false, nil and empty values are."""
    return True if isinstance(value, GoStruct) else bool(value)


def format_value(value: GoValue) -> str:
    """Format a value as `{{ }}` and `print` do (%v of fmt)."""
    match value:
        case str():
            text = value
        case None:
            text = "<nil>"
        case bool():
            text = "true" if value else "false"
        case float():
            text = format_float(value)
        case list():
            text = "[" + " ".join(map(format_value, value)) + "]"
        case dict():
            pairs = (f"{key}:{format_value(value[key])}" for key in sorted(value))
            text = "map[" + " ".join(pairs) + "]"
        case GoStruct(text=str(struct_text)):
            text = struct_text
        case GoStruct():
            reject_template(f"{value.name} can't be printed as a whole")
        case _:
            text = str(value)
    return text


def format_float(value: float) -> str:
    """Format a float64 as %v does: with an exponent below 1e-4 and from 1e+06 on."""
    # A whole number in JSON is an int and never gets here. Upstream makes it a float64 in a
    # mutation, and then prints 1000000 as 1e+06.
    number = Decimal(repr(value)).normalize()
    if not number or _MIN_POINT <= number.adjusted() < _MAX_POINT:
        return format(number, "f")
    mantissa, _, exponent = format(number, "e").partition("e")
    return f"{mantissa}e{int(exponent):+03d}"


def name_go_type(value: GoValue) -> str:
    """Return the name of a value's type in Go."""
    if isinstance(value, GoStruct):
        return value.name
    names = {bool: "bool", int: "int", float: "float64", str: "string", list: "list", dict: "map"}
    return names.get(type(value), "nil")


def _require(expected: str, python_type: type) -> Callable[[GoValue], GoValue]:
    def check(value: GoValue) -> GoValue:
        if isinstance(value, python_type) and not isinstance(value, bool):
            return value
        reject_template(f"wrong type for value; expected {expected}; got {name_go_type(value)}")

    return check


CONVERSIONS: Mapping[str, Callable[[GoValue], GoValue]] = {
    "any": lambda value: value,
    "list": _require("list", list),
    "string": _require("string", str),
    "whole": _require("int", int),
}
"""The types of parameters: each function returns an argument of its type, or refuses it."""


def check_size(size: int) -> None:
    """Raise `GoTemplateError` for a size of more than `MAX_OUTPUT` characters or values."""
    if size > MAX_OUTPUT:
        reject_template(f"the result has more than {MAX_OUTPUT:,} characters or values")
