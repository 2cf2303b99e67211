"""The functions that stand in for what the library does otherwise than cel-go.

`rewriting` says where that is, and why they take their arguments in one list.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from itertools import starmap
from math import isinf, isnan

from spokerender.formats.cel import rewriting as names
from spokerender.formats.cel.costs import BUDGET
from spokerender.formats.cel.formatting import format_text
from spokerender.formats.cel.functions import (
    NOT_HERE,
    ORDERED,
    CelValue,
    Function,
    charge_text,
    index_of_text,
    last_index_of_text,
)
from spokerender.formats.cel.messages import is_message, type_of
from spokerender.formats.cel.named import FORMATS, format_fault
from spokerender.formats.cel.opaque import is_sum, text_of
from spokerender.model.quantities import LARGEST
from spokerender.model.times import read_time

_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
"""What Go reads as a boolean (`strconv.ParseBool`)."""
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\dT\d?\d:\d\d:\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_DIGITS, _HEXADECIMAL = "[0-9](?:_?[0-9])*", "(?:_?[0-9a-f])+"
_DOUBLE = re.compile(
    rf"[-+]?(?:(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:e[-+]?{_DIGITS})?"
    rf"|0x(?:{_HEXADECIMAL}\.?(?:[0-9a-f](?:_?[0-9a-f])*)?|\.[0-9a-f](?:_?[0-9a-f])*)p[-+]?{_DIGITS}"
    "|inf|infinity)|nan",
    re.IGNORECASE | re.ASCII,
)
"""What Go reads as a number (`strconv.ParseFloat`)."""
_NANOSECONDS_IN = {"h": 3_600_000_000_000, "m": 60_000_000_000, "s": 1_000_000_000} | {
    "ms": 1_000_000,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ns": 1,
}
_PART = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(h|ms|m|s|us|µs|μs|ns)")
_DURATION = re.compile(rf"[-+]?(?:0|(?:{_PART.pattern})+)")
"""What Go reads as a duration (`time.ParseDuration`)."""
_KINDS = ((bool,), (int, float), (str,), (bytes, bytearray), (list,), (Mapping,))
"""Values of a kind may be equal."""


def _read_bool(value: CelValue) -> bool:
    """Read a boolean as Go does. Raises ValueError."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, str) or value not in _BOOLEANS:
        message = "type conversion error to 'bool'"
        raise ValueError(message)
    return _BOOLEANS[value]


def _read_as(pattern: re.Pattern[str], read: Callable[[str], CelValue]) -> Callable[..., CelValue]:
    """Return a function of what is read from texts of a form, and from anything else by itself."""

    def call(value: CelValue) -> CelValue:
        if type(value).__name__ in {"datetime", "timedelta"}:  # the library takes none back
            message = f"a time that was computed: {NOT_HERE}"
            raise ValueError(message)
        if not isinstance(value, str):
            return value
        if not pattern.fullmatch(charge_text(value)):
            message = "type conversion error from 'string'"
            raise ValueError(message)
        return read(value)

    return call


def _read_double(text: str) -> float:
    """Return a number as Go does, which refuses what is too large."""
    digits = text.replace("_", "")
    is_hexadecimal = "x" in digits.lower()
    number = float.fromhex(digits) if is_hexadecimal else float(digits)
    if isinf(number) and not digits.lower().endswith(("f", "y")):
        message = f"{text} is out of range"
        raise ValueError(message)
    return number


def _spell_time(text: str) -> str:
    """Return a time as the library reads it. Raises ValueError where Go has no such one."""
    if text[-6:-3] in {"+24", "-24"}:
        message = f"a day between a time and UTC: {NOT_HERE}"
        raise ValueError(message)
    spelled = re.sub(r"T(\d):", r"T0\1:", text).replace(",", ".")
    spelled = re.sub(r"(\.\d{9})\d+", r"\1", spelled)
    read_time(spelled)
    return spelled


def _spell_rounded(text: str) -> str:
    """Return a time without nanoseconds, of which a function of ours gets none."""
    spelled = _spell_time(text)
    if re.search(r"\.\d{6}0*[1-9]", spelled):
        message = f"nanoseconds of a time: {NOT_HERE}"
        raise ValueError(message)
    return spelled


def _read_time(value: CelValue) -> CelValue:
    if isinstance(value, int):  # one that is unsigned comes here as any other
        message = f"a time of what may be unsigned: {NOT_HERE}"
        raise ValueError(message)  # noqa: TRY004  (an error of the expression)
    return _read_as(_TIME, _spell_rounded)(value)


