"""Compares rates of requests, numbers and durations, as APIs write them, and names counters."""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import inf, isfinite

from spokerender.model.quantities import parse_quantity
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json

_UNITS = {"ms": Fraction(1, 1000)} | {
    unit: Fraction(seconds) for unit, seconds in (("s", 1), ("m", 60), ("h", 3600), ("d", 86_400))
}
_NAMED = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "month": 2_592_000}
_NAMED["year"] = 365 * _NAMED["day"]
_DURATION = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)(ms|s|m|h|d)")
_PER_TIME = re.compile(r"([1-9][0-9]{0,17})r/([sm])")
"""NGINX's rates: `10r/s`, `30r/m`. They are averages: `10r/s` is one request each 0.1 seconds."""
_SIZE = re.compile(r"([0-9]{1,18})([kmg]?)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?")
"""At most as long as 64 bits need: Python takes too long for thousands of digits."""
_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
"""NGINX's sizes: `512k`, `8m`."""
_OF_TIME = re.compile(
    r"time|interval|duration|ttl|window|delay|period|age$|refresh|jitter", re.IGNORECASE
)
_OF_SIZE = re.compile(r"size|limit|length|bytes|buffer|memory", re.IGNORECASE)
"""The names of fields with a time, and of fields with a quantity."""
_HASH_BYTES = 4

Rate = tuple[Fraction, Fraction]
"""A number of requests, and the seconds within which this number is allowed."""


def read_seconds(value: Json) -> Fraction | None:
    """Return the seconds of a duration (GEP-2257), unit name or number; None for other values."""
    if isinstance(value, str):
        # APIs write `Minute` as well as `minutes`.
        name = value.casefold().removesuffix("s")
        if name in _NAMED:
            return Fraction(_NAMED[name])
        parts = _DURATION.findall(value)
        # `findall` skips what it does not know, so the parts must make up the whole text.
        if parts and "".join(f"{number}{unit}" for number, unit in parts) == value:
            return sum((Fraction(number) * _UNITS[unit] for number, unit in parts), Fraction(0))
    return _read_number(value)


