"""Quantities of Kubernetes: numbers with a suffix, such as `512Mi` and `100m`.

Source: apimachinery, `pkg/api/resource/quantity.go`. There, a text without a digit is 0 (`Ki`,
`.`), unless its number has to be parsed as a decimal (as before `Pi` and `Ei`).
"""

import re
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

_QUANTITY = re.compile(
    r"([+-]?)([0-9]*)(?:\.([0-9]*))?"
    r"(?:(?P<binary>[KMGTPE]i)|(?P<decimal>[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]{1,3}))?",
    re.ASCII,
)
_BINARY: dict[str, int] = {f"{letter}i": 10 * power for power, letter in enumerate("KMGTPE", 1)}
_DECIMAL = dict(zip("numkMGTPE", (-9, -6, -3, 3, 6, 9, 12, 15, 18), strict=True))
_LONGEST = 2_000
"""The most characters of a quantity; upstream has no limit."""
# ParseQuantity keeps an integer of 64 bits and a scale as long as the digits are sure to fit: 18 of
# them, none below a nano; with a binary suffix 14, less three for every ten bits of the suffix.
# Other numbers are decimals, which are rounded and written in another way.
_MOST_DIGITS, _MOST_BINARY_DIGITS, _NANO = 18, 14, -9
LARGEST = 2**63 - 1
_LONGEST_INTEGER = len(str(LARGEST))


def parse_int64(text: str) -> int | None:
    """Return a text as a decimal integer of 64 bits; None if it is none (Go, `strconv.Atoi`).

    Python's own `int` raises an error for thousands of digits, and accepts spaces and underscores.
    """
    digits = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    if not (digits.isascii() and digits.isdecimal()):
        return None
    digits = digits.lstrip("0") or "0"
    if len(digits) > _LONGEST_INTEGER:
        return None
    number = -int(digits) if text.startswith("-") else int(digits)
    return number if -LARGEST - 1 <= number <= LARGEST else None


class Amount(Struct, frozen=True):
    """A number as Kubernetes stores it: an integer times 10^`places`, or (if None) a decimal."""

    value: Fraction
    places: int | None

    def is_integer(self) -> bool:
        """Return whether Kubernetes can return the number as a 64-bit integer (`AsInt64`)."""
        is_kept = self.places is not None and self.places >= 0
        return is_kept and -LARGEST <= self.value <= LARGEST

    def plus(self, other: "Amount") -> "Amount":
        """Return the sum, stored as Kubernetes stores it (`int64Amount.Add`)."""
        total = self.value + other.value
        if self.places is None or other.places is None:
            return Amount(total, None)
        # A zero has no scale of its own: the sum takes that of the other number.
        if not other.value:
            return self
        places = min(self.places, other.places) if self.value else other.places
        counts = (value / Fraction(10) ** places for value in (self.value, other.value, total))
        fits = all(-LARGEST <= count <= LARGEST for count in counts)
        return Amount(total, places if fits else None)


def parse_amount(text: str) -> Amount:
    """Return the number of a quantity as Kubernetes stores it; raises ValueError if malformed."""
    match = _QUANTITY.fullmatch(text)
    if match is None or not text or len(text) > _LONGEST:
        raise _refusal(text)
    sign, whole, fraction = match[1], match[2].lstrip("0"), match[3] or ""
    suffix, power = match["binary"], _DECIMAL.get(match["decimal"] or "", 0)
    power = int(match["exponent"] or power)
    digits = len(whole or "0") + len(fraction)
    places = power - len(fraction)
    is_kept = digits <= _MOST_DIGITS and places >= _NANO
    if suffix:
        bits = _BINARY[suffix]
        is_kept = match[3] in (None, "") and digits <= _MOST_BINARY_DIGITS - bits * 3 // 10
        places = 0
    if not (is_kept or match[2] or fraction):
        raise _refusal(text)
    value = Fraction(Decimal(f"{whole or 0}.{fraction or 0}"))
    scale = Fraction(2 ** _BINARY[suffix] if suffix else 10 ** abs(power))
    value = value * scale if suffix or power >= 0 else value / scale
    # The cap of ParseQuantity is for binary suffixes alone.
    value = min(value, Fraction(LARGEST)) if suffix else value
    # Rounded away from zero: ParseQuantity never turns an amount other than 0 into 0.
    rounded = value if is_kept else -Fraction(-value * 10**9 // 1, 10**9)
    return Amount(-rounded if sign == "-" else rounded, places if is_kept else None)


def _refusal(text: str) -> ValueError:
    return ValueError(f'"{text[:40]}" is not a quantity')


def parse_quantity(text: str) -> Fraction:
    """Return the number of a quantity; raises ValueError for other texts.

    As in Kubernetes, the number is rounded up to nanos, and limited if it has a binary suffix.
    """
    return parse_amount(text).value


def is_quantity(text: str) -> bool:
    """Return whether a text is a quantity."""
    try:
        parse_amount(text)
    except ValueError:
        return False
    return True


def write_quantity(value: Fraction) -> str:
    """Return a decimal number written in full, rounded up to nanos as in Kubernetes."""
    nanos = -((-value * 10**9) // 1)
    whole, rest = divmod(abs(int(nanos)), 10**9)
    digits = f"{whole}.{rest:09}".rstrip("0").rstrip(".")
    return f"-{digits}" if nanos < 0 else digits


def canonical_quantity(text: str) -> str:
    """Return a quantity as the API server's Go types write it: `0.5Gi` is `512Mi`, `1e1` is `10`.

    Raises ValueError if the text is no quantity.
    """
    amount = parse_amount(text)
    value, match = amount.value, _QUANTITY.fullmatch(text)
    if match is None or not value:
        return "0"
    if _is_kept_as_written(match, amount):
        return text
    if match["binary"] and value.denominator == 1 and abs(value) >= _KIBI:
        return _shorten(int(value), _KIBI, _BINARY_SUFFIXES)
    nanos = int(abs(value) * 10**9)
    sign = "-" if value < 0 else ""
    if match["exponent"]:
        digits = _shorten(nanos, 1000, tuple(f"e{power}" for power in range(-9, 1000, 3)))
        return sign + digits.removesuffix("e0")
    return sign + _shorten(nanos, 1000, _DECIMAL_SUFFIXES)


def _is_kept_as_written(match: re.Match[str], amount: Amount) -> bool:
    """Return whether Kubernetes regards the text as canonical, and writes it unchanged."""
    digits = (match[2].lstrip("0") or "0") + (match[3] or "")
    if amount.places is None:
        return False
    if match["binary"]:
        return int(digits) % 8 != 0
    return amount.places % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


_KIBI = 1024
_BINARY_SUFFIXES = ("", *_BINARY)
_DECIMAL_SUFFIXES = ("n", "u", "m", "", *"kMGTPE", *[""] * 330)
"""One suffix per power of 1000; after `E` upstream has none left, and writes `1000E` as `1`."""


def _shorten(number: int, base: int, suffixes: tuple[str, ...]) -> str:
    step = 0
    while number % base == 0 and step + 1 < len(suffixes):
        number, step = number // base, step + 1
    return f"{number}{suffixes[step]}"
