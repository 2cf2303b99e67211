"""The process of an extension: started, checked, and ended together with its child processes."""

import contextlib
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

from msgspec import Struct

from spokerender.authoring import protocol
from spokerender.edge.presence import is_there
from spokerender.edge.processes import KeptProgram, Limits, ProcessError, ProgramCommand
from spokerender.edge.signals import handle_signals
from spokerender.findings.errors import DiskError
from spokerender.model.refs import GroupKind, kind_name
from spokerender.wings.metapolicies.runners.extensions.calls import ExtensionCalls, ExtensionError

_MAX_CHARACTERS = 2_000
"""Characters of a line that are shown."""
_MAX_LINES = 1_000
"""The lines of an extension that are shown during a command."""
_PIECE_BYTES = 1 << 16


ShowLine = Callable[[str, str], None]
"""Takes the name of an extension and a line that the extension wrote."""


class LogReader:
    """Reads the streams of an extension in threads, and shows their lines."""

    def __init__(self, extension: str, streams: tuple[IO[bytes], ...], show: ShowLine) -> None:
        self._extension, self._show = extension, show
        self._left = _MAX_LINES
        self._threads = [
            threading.Thread(target=self._read, args=(stream,), daemon=True) for stream in streams
        ]
        for thread in self._threads:
            thread.start()

    def join(self, seconds: float) -> None:
        """Wait for the ends of the streams, up to `seconds` for each."""
        for thread in self._threads:
            thread.join(seconds)

    def _read(self, stream: IO[bytes]) -> None:
        line, is_cut = b"", False
        while piece := self._read_piece(stream):
            *ends, rest = piece.split(b"\n")
            for end in ends:
                self._show_line(line + end)
                line, is_cut = b"", False
            line += b"" if is_cut else rest
            # A line without an end must not fill the memory.
            is_cut = len(line) > _PIECE_BYTES
        self._show_line(line)

    def _read_piece(self, stream: IO[bytes]) -> bytes:
        try:
            return stream.read(_PIECE_BYTES)
        except (OSError, ValueError):  # closed, since the process was killed
            return b""

    def _show_line(self, data: bytes) -> None:
        if not data.strip() or self._left < 0:
            return
        self._left -= 1
        text = data.decode(errors="replace").strip()
        if self._left < 0:
            text = f"it writes more than {_MAX_LINES:,} lines; the others are not shown"
        elif len(text) > _MAX_CHARACTERS:
            text = f"{text[:_MAX_CHARACTERS]}…"
        self._show(self._extension, text)


_POLL_SECONDS = 0.005
"""The interval at which the socket is looked for."""
_GRACE_SECONDS = 2.0
"""The time between SIGTERM and SIGKILL."""
_PREFIX = "spokerender-ext-"
_SOCKET = "socket"
_MAX_PATH_BYTES = 103
"""The room in macOS' `sun_path` (unix(4)); Linux has 107 (unix(7))."""


class ExtensionProgram(Struct, frozen=True):
    """An extension as its file describes it, and the kinds of the definitions that name it."""

    name: str
    version: str
    command: ProgramCommand
    start_seconds: float
    answer_seconds: float
    definitions: dict[str, GroupKind]


