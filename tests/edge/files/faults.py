"""An operating system that fails at the n-th call that would change the disk."""

import os
from collections.abc import Callable
from enum import Enum
from errno import ENOSPC
from typing import Any

import pytest

from spokerender.edge.files import disk

CHANGING = ("mkdir", "open", "write", "rename", "unlink", "rmdir")


class Fault(Enum):
    """How it goes on after the call that fails."""

    ONCE = "only this call fails"
    FULL = "the disk is full: from here on, nothing can be made, but deleting still works"
    KILLED = "the process is dead: from here on, nothing happens at all"


class KilledError(BaseException):
    """What a dead process would not live to see."""


class FaultyOs:
    """Stands for the module `os` in `edge.files.disk`, through which every change goes."""

    def __init__(self, fault: Fault, failing: int, reason: int) -> None:
        """Fail call number `failing` (from 0) with `reason`, an `errno`."""
        self._fault = fault
        self._left = failing
        self._reason = reason

    @property
    def has_failed(self) -> bool:
        """Whether there were so many calls."""
        return self._left < 0

    def __getattr__(self, name: str) -> Any:
        """Watch what changes the disk; the rest is as ever."""
        real = getattr(os, name)
        return self._checked(name, real) if name in CHANGING else real

    def _checked(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if name == "open" and not args[1] & os.O_CREAT:
                return real(*args, **kwargs)
            self._left -= 1
            if self._fails(name):
                if name == "write" and self._left == -1:
                    real(args[0], args[1][: len(args[1]) // 2])
                self._fail()
            return real(*args, **kwargs)

        return call

    def _fails(self, name: str) -> bool:
        if self._fault is Fault.FULL and name in {"unlink", "rmdir"}:
            return False
        return self._left == -1 or (self._left < 0 and self._fault is not Fault.ONCE)

    def _fail(self) -> None:
        if self._fault is Fault.KILLED:
            raise KilledError
        raise OSError(self._reason, os.strerror(self._reason))


def inject(
    monkeypatch: pytest.MonkeyPatch, fault: Fault, failing: int, reason: int = ENOSPC
) -> FaultyOs:
    """Let the call number `failing` (from 0) that changes the disk fail, with this `errno`."""
    faulty = FaultyOs(fault, failing, reason)
    monkeypatch.setattr(disk, "os", faulty)
    return faulty
