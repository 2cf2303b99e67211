"""The functions of quantities and versions that Kubernetes adds to CEL.

Source: k8s.io/apiserver, `library`; semantic versions are those of its version 0.
"""

import re
from fractions import Fraction
from functools import partial
from math import inf

from spokerender.formats.cel.functions import (
    NOT_HERE,
    QUANTITY,
    SEMVER,
    Function,
    charge_text,
    global_function,
    member,
)
from spokerender.model.quantities import (
    Amount,
    is_quantity,
    parse_amount,
    parse_quantity,
    write_quantity,
)


def _compare(left: str, right: str) -> int:
    a, b = parse_quantity(left), parse_quantity(right)
    return (a > b) - (a < b)


class _Spelling:
    """The decimal places of each quantity in an evaluation, by the text that stands for it.

    In Kubernetes, decimal places count even if they are zero: `1.0` and `1000m` are no integers.
    Here, quantities with the same value have the same text.
    """

    def __init__(self) -> None:
        self.places: dict[str, set[int | None]] = {}

    def note(self, amount: Amount) -> str:
        """Record a quantity, and return its text."""
        text = write_quantity(amount.value)
        self.places.setdefault(text, set()).add(amount.places)
        return text

    def read(self, text: str) -> Amount:
        """Return the quantity of a text. Raises ValueError if it was written in two ways."""
        places = self.places.get(text, {parse_amount(text).places})
        if len(places) > 1:
            raise ValueError(f"{text} is written in two ways: {NOT_HERE}")
        return Amount(parse_quantity(text), next(iter(places)))


SPELLING = _Spelling()
"""The quantities of the evaluation that is running; there is one at a time."""
_LONGEST = 500
"""The most characters of a quantity."""


def _bounded(text: str) -> str:
    if len(text) > _LONGEST:
        raise ValueError(f"a quantity of so many characters: {NOT_HERE}")
    return text


def _is_integer(text: str) -> bool:
    return SPELLING.read(text).is_integer()


def _as_integer(text: str) -> int:
    if not _is_integer(text):
        raise ValueError(f'"{text[:40]}" is not a 64 bit integer')
    return int(parse_quantity(text))


def _approximate(text: str) -> float:
    value = parse_quantity(text)
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _combine(left: str, right: str | int, sign: int = 1) -> str:
    """Return the sum (`sign` -1: difference) of quantities, with as many decimals as both need."""
    other = SPELLING.read(right) if isinstance(right, str) else Amount(Fraction(right), 0)
    return SPELLING.note(SPELLING.read(left).plus(Amount(sign * other.value, other.places)))


QUANTITY_FUNCTIONS: tuple[Function, ...] = (
    global_function(
        "quantity", "string", QUANTITY, lambda text: SPELLING.note(parse_amount(_bounded(text)))
    ),
    global_function("isQuantity", "string", "bool", lambda text: is_quantity(_bounded(text))),
    member("isInteger", QUANTITY, "bool", _is_integer),
    member("asInteger", QUANTITY, "int", _as_integer),
    member("asApproximateFloat", QUANTITY, "double", _approximate),
    global_function("sign", QUANTITY, "int", lambda text: _compare(text, "0")),
    member("compareTo", f"{QUANTITY} {QUANTITY}", "int", _compare),
    member("isGreaterThan", f"{QUANTITY} {QUANTITY}", "bool", lambda a, b: _compare(a, b) > 0),
    member("isLessThan", f"{QUANTITY} {QUANTITY}", "bool", lambda a, b: _compare(a, b) < 0),
    member("add", f"{QUANTITY} {QUANTITY}", QUANTITY, _combine),
    member("add", f"{QUANTITY} int", QUANTITY, _combine),
    member("sub", f"{QUANTITY} {QUANTITY}", QUANTITY, partial(_combine, sign=-1)),
    member("sub", f"{QUANTITY} int", QUANTITY, partial(_combine, sign=-1)),
)


_IDENTIFIER = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_NUMBER = r"(0|[1-9][0-9]{0,18})"
_SEMVER = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
_TWO = f"{SEMVER} {SEMVER}"


def _semver(text: str) -> str:
    """Return a semantic version without its build, which comparisons ignore."""
    if not _SEMVER.fullmatch(charge_text(text)):
        raise ValueError(f'"{text[:40]}" is not a semantic version')
    return text.partition("+")[0]


def _version(text: str) -> tuple[tuple[int, int, int], list[tuple[bool, int, str]]]:
    """Return the numbers and the identifiers of a version, in forms that can be compared."""
    match = _SEMVER.fullmatch(text)
    assert match is not None  # noqa: S101  (it was made by `_semver`)
    identifiers = match[4].split(".") if match[4] else []
    return (int(match[1]), int(match[2]), int(match[3])), [
        (False, int(part), "") if part.isdecimal() else (True, 0, part) for part in identifiers
    ]


def _compare_versions(left: str, right: str) -> int:
    (numbers, identifiers), (other_numbers, other_identifiers) = _version(left), _version(right)
    one = (numbers, not identifiers, identifiers)  # a pre-release comes before its release
    other = (other_numbers, not other_identifiers, other_identifiers)
    return (one > other) - (one < other)


SEMVER_FUNCTIONS = (
    global_function("semver", "string", SEMVER, _semver),
    global_function(
        "isSemver", "string", "bool", lambda text: bool(_SEMVER.fullmatch(charge_text(text)))
    ),
    member("compareTo", _TWO, "int", _compare_versions),
    member("isGreaterThan", _TWO, "bool", lambda a, b: _compare_versions(a, b) > 0),
    member("isLessThan", _TWO, "bool", lambda a, b: _compare_versions(a, b) < 0),
    member("major", SEMVER, "int", lambda version: _version(version)[0][0]),
    member("minor", SEMVER, "int", lambda version: _version(version)[0][1]),
    member("patch", SEMVER, "int", lambda version: _version(version)[0][2]),
)
