"""Signals that would end us, taken in hand for a while."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Collection, Iterator
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGHUP)
Handler = Callable[[int, FrameType | None], object]


@contextlib.contextmanager
def in_hand(numbers: Collection[int], handler: Handler) -> Iterator[None]:
    """Let `handler` have these signals; the first one that came is raised again afterwards.

    It is for the main thread: Python gives handlers to no other.

    Args:
        numbers: The signals.
        handler: What to do when one comes, as `signal.signal` takes it.

    """
    came: list[int] = []

    def handled(number: int, frame: FrameType | None) -> None:
        came.append(number)
        handler(number, frame)

    before = {number: signal.signal(number, handled) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
        if came:
            signal.raise_signal(came[0])


def ending_in_order() -> contextlib.AbstractContextManager[None]:
    """Let a signal that ends us end first what we have started, as Ctrl-C does."""

    def end(_: int, __: object) -> None:
        raise KeyboardInterrupt

    return in_hand(_ENDING, end)
