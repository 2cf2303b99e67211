"""Times as RFC 3339 writes them and durations as Go does, as numbers; nothing reads a clock."""

import re

_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MONTHS, _FEBRUARY = 12, 2
_NANOS = 10**9
_SECONDS_OF_DAY = 86_400
_LARGEST = 2**63 - 1
"""The longest duration that Go can hold, some 292 years."""
_UNITS = {
    "ns": 1,
    "us": 1_000,
    "\u00b5s": 1_000,  # the micro sign
    "\u03bcs": 1_000,  # the Greek letter
    "ms": 1_000_000,
    "s": _NANOS,
    "m": 60 * _NANOS,
    "h": 3_600 * _NANOS,
}
_PART = re.compile(r"(?=\.?[0-9])([0-9]{0,999})(?:\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)")
_DIGITS = 19
"""The number of digits of a duration's fraction that are read."""


def read_time(text: str) -> int:
    """Return the nanoseconds from the year 1 to a time. Raises ValueError if `text` is no time."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise _refusal(text)
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    if not (year and 1 <= month <= _MONTHS and 1 <= day <= _last_day(year, month)):
        raise _refusal(text)
    zone_hour, zone_minute = int(match[9] or 0), int(match[10] or 0)
    # Go's time.Parse knows no leap second.
    if max(hour, zone_hour) > 23 or max(minute, second, zone_minute) > 59:  # noqa: PLR2004  (a clock)
        raise _refusal(text)
    past = year - 1
    days = past * 365 + past // 4 - past // 100 + past // 400 + day - 1
    days += sum(_last_day(year, earlier) for earlier in range(1, month))
    zone = (zone_hour * 60 + zone_minute) * (-60 if match[8] == "-" else 60)
    seconds = days * _SECONDS_OF_DAY + hour * 3_600 + minute * 60 + second - zone
    return seconds * _NANOS + int((match[7] or "").ljust(9, "0"))


def read_duration(text: str) -> int:
    """Return the nanoseconds of a duration such as `1h30m` (Go, `time.ParseDuration`).

    Raises ValueError if the text is no duration.
    """
    unsigned = text[1:] if text[:1] in {"+", "-"} else text
    # Zero is the only number that Go takes without a unit.
    if unsigned == "0":
        return 0
    total, end = 0, 0
    while match := _PART.match(unsigned, end):
        unit, fraction = _UNITS[match[3]], (match[2] or "")[:_DIGITS]
        if int(fraction or 0) > _LARGEST + 1:  # Go stops where its integer would overflow
            fraction = fraction[:-1]
        # As Go does it, in floating point: a third of an hour is 20 minutes.
        total += int(match[1] or 0) * unit + int(int(fraction or 0) * (unit / 10 ** len(fraction)))
        end = match.end()
    is_negative = text.startswith("-")
    # The lowest integer of 64 bits is one further from zero than the highest.
    if not end or end != len(unsigned) or total > _LARGEST + is_negative:
        raise ValueError(f'"{text[:40]}" is not a duration such as 10m or 1h30m')
    return -total if is_negative else total


def write_duration(duration: int) -> str:
    """Return nanoseconds as a text in whole seconds, rounded up, such as `1h30m`."""
    minutes, seconds = divmod(-(-duration // _NANOS), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (seconds, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"


def _last_day(year: int, month: int) -> int:
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _DAYS[month - 1] + (month == _FEBRUARY and is_leap)


def _refusal(text: str) -> ValueError:
    return ValueError(f'"{text[:40]}" is not a time such as 2026-11-24T12:00:00Z')
