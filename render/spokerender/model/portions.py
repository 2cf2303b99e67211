"""A number of clusters, written as such or as a percentage of a total, as Go code of OCM reads it.

Source: OCM `scheduling_controller.go`, `calculateLength`; sdk-go `rollout.go`,
`calculateRolloutSize`; Go's `strconv.ParseFloat`.
"""

import re
from math import ceil, isfinite

_DIGITS = "[0-9]+(?:_[0-9]+)*"
_NUMBER = re.compile(
    rf"[-+]?(?:(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][-+]?[0-9]+)?|(?i:inf|infinity))"
    "|(?i:nan)"
)


def portion(size: int | str, total: int, default: int) -> int:
    """Return a number of clusters, or `default` if it is not positive or above the total.

    Raises `ValueError` for a text that is no percentage.
    """
    number = size if isinstance(size, int) else _part_of(size, total)
    return number if 0 < number <= total else default


def _part_of(text: str, total: int) -> int:
    """Return that part of the total, rounded up; 0 for what is no finite number."""
    number = text.removesuffix("%")
    percentage = float(number) if number != text and _NUMBER.fullmatch(number) else None
    if percentage is None or (not isfinite(percentage) and number[-1].isdecimal()):
        message = "string is not a percentage"
        raise ValueError(message)
    part = percentage / 100 * total
    return ceil(part) if isfinite(part) else 0
