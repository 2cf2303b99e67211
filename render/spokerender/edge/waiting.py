"""Waiting for others no longer than is said, however they spread what they send."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

_Answer = TypeVar("_Answer")


def within(seconds: float, call: Callable[[], _Answer]) -> _Answer:
    """What a call comes to; what it waits for is left behind when the time is over.

    The time limit of a socket begins anew with each byte, so that a server that sends a byte now
    and then is never waited for too long in its sense.

    Raises:
        TimeoutError: it takes longer.

    """
    answers: list[_Answer] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(call())
        except BaseException as error:  # noqa: BLE001  (it is raised where it is waited for)
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)  # so that it keeps no process alive
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors.pop()  # or it would hold itself, by this frame
    if not answers:
        message = f"it has not ended its answer after {seconds:,g} seconds"
        raise TimeoutError(message)
    return answers[0]
