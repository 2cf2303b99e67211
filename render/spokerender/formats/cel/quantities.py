"""`quantity()` of Kubernetes' CEL library (k8s.io/apiserver, `library.Quantity`).

A quantity is a text here, in one form for each amount, so that equal amounts are equal.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from spokerender.formats.cel.functions import Function, member, plain

_QUANTITY = re.compile(
    r"([+-]?(?:[0-9]{1,64}(?:\.[0-9]{0,64})?|\.[0-9]{1,64}))"
    r"(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?[0-9]{1,2}))?"
)
_BINARY: dict[str, int] = {
    f"{letter}i": 2 ** (10 * power) for power, letter in enumerate("KMGTPE", 1)
}
_DECIMAL: dict[str, int] = {
    "n": -9,
    "u": -6,
    "m": -3,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_LARGEST = 2**63 - 1


def amount(text: str) -> Fraction:
    """The number that a quantity stands for; raises ValueError where the text is none."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        message = f'"{text[:40]}" is no quantity'
        raise ValueError(message)
    number, binary, decimal, exponent = match.groups()
    try:
        value = Fraction(Decimal(number))
    except InvalidOperation as error:
        raise ValueError(text) from error
    if binary:
        return value * _BINARY[binary]
    power = _DECIMAL[decimal] if decimal else int(exponent or 0)
    scale = Fraction(10 ** abs(power))
    return value * scale if power >= 0 else value / scale


def _is_quantity(text: str) -> bool:
    return _QUANTITY.fullmatch(text) is not None


def _text(value: Fraction) -> str:
    """A decimal number, in full; amounts finer than a nano are rounded up, as Kubernetes does."""
    nanos = -((-value * 10**9) // 1)
    whole, rest = divmod(abs(int(nanos)), 10**9)
    digits = f"{whole}.{rest:09}".rstrip("0").rstrip(".")
    return f"-{digits}" if nanos < 0 else digits


def _compare(left: str, right: str) -> int:
    a, b = amount(left), amount(right)
    return (a > b) - (a < b)


def _is_integer(text: str) -> bool:
    value = amount(text)
    return value.denominator == 1 and -_LARGEST <= value <= _LARGEST


def _as_integer(text: str) -> int:
    if not _is_integer(text):
        message = f'"{text[:40]}" is no 64 bit integer'
        raise ValueError(message)
    return int(amount(text))


def _sign(text: str) -> int:
    value = amount(text)
    return (value > 0) - (value < 0)


FUNCTIONS: tuple[Function, ...] = (
    plain("quantity", "string", "string", lambda text: _text(amount(text))),
    plain("isQuantity", "string", "bool", _is_quantity),
    member("isInteger", "string", "bool", _is_integer),
    member("asInteger", "string", "int", _as_integer),
    member("asApproximateFloat", "string", "double", lambda text: float(amount(text))),
    member("sign", "string", "int", _sign),
    member("compareTo", "string string", "int", _compare),
    member("isGreaterThan", "string string", "bool", lambda a, b: _compare(a, b) > 0),
    member("isLessThan", "string string", "bool", lambda a, b: _compare(a, b) < 0),
    member("add", "string string", "string", lambda a, b: _text(amount(a) + amount(b))),
    member("add", "string int", "string", lambda a, b: _text(amount(a) + b)),
    member("sub", "string string", "string", lambda a, b: _text(amount(a) - amount(b))),
    member("sub", "string int", "string", lambda a, b: _text(amount(a) - b)),
)