class ExtensionProcess:
    """A running extension; `close` ends it."""

    def __init__(self, program: ExtensionProgram, show: ShowLine) -> None:
        """Start the extension, and compare its replies with its file. Raises `ExtensionError`."""
        self._program = program
        self._closing = contextlib.ExitStack()
        try:
            with _defer_signals():
                socket = self._closing.enter_context(private_socket())
                self._process = self._closing.enter_context(_start(program, socket))
                streams = (self._process.stderr, self._process.stdout)
                self.log = LogReader(program.name, streams, show)
            self._check_handshake(self._connect(socket))
            self._check_registration(self.calls.register(program.answer_seconds))
        # Also for an interrupt: the process would be left behind.
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Send SIGTERM to the process, and after two seconds SIGKILL to all that still run."""
        with _defer_signals():
            if hasattr(self, "_process"):
                self._process.terminate()
                with contextlib.suppress(ProcessError):
                    self._process.wait(_GRACE_SECONDS)
            self._closing.close()
            if hasattr(self, "log"):
                self.log.join(_GRACE_SECONDS)

    def ended(self, seconds: float = 0.0) -> str:
        """Return how the process ended; empty if it still runs after `seconds`."""
        try:
            code = self._process.wait(seconds)
        except ProcessError as error:
            return f"it can't be started: {error}"
        if code is None:
            return ""
        if code >= 0:
            return f"it ended with status {code}"
        with contextlib.suppress(ValueError):
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it was ended by signal {-code}"

    def _connect(self, socket: Path) -> Any:  # noqa: ANN401  (a message)
        """Call Handshake as soon as the extension listens, and return the reply."""
        program = self._program
        deadline = time.monotonic() + program.start_seconds
        self.calls = ExtensionCalls(socket)
        self._closing.callback(self.calls.close)
        # The protocol has no signal that the extension listens, so the socket is polled.
        while time.monotonic() < deadline:
            if is_there(socket):  # bound, but perhaps not listening yet
                try:
                    return self.calls.handshake(program.name, program.answer_seconds)
                except ExtensionError as error:
                    if not error.died:
                        raise
            if how := self.ended():
                message = f"{how}, before it listened on {protocol.SOCKET}"
                raise ExtensionError(message, died="can't be" not in how)
            time.sleep(_POLL_SECONDS)
        seconds = f"{program.start_seconds:g} seconds"
        raise ExtensionError(f"it does not listen on {protocol.SOCKET} within {seconds}")

    def _check_handshake(self, reply: Any) -> None:  # noqa: ANN401  (a message)
        program = self._program
        for noun, claimed, expected in (
            ("the version of the protocol", reply.protocol, protocol.VERSION),
            ("its name", reply.name, program.name),
            ("its version", reply.version, program.version),
        ):
            if claimed != expected:
                message = f"it claims that {noun} is {str(claimed)[:100]!r}, not {str(expected)!r}"
                raise ExtensionError(message)

    def _check_registration(self, reply: Any) -> None:  # noqa: ANN401  (a message)
        kinds = {(str(item.group), str(item.kind)) for item in reply.kinds}
        for name, kind in self._program.definitions.items():
            if kind not in kinds:
                message = f"it does not transform {kind_name(*kind)}, which {name} is for"
                raise ExtensionError(message)


def _start(program: ExtensionProgram, socket: Path) -> KeptProgram:
    command = program.command
    environment = {**command.environment, protocol.SOCKET: str(socket)}
    try:
        return KeptProgram(
            ProgramCommand(command.program, command.folder, command.arguments, environment),
            Limits(),
        )
    except ProcessError as error:
        raise ExtensionError(str(error)) from error


def _defer_signals() -> AbstractContextManager[None]:
    """Return a context that delays signals: a half-started process would be left behind."""
    # Python handles signals in the main thread alone.
    if threading.current_thread() is not threading.main_thread():
        return contextlib.nullcontext()
    return handle_signals((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), lambda *_: None)


@contextlib.contextmanager
def private_socket() -> Iterator[Path]:
    """Provide the path for a socket in a new folder that only this user may enter.

    Raises `DiskError` if there is no place for the folder.
    """
    base = _find_base()
    try:
        # Its mode is 0700, whatever the umask says.
        folder = tempfile.TemporaryDirectory(prefix=_PREFIX, dir=base, ignore_cleanup_errors=True)
    except OSError as error:
        message = f"{base}: can't make the folder for an extension's socket ({error.strerror})"
        raise DiskError(message) from error
    with folder as path:
        yield Path(path) / _SOCKET


def _find_base() -> Path:
    """Return the user's own folder for sockets, or else a folder for temporary files."""
    for place in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):  # noqa: S108  (a private folder is made in it)
        name = f"{place}/{_PREFIX}{'x' * 8}/{_SOCKET}"
        is_short = len(os.fsencode(name)) <= _MAX_PATH_BYTES
        if place and is_short and os.access(place, os.W_OK | os.X_OK):
            return Path(place)
    raise DiskError(
        "there is no folder for the socket of an extension; set TMPDIR to a short, writable one"
    )
