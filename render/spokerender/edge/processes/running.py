"""Running a program to its end: bytes in, bytes out, and no longer or more than it may."""

from __future__ import annotations

import contextlib
import os
import time
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector

from msgspec import Struct

from spokerender.edge.processes.starting import Command, Kept, Limits

_PIECE_BYTES = 1 << 16


class Ended(Struct, frozen=True):
    """How a program ended: its status, or the negative number of a signal.

    `stopped` says why it was, where we ended it: what it had written by then is no answer.
    """

    code: int
    out: bytes
    err: bytes
    stopped: str = ""


def run(command: Command, data: bytes, limits: Limits) -> Ended:
    """Run a program, and give it `data` to read.

    Raises:
        ProcessError: it can't be started.

    """
    with Kept(command, limits) as kept:
        talk = _Talk(kept, data, limits)
        stopped = talk.until_closed()
        code = None if stopped else kept.wait(talk.seconds_left())
        if code is None:
            stopped = stopped or talk.too_long
        return Ended(-9 if code is None else code, bytes(talk.answer), bytes(talk.said), stopped)


class _Talk:
    """Writes what a program reads and reads what it writes, at the same time."""

    def __init__(self, kept: Kept, data: bytes, limits: Limits) -> None:
        self._limits, self._data, self._written = limits, memoryview(data), 0
        self._end = time.monotonic() + limits.seconds
        self.too_long = f"it has not ended after {limits.seconds:g} seconds"
        self._selector = DefaultSelector()
        self.answer, self.said = bytearray(), bytearray()
        self._open = {kept.stdout.fileno(): self.answer, kept.stderr.fileno(): self.said}
        self._files = {each.fileno(): each for each in (kept.stdin, kept.stdout, kept.stderr)}
        for number in self._files:
            os.set_blocking(number, False)
            self._selector.register(number, EVENT_READ if number in self._open else EVENT_WRITE)

    def seconds_left(self) -> float:
        """How long it may take."""
        return max(0.0, self._end - time.monotonic())

    def until_closed(self) -> str:
        """Talk until it has closed its streams; why it has to be stopped before, if it has."""
        with self._selector:
            while self._open:
                ready = self._selector.select(self.seconds_left())
                if self.seconds_left() <= 0:
                    return self.too_long
                for key, _ in ready:
                    if key.fd not in self._open:
                        self._write(key.fd)
                    elif self._read(key.fd, self._open[key.fd]):
                        return f"it writes more than {self._limits.output_bytes:,} bytes"
        return ""

    def _write(self, number: int) -> None:
        try:
            self._written += os.write(number, self._data[self._written :][:_PIECE_BYTES])
        except BlockingIOError:
            return
        except BrokenPipeError:  # it has read enough
            self._written = len(self._data)
        if self._written == len(self._data):
            self._close(number)

    def _read(self, number: int, text: bytearray) -> bool:
        """Whether it has written more than it may."""
        try:
            piece = os.read(number, _PIECE_BYTES)
        except BlockingIOError:
            return False
        if not piece:
            del self._open[number]
            self._close(number)
        text += piece
        return len(text) > self._limits.output_bytes

    def _close(self, number: int) -> None:
        self._selector.unregister(number)
        with contextlib.suppress(OSError):
            self._files[number].close()
