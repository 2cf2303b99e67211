"""Quantities of Kubernetes: numbers with a suffix, such as `512Mi` and `100m`.

Source: apimachinery, `pkg/api/resource/quantity.go`.
"""

import re
from decimal import Decimal
from fractions import Fraction

_QUANTITY = re.compile(
    r"([+-]?(?:[0-9]{1,64}(?:\.[0-9]{0,64})?|\.[0-9]{1,64}))"
    r"(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?[0-9]{1,2}))?"
)
_BINARY: dict[str, int] = {
    f"{letter}i": 2 ** (10 * power) for power, letter in enumerate("KMGTPE", 1)
}
_DECIMAL = dict(zip("numkMGTPE", (-9, -6, -3, 3, 6, 9, 12, 15, 18), strict=True))
LARGEST = 2**63 - 1


def parse_quantity(text: str) -> Fraction:
    """Return the number of a quantity; raises ValueError where the text is none.

    One with a binary suffix has a bound, as in Kubernetes.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None:
        message = f'"{text[:40]}" is not a quantity'
        raise ValueError(message)
    number, binary, decimal, exponent = match.groups()
    value = Fraction(Decimal(number))
    if binary:
        return max(-Fraction(LARGEST), min(value * _BINARY[binary], Fraction(LARGEST)))
    power = _DECIMAL[decimal] if decimal else int(exponent or 0)
    scale = Fraction(10 ** abs(power))
    return value * scale if power >= 0 else value / scale


def is_quantity(text: str) -> bool:
    """Tell whether a text is a quantity."""
    return _QUANTITY.fullmatch(text) is not None


def write_quantity(value: Fraction) -> str:
    """Write a decimal number in full, rounded up to a nano, as Kubernetes does."""
    nanos = -((-value * 10**9) // 1)
    whole, rest = divmod(abs(int(nanos)), 10**9)
    digits = f"{whole}.{rest:09}".rstrip("0").rstrip(".")
    return f"-{digits}" if nanos < 0 else digits


def canonical_quantity(text: str) -> str:
    """Write a quantity as the API server stores it: `0.5Gi` is `512Mi`, `1e1` is `10`.

    Raises ValueError where the text is none.
    """
    match = _QUANTITY.fullmatch(text)
    value = parse_quantity(text)
    if match is None or not value:
        return "0"
    if match[2] and value.denominator == 1 and abs(value) >= _KIBI:
        return _shorten(int(value), _KIBI, _BINARY_SUFFIXES)
    nanos = -((-abs(value) * 10**9) // 1)
    sign = "-" if value < 0 else ""
    if match[4]:
        digits = _shorten(int(nanos), 1000, tuple(f"e{power}" for power in range(-9, 64, 3)))
        return sign + digits.removesuffix("e0")
    return sign + _shorten(int(nanos), 1000, _DECIMAL_SUFFIXES)


_KIBI = 1024
_BINARY_SUFFIXES = ("", *_BINARY)
_DECIMAL_SUFFIXES = ("n", "u", "m", "", *"kMGTPE")


def _shorten(number: int, base: int, suffixes: tuple[str, ...]) -> str:
    step = 0
    while number % base == 0 and step + 1 < len(suffixes):
        number, step = number // base, step + 1
    return f"{number}{suffixes[step]}"