def read_times(value: Json) -> Json:
    """Return a value with sorted keys and each duration in its largest unit (`1m` for `60s`)."""
    if isinstance(value, Mapping):
        return {key: read_times(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return list(map(read_times, value))
    if not isinstance(value, str) or not _DURATION.match(value):
        return value
    seconds = read_seconds(value)
    units = ((seconds / size, unit) for unit, size in reversed(_UNITS.items()) if seconds)
    # The largest unit in which it is a whole number.
    return next((f"{n}{unit}" for n, unit in units if n.denominator == 1), value)


def _read_number(value: Json) -> Fraction | None:
    if isinstance(value, str):
        return Fraction(value) if _NUMBER.fullmatch(value) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    # By its shortest digits, as a fraction of the binary value would have a huge denominator.
    return Fraction(repr(value)) if isinstance(value, float) and isfinite(value) else None


def is_same_amount(place: FieldPath, old: Json, new: Json) -> bool:
    """Return whether two values of a field are equal times or sizes, such as `1m` and `60s`."""
    was, now = read_seconds(old), read_seconds(new)
    # Numbers are alike only if they are equal, whatever their field is called.
    if isinstance(old, str) and isinstance(new, str) and was is not None and was == now:
        return any(map(_OF_TIME.search, map(str, place)))
    sizes = (_read_amount(old), _read_amount(new))
    is_size = any(map(_OF_SIZE.search, map(str, place[-2:])))
    return is_size and None not in sizes and sizes[0] == sizes[1]


def compare_numbers(
    old: Json, new: Json, unset: Json = None, unlimited: Collection[Json] = ()
) -> int | None:
    """Return 1 if a number, size or duration rises, -1 if it falls, 0 if neither; None if unclear.

    `unset` is the value of an absent field. Values in `unlimited` mean that there is no limit.
    """
    sides = [side if isinstance(side, int | float | str) else unset for side in (old, new)]
    texts = [_SIZE.fullmatch(str(side)) for side in sides]
    # As sizes only if one of them is no duration: `8m` may be either.
    if all(texts) and any(read_seconds(side) is None for side in sides):
        sides = [int(text[1]) * _SIZES[text[2]] for text in texts if text]
    was, now = (inf if side in unlimited else _read_amount(side) for side in sides)
    return None if was is None or now is None else (now > was) - (now < was)


def _read_amount(value: Json) -> Fraction | None:
    """Return a duration in seconds, a number, or a quantity of Kubernetes (`32Ki`); else None."""
    seconds = read_seconds(value)
    if seconds is not None or not isinstance(value, str):
        return seconds
    try:
        return parse_quantity(value)
    except ValueError:
        return None


def compare_rates(old: Json, new: Json, keys: Sequence[str]) -> int | None:
    """Return 1 if rates get stricter, -1 if weaker, 0 if equal; None if unclear.

    All rates of a list apply. A rate is at least as strict as another if it allows no more requests
    within no less time.
    """
    was, now = read_rates(old, keys), read_rates(new, keys)
    if was is None or now is None:
        return None
    is_stricter, is_weaker = _implies(now, was), _implies(was, now)
    if is_stricter or is_weaker:
        return is_stricter - is_weaker
    # Neither implies the other: rates that let more requests through in the long run are weaker.
    # The strictest of several rates decides how many get through.
    averages = [min(count / time for count, time in rates) for rates in (was, now)]
    return -1 if averages[1] > averages[0] else None


def compare_averages(old: Json, new: Json, keys: Sequence[str]) -> int | None:
    """Return 1 if fewer requests pass on average, -1 if more, 0 if as many; None if unknown."""
    rates = [read_rate(item, keys) for item in (old, new)]
    averages = [rate[0] / rate[1] for rate in rates if rate is not None]
    return (averages[1] < averages[0]) - (averages[1] > averages[0]) if averages[1:] else None


def read_limit(text: str) -> Rate:
    """Return the rate that a text such as `10/1m` gives as a number of requests and a time."""
    count, _, time = text.partition("/")
    return Fraction(count), read_seconds(time) or Fraction(0)


def _implies(some: Sequence[Rate], others: Sequence[Rate]) -> bool:
    """Return whether traffic that keeps the rates `some` surely also keeps the rates `others`."""
    # A sufficient test: each rate must follow from a single one.
    return all(any(a[0] <= b[0] and a[1] >= b[1] for a in some) for b in others)


def read_rates(data: Json, keys: Sequence[str]) -> tuple[Rate, ...] | None:
    """Return the rates in a value, a rate or a list of rates; None if one can't be read."""
    items = data if isinstance(data, list) else [data] if isinstance(data, str | Mapping) else []
    rates = [read_rate(item, keys) for item in items]
    return None if None in rates else tuple(rate for rate in rates if rate is not None)


def read_rate(item: Json, keys: Sequence[str]) -> Rate | None:
    """Return a rate, read from a text or the two fields `keys`; None if it can't be read."""
    if isinstance(item, str):
        text = _PER_TIME.fullmatch(item)
        return (Fraction(1), _UNITS[text[2]] / int(text[1])) if text else None
    if not isinstance(item, Mapping) or len(keys) != 2:  # noqa: PLR2004  (requests, and time)
        return None
    count, time = _read_number(item.get(keys[0])), read_seconds(item.get(keys[1]))
    return (count, time) if count is not None and time else None


def hash_limit_name(prefix: str, namespace: str, policy: str, limit: str) -> str:
    """Return Limitador's identifier of a limit (`LimitNameToLimitadorIdentifier`)."""
    name = "".join(
        char if char.isalpha() or char.isdecimal() or char == "_" else "_" for char in limit
    )
    # kuadrant-operator hashes the names as they are, not the sanitized ones.
    digest = hashlib.sha256(f"{namespace}/{policy}/{limit}".encode()).digest()
    return f"{prefix}{name}__{digest[:_HASH_BYTES].hex()}"
