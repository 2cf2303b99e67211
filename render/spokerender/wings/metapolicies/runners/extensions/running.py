"""One process of an extension: started, greeted, spoken to, and ended with all that it started."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from msgspec import Struct

from spokerender.authoring import protocol
from spokerender.edge.presence import is_there
from spokerender.edge.processes import Command, Kept, Limits, ProcessError
from spokerender.edge.signals import in_hand
from spokerender.rendering.values.stages import GroupKind
from spokerender.wings.metapolicies.queries import RefusedError, check
from spokerender.wings.metapolicies.runners.extensions.calls import BrokenError, Calls
from spokerender.wings.metapolicies.runners.extensions.lines import Forwarding, Tell
from spokerender.wings.metapolicies.runners.extensions.sockets import private_socket

_LOOK_SECONDS = 0.005
"""How often we look whether it listens."""
_GRACE_SECONDS = 2.0
"""Between SIGTERM and SIGKILL."""


class Declared(Struct, frozen=True):
    """What a definition says of the kind that an extension transforms for it."""

    kind: GroupKind
    reads: frozenset[GroupKind]
    writes: frozenset[GroupKind]


class Program(Struct, frozen=True):
    """An extension as its file describes it, and the definitions that it is for, by their names."""

    name: str
    version: str
    command: Command
    start_seconds: float
    answer_seconds: float
    definitions: Mapping[str, Declared]


class Running:
    """A process that is up; `close` ends it."""

    def __init__(self, program: Program, tell: Tell) -> None:
        """Start it, and hold what it says of itself against what is known of it.

        Raises:
            BrokenError: it can't be started, or is another one than it should be.

        """
        self._program = program
        self._closing = contextlib.ExitStack()
        self.subscriptions: dict[GroupKind, list[str]] = {}
        try:
            with _unhurried():
                socket = self._closing.enter_context(private_socket())
                self._kept = self._closing.enter_context(_kept(program, socket))
                streams = (self._kept.stderr, self._kept.stdout)
                self.lines = Forwarding(program.name, streams, tell)
            self._greeted(self._listened(socket))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End it: SIGTERM first, and SIGKILL for all that is left."""
        with _unhurried():
            if hasattr(self, "_kept"):
                self._kept.terminate()
                with contextlib.suppress(ProcessError):
                    self._kept.wait(_GRACE_SECONDS)
            self._closing.close()
            if hasattr(self, "lines"):
                self.lines.join(_GRACE_SECONDS)

    def ended(self, seconds: float = 0.0) -> str:
        """How it ended, if it has."""
        try:
            code = self._kept.wait(seconds)
        except ProcessError as error:
            return f"it can't be started: {error}"
        if code is None:
            return ""
        if code >= 0:
            return f"it ended with status {code}"
        with contextlib.suppress(ValueError):
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it was ended by signal {-code}"

    def _listened(self, socket: Path) -> Any:  # noqa: ANN401  (a message)
        """Who it says it is, as soon as it listens."""
        seconds = self._program.start_seconds
        deadline = time.monotonic() + seconds
        self.calls = Calls(socket)
        self._closing.callback(self.calls.close)
        while time.monotonic() < deadline:
            if is_there(socket):  # and it listens there from now on, or in a moment
                try:
                    program = self._program
                    return self.calls.handshake(program.name, program.answer_seconds)
                except BrokenError as error:
                    if not error.died:
                        raise
            if how := self.ended():
                message = f"{how}, before it listened on {protocol.SOCKET}"
                raise BrokenError(message, died="can't be" not in how)
            time.sleep(_LOOK_SECONDS)
        message = f"it does not listen on {protocol.SOCKET} after {seconds:g} seconds"
        raise BrokenError(message)

    def _greeted(self, said: Any) -> None:  # noqa: ANN401  (a message)
        program = self._program
        for what, theirs, ours in (
            ("the version of the protocol", said.protocol, protocol.VERSION),
            ("its name", said.name, program.name),
            ("its version", said.version, program.version),
        ):
            if theirs != ours:
                message = f"it says that {what} is {str(theirs)[:100]!r}, and not {str(ours)!r}"
                raise BrokenError(message)
        self._registered(self.calls.register(program.answer_seconds))

    def _registered(self, said: Any) -> None:  # noqa: ANN401  (a message)
        found = {_kind(each.kind): each for each in said.transformers}
        for name, declared in self._program.definitions.items():
            mine = found.get(declared.kind)
            if mine is None:
                message = f"it does not transform {_shown(declared.kind)}, as {name} says"
                raise BrokenError(message)
            for what, theirs, ours in (
                ("reads", mine.reads, declared.reads | declared.writes),
                ("writes", mine.writes, declared.writes),
            ):
                more = sorted(set(map(_kind, theirs)) - ours)
                if more:
                    message = f"it {what} {_shown(more[0])}, which {name} does not declare"
                    raise BrokenError(message)
        for each in said.subscriptions:
            try:
                check(each.expression)
            except RefusedError as error:
                message = f"it subscribes to {each.expression[:200]!r}: {error}"
                raise BrokenError(message) from error
            self.subscriptions.setdefault(_kind(each.kind), []).append(each.expression)


def _kept(program: Program, socket: Path) -> Kept:
    command = program.command
    environment = {**command.environment, protocol.SOCKET: str(socket)}
    try:
        return Kept(
            Command(command.program, command.folder, command.arguments, environment), Limits()
        )
    except ProcessError as error:
        raise BrokenError(str(error)) from error


def _kind(said: Any) -> GroupKind:  # noqa: ANN401  (a message)
    return str(said.group), str(said.kind)


def _shown(kind: GroupKind) -> str:
    return ".".join(filter(None, reversed(kind)))


def _unhurried() -> AbstractContextManager[None]:
    """Signals that would end us wait: what is begun here has to be finished."""
    if threading.current_thread() is not threading.main_thread():
        return contextlib.nullcontext()
    return in_hand((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), lambda *_: None)
