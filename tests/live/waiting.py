"""Agents work in their own time: a test waits for what they are to do, and says what it saw."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_SECONDS = 180
"""CI's machines are small."""


def until(tell: Callable[[], T], is_so: Callable[[T], bool] = bool) -> T:
    """What `tell` gives as soon as that is so.

    Raises:
        AssertionError: it never is; with what was told last.

    """
    end = time.monotonic() + _SECONDS
    while not is_so(told := tell()):
        assert time.monotonic() < end, told
        time.sleep(0.2)
    return told