def _spell_duration(text: str) -> str:
    """Return a duration as the library reads it. Raises ValueError where Go has no such one."""
    parts = ((Decimal(number), unit) for number, unit in _PART.findall(text))
    length = sum(number * _NANOSECONDS_IN[unit] for number, unit in parts)
    if length > LARGEST:
        message = f"{text} is out of range"
        raise ValueError(message)
    if length % 1_000:
        message = f"nanoseconds of a duration: {NOT_HERE}"  # a function of ours gets none
        raise ValueError(message)
    return re.sub("[µμ]s", "us", text)


def _no_overload() -> ValueError:
    return ValueError("no such overload")


def _is_equal(left: CelValue, right: CelValue) -> bool | None:
    """Compare as cel-go does; None is its error."""
    if left is None or right is None:
        return left is right
    if is_message(left):
        is_alike = is_message(right) and type_of(right) == type_of(left) and not is_sum(right)
        return text_of(left) == text_of(right) if is_alike else None
    kind = next((kind for kind in _KINDS if isinstance(left, kind)), (type(left),))
    if not isinstance(right, kind) or isinstance(left, bool) is not isinstance(right, bool):
        return False
    if isinstance(left, list | Mapping):
        BUDGET.spend(len(left), "comparing")
        pairs = _pair_items(left, right)
        return pairs is not None and all(each is not False for each in starmap(_is_equal, pairs))
    return bool(left == right)


def _pair_items(left: CelValue, right: CelValue) -> list[tuple[CelValue, CelValue]] | None:
    """Return the items of two lists or maps in pairs; None where one has more than the other."""
    if len(left) != len(right):
        return None
    if isinstance(left, list):
        return list(zip(left, right, strict=True))
    return [(left[key], right[key]) for key in left] if left.keys() == right.keys() else None


def _equal(left: CelValue, right: CelValue) -> bool:
    answer = _is_equal(left, right)
    if answer is None:
        raise _no_overload()
    return answer


def _order(left: CelValue, right: CelValue) -> int:
    """Compare as cel-go does: -1, 0 or 1. Raises ValueError where there is no order."""
    if all(type(value) in (int, float) for value in (left, right)):
        if isnan(left) or isnan(right):
            message = "NaN values cannot be ordered"
            raise ValueError(message)
        if {type(left), type(right)} == {int, float}:
            left, right = float(left), float(right)
    elif type(left) is not type(right) or type(left).__name__ not in ORDERED:
        raise _no_overload()
    return int(left > right) - int(left < right)


def _place_by(
    find_text: Callable[..., int], places: Callable[[int], Iterable[int]]
) -> Callable[..., int]:
    """Return a function that finds a part in a text, or an item in a list, from either end."""

    def call(value: CelValue, searched: CelValue, *rest: CelValue) -> int:
        if isinstance(value, list) and not rest:
            BUDGET.spend(len(value), "indexOf()")
            return next((i for i in places(len(value)) if _is_equal(value[i], searched)), -1)
        is_text = isinstance(value, str) and isinstance(searched, str)
        if not is_text or not all(type(one) is int for one in rest):
            raise _no_overload()
        return find_text(value, searched, *rest)

    return call


def _read_index(value: CelValue) -> CelValue:
    if not isinstance(value, bool | int | float | str):
        message = f"invalid qualifier type: {type(value).__name__}"
        raise ValueError(message)  # noqa: TRY004  (an error of the expression)
    return value


def _is_among(value: CelValue, items: CelValue) -> bool:
    if isinstance(items, Mapping):
        return not is_message(value) and value in items
    if not isinstance(items, list):
        raise _no_overload()
    return any(_is_equal(value, item) for item in items)


def _has(value: CelValue, field: str) -> bool:
    if isinstance(value, list):
        message = "unsupported index type 'string' in list"
        raise ValueError(message)  # noqa: TRY004  (an error of the expression)
    return isinstance(value, Mapping) and field in value


def _in_order(walked: CelValue, made: list[CelValue]) -> list[CelValue]:
    """Return a list that was made by walking something; of a map its items must be alike."""
    BUDGET.spend(len(made), "making a list")
    if isinstance(walked, Mapping) and not all(_is_equal(item, made[0]) for item in made[1:]):
        message = f"a list of a map's entries, whose order is chance: {NOT_HERE}"
        raise ValueError(message)
    return made


