"""The functions of quantities that Kubernetes adds to CEL (k8s.io/apiserver, `library`)."""

from fractions import Fraction
from math import inf

from spokerender.formats.cel.functions import NOT_HERE, QUANTITY, Function, global_function, member
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
    """The quantities of an evaluation, as upstream keeps them, by their texts here.

    It keeps places that are zeros, as those of `1.0` or `1000m`, and then takes no integer for one;
    here quantities are the same if their values are.
    """

    def __init__(self) -> None:
        self.places: dict[str, set[int | None]] = {}

    def note(self, amount: Amount) -> str:
        """Return the text of a quantity."""
        text = write_quantity(amount.value)
        self.places.setdefault(text, set()).add(amount.places)
        return text

    def read(self, text: str) -> Amount:
        """Return a quantity of this evaluation; raises ValueError where it was kept in two ways."""
        places = self.places.get(text, {parse_amount(text).places})
        if len(places) > 1:
            message = f"{text} is written in two ways: {NOT_HERE}"
            raise ValueError(message)
        return Amount(parse_quantity(text), next(iter(places)))


SPELLING = _Spelling()
"""Of the evaluation that is running; there is one at a time."""
_LONGEST = 500
"""Characters of a quantity that are read here."""


def _bounded(text: str) -> str:
    if len(text) > _LONGEST:
        message = f"a quantity of so many characters: {NOT_HERE}"
        raise ValueError(message)
    return text


def _quantity(text: str) -> str:
    return SPELLING.note(parse_amount(_bounded(text)))


def _is_integer(text: str) -> bool:
    return SPELLING.read(text).is_integer()


def _as_integer(text: str) -> int:
    if not _is_integer(text):
        message = f'"{text[:40]}" is not a 64 bit integer'
        raise ValueError(message)
    return int(parse_quantity(text))


def _approximate(text: str) -> float:
    value = parse_quantity(text)
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _combine(left: str, right: str | int, sign: int = 1) -> str:
    """Return the sum of quantities, with the places of both."""
    other = SPELLING.read(right) if isinstance(right, str) else Amount(Fraction(right), 0)
    return SPELLING.note(SPELLING.read(left).plus(Amount(sign * other.value, other.places)))


def _subtract(left: str, right: str | int) -> str:
    return _combine(left, right, -1)


QUANTITY_FUNCTIONS: tuple[Function, ...] = (
    global_function("quantity", "string", QUANTITY, _quantity),
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
    member("sub", f"{QUANTITY} {QUANTITY}", QUANTITY, _subtract),
    member("sub", f"{QUANTITY} int", QUANTITY, _subtract),
)
