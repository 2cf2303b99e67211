"""The function `format()` of the newest extension of strings (cel-go, `ext/formatting_v2.go`)."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from math import copysign, isfinite, isnan
from typing import Any, NoReturn

from cel_expr_python import cel

from spokerender.formats.cel.costs import BUDGET
from spokerender.formats.cel.functions import NOT_HERE, CelValue, charge_text
from spokerender.formats.cel.inspecting import CLAUSE, list_clauses

_MOST_DIGITS = 1_000
_PRECISION = 6


def format_text(pattern: str, values: Sequence[CelValue]) -> str:
    """Fill the clauses of a text. Raises ValueError where a value does not fit."""
    clauses = list_clauses(charge_text(pattern))
    if clauses is None or len(clauses) > len(values):
        message = "format: a clause is none, or has no value"
        raise ValueError(message)
    written = iter([_write(verb, digits, value) for (verb, digits), value in zip(clauses, values)])  # noqa: B905  (more values are ignored)
    return CLAUSE.sub(lambda match: "%" if match["plain"] else next(written), pattern)


def _write(verb: str, digits: int | None, value: CelValue) -> str:
    if digits is not None and digits > _MOST_DIGITS:
        message = f"so many digits: {NOT_HERE}"
        raise ValueError(message)
    text = _VERBS[verb](verb, _PRECISION if digits is None else digits, value)
    BUDGET.spend(len(text), "format()")
    return text


def _write_any(_verb: str, _digits: int, value: CelValue) -> str:
    return _write_value(value)


def _write_value(value: CelValue) -> str:
    """Write a value as `%s` does. Raises ValueError for one that has no text."""
    if isinstance(value, Mapping):
        entries = sorted((_write_value(key), _write_value(item)) for key, item in value.items())
        return "{" + ", ".join(f"{key}: {item}" for key, item in entries) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_write_value, value)) + "]"
    if isinstance(value, cel.Type):
        message = f"the name of a type: {NOT_HERE}"
        raise ValueError(message)  # noqa: TRY004  (CEL reports it as an error)
    write = _TEXTS.get(type(value).__name__)
    return _refuse("s", value) if write is None else write(value)


def _write_double(value: float) -> str:
    """Write a number in full, with as many digits as tell it from others."""
    if not isfinite(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    text = f"{Decimal(repr(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _seconds(duration: CelValue) -> float:
    """Return the seconds of a duration as Go adds them up."""
    whole = duration.days * 86_400 + duration.seconds
    seconds, micros = divmod(abs(whole * 1_000_000 + duration.microseconds), 1_000_000)
    return copysign(seconds + micros * 1_000 / 1e9, duration.days)


def _write_time(time: CelValue) -> str:
    """Write a time, which the library gives in UTC."""
    fraction = f".{time.microsecond:06}".rstrip("0").rstrip(".")
    return f"{time:%Y-%m-%dT%H:%M:%S}{fraction}Z"


_TEXTS: Mapping[str, Callable[[Any], str]] = {
    "NoneType": lambda _: "null",
    "bool": lambda value: "true" if value else "false",
    "str": str,
    "int": str,
    "float": _write_double,
    "bytearray": lambda value: value.decode(errors="replace"),
    "timedelta": lambda value: f"{_write_double(_seconds(value))}s",
    "datetime": _write_time,
}
"""By the name of the type: no clock comes into the core, nor a module that has one."""


def _write_decimal(verb: str, _digits: int, value: CelValue) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(verb, value)
    return _write_value(value)


def _write_point(verb: str, digits: int, value: CelValue) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"%!{verb}(int64={value})"  # Go's word for a verb of another type
    if not isinstance(value, float):
        _refuse(verb, value)
    return format(value, f".{digits}{verb}") if isfinite(value) else _write_double(value)


def _write_base(verb: str, _digits: int, value: CelValue) -> str:
    if verb in "xX" and isinstance(value, str | bytearray):
        data = value.encode() if isinstance(value, str) else value
        return data.hex().upper() if verb == "X" else data.hex()
    if not isinstance(value, int) or (isinstance(value, bool) and verb != "b"):
        _refuse(verb, value)
    return format(int(value), verb)


def _refuse(verb: str, value: CelValue) -> NoReturn:
    message = f"%{verb} was given {type(value).__name__}"
    raise ValueError(message)


_VERBS: Mapping[str, Callable[[str, int, CelValue], str]] = {
    "s": _write_any,
    "d": _write_decimal,
    "f": _write_point,
    "e": _write_point,
    "b": _write_base,
    "x": _write_base,
    "X": _write_base,
    "o": _write_base,
}
