"""The functions of quantities that Kubernetes adds to CEL (k8s.io/apiserver, `library`)."""

import re

from spokerender.formats.cel.functions import NOT_HERE, QUANTITY, Function, global_function, member
from spokerender.model.quantities import LARGEST, is_quantity, parse_quantity, write_quantity


def _compare(left: str, right: str) -> int:
    a, b = parse_quantity(left), parse_quantity(right)
    return (a > b) - (a < b)


class _Spelling:
    """The spellings of the quantities of an evaluation: some are integers, and not to upstream.

    It keeps places that are zeros, as those of `1.0` or `1000m`, and has another form for numbers
    of many digits; here quantities are the same if their values are.
    """

    def __init__(self) -> None:
        self.is_odd: dict[str, set[bool]] = {}

    def note(self, text: str, *, is_odd: bool) -> str:
        self.is_odd.setdefault(text, set()).add(is_odd)
        return text

    def may_be_odd(self, text: str) -> bool:
        return "." in text or True in self.is_odd.get(text, ())


SPELLING = _Spelling()
"""Of the evaluation that is running; there is one at a time."""
_PLACES = re.compile(r"\.[0-9]|[num]$|[eE]-")
_MOST_DIGITS = 18
_MOST_OF_BINARY = {"Ki": 11, "Mi": 8, "Gi": 5, "Ti": 2, "Pi": -1, "Ei": -4}
"""The digits of numbers with such a suffix that upstream keeps as integers (`ParseQuantity`)."""


_NO_DIGITS = re.compile(r"[-+]?\.?(?:[KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?")


def _refuse_bare(text: str) -> str:
    """Return a text that has a number, which upstream takes for 0 where there is none (`Ki`)."""
    if text and _NO_DIGITS.fullmatch(text):
        message = f"a quantity without a number: {NOT_HERE}"
        raise ValueError(message)
    return text


def _quantity(text: str) -> str:
    _refuse_bare(text)
    canonical = write_quantity(parse_quantity(text))
    digits = len(re.findall("[0-9]", re.sub("^[+-]?0+|[eE].*", "", text)))
    is_long = digits > _MOST_OF_BINARY.get(text[-2:], _MOST_DIGITS)
    return SPELLING.note(canonical, is_odd=is_long or _PLACES.search(text) is not None)


def _is_integer(text: str) -> bool:
    value = parse_quantity(text)
    if value.denominator != 1 or not -LARGEST <= value <= LARGEST:
        return False
    spellings = SPELLING.is_odd.get(text, {False})
    if len(spellings) > 1:
        message = f"{text} is written in two ways: it cannot be evaluated here"
        raise ValueError(message)
    return spellings == {False}


def _as_integer(text: str) -> int:
    if not _is_integer(text):
        message = f'"{text[:40]}" is not a 64 bit integer'
        raise ValueError(message)
    return int(parse_quantity(text))


def _combine(left: str, right: str | int, sign: int = 1) -> str:
    """Return the sum of quantities, with the places of both."""
    other = str(right)
    total = parse_quantity(left) + sign * parse_quantity(other)
    is_odd = SPELLING.may_be_odd(left) or SPELLING.may_be_odd(other)
    return SPELLING.note(write_quantity(total), is_odd=is_odd or abs(total) > LARGEST)


def _subtract(left: str, right: str | int) -> str:
    return _combine(left, right, -1)


QUANTITY_FUNCTIONS: tuple[Function, ...] = (
    global_function("quantity", "string", QUANTITY, _quantity),
    global_function("isQuantity", "string", "bool", lambda text: is_quantity(_refuse_bare(text))),
    member("isInteger", QUANTITY, "bool", _is_integer),
    member("asInteger", QUANTITY, "int", _as_integer),
    member("asApproximateFloat", QUANTITY, "double", lambda text: float(parse_quantity(text))),
    global_function("sign", QUANTITY, "int", lambda text: _compare(text, "0")),
    member("compareTo", f"{QUANTITY} {QUANTITY}", "int", _compare),
    member("isGreaterThan", f"{QUANTITY} {QUANTITY}", "bool", lambda a, b: _compare(a, b) > 0),
    member("isLessThan", f"{QUANTITY} {QUANTITY}", "bool", lambda a, b: _compare(a, b) < 0),
    member("add", f"{QUANTITY} {QUANTITY}", QUANTITY, _combine),
    member("add", f"{QUANTITY} int", QUANTITY, _combine),
    member("sub", f"{QUANTITY} {QUANTITY}", QUANTITY, _subtract),
    member("sub", f"{QUANTITY} int", QUANTITY, _subtract),
)
