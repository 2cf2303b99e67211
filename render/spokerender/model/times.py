"""Times as RFC 3339 writes them, as numbers; nothing here reads a clock."""

import re

_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MONTHS, _FEBRUARY = 12, 2
_NANOS = 10**9


def read_time(text: str) -> int:
    """Return the nanoseconds since the year 1 of a time. Raises ValueError where it is none."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise _refusal(text)
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    if not (year and 1 <= month <= _MONTHS and 1 <= day <= _last_day(year, month)):
        raise _refusal(text)
    zone_hour, zone_minute = int(match[9] or 0), int(match[10] or 0)
    if max(hour, zone_hour) > 23 or max(minute, second, zone_minute) > 59:  # noqa: PLR2004  (a clock)
        raise _refusal(text)
    past = year - 1
    days = past * 365 + past // 4 - past // 100 + past // 400 + day - 1
    days += sum(_last_day(year, earlier) for earlier in range(1, month))
    zone = (zone_hour * 60 + zone_minute) * (-60 if match[8] == "-" else 60)
    seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - zone
    return seconds * _NANOS + int((match[7] or "").ljust(9, "0"))


def _last_day(year: int, month: int) -> int:
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _DAYS[month - 1] + (month == _FEBRUARY and is_leap)


def _refusal(text: str) -> ValueError:
    return ValueError(f'"{text[:40]}" is not a time such as 2026-11-24T12:00:00Z')
