"""Handle, for a while, signals that would end this process."""

import contextlib
import signal
from collections.abc import Callable, Collection, Iterator
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGHUP)
Handler = Callable[[int, FrameType | None], object]


@contextlib.contextmanager
def handle_signals(numbers: Collection[int], handler: Handler) -> Iterator[None]:
    """Call `handler` for these signals during the context; then raise the first one again.

    It must be used in the main thread: Python calls signal handlers in no other thread.
    """
    received: list[int] = []

    def receive(number: int, frame: FrameType | None) -> None:
        received.append(number)
        handler(number, frame)

    earlier_handlers = {number: signal.signal(number, receive) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in earlier_handlers.items():
            signal.signal(number, earlier)
        if received:
            signal.raise_signal(received[0])


def ending_in_order() -> contextlib.AbstractContextManager[None]:
    """During the context, treat ending signals as Ctrl-C, so that child processes end first."""

    def end(_: int, __: object) -> None:
        raise KeyboardInterrupt

    return handle_signals(_ENDING, end)