def _match_time(value: CelValue) -> tuple[str, ...]:
    """Return the parts of a time that is written out. Raises ValueError for others."""
    spelled = _read_as(_TIME, _spell_time)(value)
    match = _TIME.fullmatch(spelled) if isinstance(spelled, str) else None
    if match is None:
        message = f"string() of a time that was computed: {NOT_HERE}"
        raise ValueError(message)
    return match.groups()


def _write_time(value: CelValue) -> str:
    """Write a time as Go does: with its offset, and no more digits than it needs."""
    seconds, fraction, sign, hours, minutes = _match_time(value)
    digits = (fraction or "").rstrip("0")
    is_utc = not sign or hours == minutes == "00"
    offset = "Z" if is_utc else f"{sign}{hours}:{minutes}"
    return f"{seconds}{'.' * bool(digits)}{digits}{offset}"


def _write_moved(read: CelValue, time: CelValue) -> str:
    """Write a computed time as Go does, with the offset of that from which it was computed."""
    if isinstance(read, int):
        return format_text("%s", [time])
    _, _, sign, hours, minutes = _match_time(read)
    away = (int(hours or 0) * 60 + int(minutes or 0)) * (-1 if sign == "-" else 1)
    if not away:
        return format_text("%s", [time])
    local = format_text("%s", [time + type(time - time)(minutes=away)])
    return f"{local.removesuffix('Z')}{sign}{hours}:{minutes}"


def _spell_text(value: CelValue) -> CelValue:
    """Return the text of a duration or of an infinite number, and any other value as it is."""
    kind = type(value).__name__
    if kind == "timedelta":
        return format_text("%s", [value])
    if kind == "datetime":
        message = f"string() of what may be a time: {NOT_HERE}"
        raise ValueError(message)
    if kind == "float" and isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return "NaN" if kind == "float" and isnan(value) else value


def _is_faulty(shape: CelValue, text: str) -> bool:
    return bool(format_fault(text_of(shape), charge_text(text)))


def _is_format(name: CelValue) -> bool:
    if not isinstance(name, str):
        message = "no such overload: format.named()"
        raise ValueError(message)  # noqa: TRY004  (an error of the expression)
    return name in FORMATS


def _format_of(name: CelValue) -> str:
    if not _is_format(name):
        message = "optional.none() dereference"
        raise ValueError(message)
    return str(name)


def _listed(name: str, returns: str, call: Callable[..., CelValue]) -> Function:
    return Function(name, (names.LIST,), returns, lambda parts: call(*parts), is_member=False)


STAND_INS = (
    _listed(names.EQUAL, "bool", _equal),
    _listed(names.DIFFER, "bool", lambda left, right: _is_equal(left, right) is not True),
    _listed(names.ORDERING["_<_"], "bool", lambda left, right: _order(left, right) < 0),
    _listed(names.ORDERING["_<=_"], "bool", lambda left, right: _order(left, right) <= 0),
    _listed(names.ORDERING["_>_"], "bool", lambda left, right: _order(left, right) > 0),
    _listed(names.ORDERING["_>=_"], "bool", lambda left, right: _order(left, right) >= 0),
    _listed(names.INDEX, "dyn", _read_index),
    _listed(names.PLACE["indexOf"], "int", _place_by(index_of_text, range)),
    _listed(
        names.PLACE["lastIndexOf"],
        "int",
        _place_by(last_index_of_text, lambda size: range(size - 1, -1, -1)),
    ),
    _listed(names.AMONG, "bool", _is_among),
    _listed(names.HAS, "bool", _has),
    _listed(names.IN_ORDER, "list(dyn)", _in_order),
    _listed(names.TIME, "string", _write_time),
    _listed(names.MOVED_TIME, "string", _write_moved),
    _listed(names.IS_FAULTY, "bool", _is_faulty),
    _listed(names.IS_FORMAT, "bool", _is_format),
    _listed(names.FORMAT_OF, "kubernetes.NamedFormat", _format_of),
    _listed(names.READ["bool"], "bool", _read_bool),
    _listed(names.READ["string"], "dyn", _spell_text),
    _listed(names.READ["int"], "dyn", _read_as(re.compile("[-+]?[0-9]+"), str)),
    _listed(names.READ["uint"], "dyn", _read_as(re.compile("[0-9]+"), str)),
    _listed(names.READ["double"], "dyn", _read_as(_DOUBLE, _read_double)),
    _listed(names.READ["timestamp"], "dyn", _read_time),
    _listed(names.READ["duration"], "dyn", _read_as(_DURATION, _spell_duration)),
)
