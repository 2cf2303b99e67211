"""Run the programs of a project with limits; no program outlives this process."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from errno import EACCES, EISDIR, ENOENT
from pathlib import Path
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from types import TracebackType
from typing import IO, Self

from msgspec import Struct, field

from spokerender.edge.presence import is_folder, is_there
from spokerender.findings.errors import RenderError

_KEEPER = Path(__file__).with_name("keeper.py")
_KEPT = ("PATH", "TMPDIR")
_ALWAYS = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
_ADDRESSES = 4
"""The factor between reserved and used memory: Go and others reserve far more than they use."""
_PATIENCE_SECONDS = 10
"""The limit for the keeper process to end its program, which takes milliseconds."""


class ProcessError(RenderError):
    """A program can't be started; the message says why, without its name."""


class Limits(Struct, frozen=True):
    """The limits of a program: its time, the memory of each process, the bytes of each stream."""

    seconds: float = 60
    memory_bytes: int = 1 << 30
    output_bytes: int = 64 << 20


class ProgramCommand(Struct, frozen=True):
    """A program with its arguments and environment; of our environment it gets the PATH alone."""

    program: Path
    folder: Path
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def find_program(name: str, folder: Path) -> Path:
    """Return a program on the PATH, or in `folder` if it has a slash. Raises `ProcessError`."""
    places = [folder] if "/" in name else map(Path, os.get_exec_path())
    # A file that cannot be run says more than none at all.
    problem = ENOENT
    for place in places:
        path = (place / name).absolute()
        if is_folder(path):
            problem = EISDIR
        elif os.access(path, os.X_OK):
            return path
        elif is_there(path):
            problem = EACCES
    reasons = {ENOENT: "there is no such program", EISDIR: "it is a folder"}
    raise ProcessError(reasons.get(problem, "it is not executable (chmod +x)"))


class KeptProgram:
    """A running program in a process group of its own.

    The program and everything that it started are ended when the context is left, and also when
    this process ends for any reason.
    """

    def __init__(self, command: ProgramCommand, limits: Limits) -> None:
        """Start the program; its output waits in pipes. Raises `ProcessError`."""
        # The other end stays here: when this process ends, however it does, the pipe closes.
        watched, self._lifeline = os.pipe()
        self._status, tell = os.pipe()
        self._told = b""
        order = json.dumps(_order(command, limits) | {"lifeline": watched, "status": tell})
        try:
            self._keeper = subprocess.Popen(  # noqa: S603  (no shell; the program is the user's choice)
                # Isolated and without site: nothing of the user's Python settings may run in the
                # keeper.
                [sys.executable, "-I", "-S", str(_KEEPER), order],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                close_fds=True,
                pass_fds=(watched, tell),
                # A Ctrl-C in the terminal goes to us, and we end the program in order.
                start_new_session=True,
            )
        except OSError as error:
            self._let_go()
            raise ProcessError(f"no process can be started ({error.strerror})") from error
        finally:
            # Our copies; with them open the keeper's end would never notice our death.
            os.close(watched)
            os.close(tell)
        assert self._keeper.stdin is not None  # noqa: S101  (for mypy: they are pipes)
        assert self._keeper.stdout is not None  # noqa: S101
        assert self._keeper.stderr is not None  # noqa: S101
        self.stdin: IO[bytes] = self._keeper.stdin
        self.stdout: IO[bytes] = self._keeper.stdout
        self.stderr: IO[bytes] = self._keeper.stderr

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()

    def terminate(self) -> None:
        """Ask the program to end (SIGTERM)."""
        if self._lifeline >= 0:
            with contextlib.suppress(OSError):  # it has ended already
                os.write(self._lifeline, b"t")

    def kill(self) -> None:
        """End the program at once, with everything that it started."""
        self._cut()
        try:
            self._keeper.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            # Not without a limit: a signal that interrupts `Popen.wait` may leave its lock taken.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._keeper.wait(_PATIENCE_SECONDS)
        for stream in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):  # input that it did not read is lost
                stream.close()
        self._let_go()

    def wait(self, seconds: float | None = None) -> int | None:
        """Return the exit status, negative for a signal; None if it runs. Raises `ProcessError`."""
        try:
            self._keeper.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self._told = self._told or os.read(self._status, 64)
        word, _, number = self._told.decode().partition(" ")
        if word == "failed":
            raise ProcessError(os.strerror(int(number)))
        return int(number) if word == "exit" else self._keeper.returncode or -9

    def _cut(self) -> None:
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def _let_go(self) -> None:
        self._cut()
        if self._status >= 0:
            os.close(self._status)
            self._status = -1


def _order(command: ProgramCommand, limits: Limits) -> dict[str, object]:
    # No more of the environment, as it may have credentials.
    inherited = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        "path": str(command.program),
        "arguments": [str(command.program), *command.arguments],
        "folder": str(command.folder.absolute()),
        # The same language and time zone for everybody, so that programs answer alike.
        "environment": inherited | _ALWAYS | dict(command.environment),
        "limits": {
            "RLIMIT_DATA": limits.memory_bytes,
            "RLIMIT_AS": limits.memory_bytes * _ADDRESSES,
            "RLIMIT_CORE": 0,
        },
    }


_PIECE_BYTES = 1 << 16


class ProgramOutcome(Struct, frozen=True):
    """The end of a program: its exit status, or the negative number of a signal, and its output.

    If we ended the program, `stopped` is the reason, and the output is incomplete.
    """

    code: int
    out: bytes
    err: bytes
    stopped: str = ""


def run_program(command: ProgramCommand, data: bytes, limits: Limits) -> ProgramOutcome:
    """Run a program with `data` as its input. Raises `ProcessError` if it can't be started."""
    with KeptProgram(command, limits) as program:
        talk = _Talk(program, data, limits)
        stopped = talk.until_closed()
        # It may go on running after it has closed its output.
        code = None if stopped else program.wait(talk.seconds_left())
        if code is None:
            stopped = stopped or talk.too_long
        return ProgramOutcome(
            -9 if code is None else code, bytes(talk.answer), bytes(talk.said), stopped
        )


class _Talk:
    """Writes the input of a program and reads its output at the same time."""

    def __init__(self, program: KeptProgram, data: bytes, limits: Limits) -> None:
        self._limits, self._data, self._written = limits, memoryview(data), 0
        self._end = time.monotonic() + limits.seconds
        self.too_long = f"it is still running after {limits.seconds:g} seconds"
        self._selector = DefaultSelector()
        self.answer, self.said = bytearray(), bytearray()
        self._open = {program.stdout.fileno(): self.answer, program.stderr.fileno(): self.said}
        self._files = {
            stream.fileno(): stream for stream in (program.stdin, program.stdout, program.stderr)
        }
        for number in self._files:
            # Neither side may wait for the other: a full pipe would stop both.
            os.set_blocking(number, False)
            self._selector.register(number, EVENT_READ if number in self._open else EVENT_WRITE)

    def seconds_left(self) -> float:
        """Return how many seconds the program may still run."""
        return max(0.0, self._end - time.monotonic())

    def until_closed(self) -> str:
        """Exchange data until the program closes its streams; return a reason to stop it, or ""."""
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
            # Pieces, as a slice of a memoryview copies nothing.
            self._written += os.write(number, self._data[self._written :][:_PIECE_BYTES])
        except BlockingIOError:
            return
        except BrokenPipeError:  # it does not read the rest
            self._written = len(self._data)
        if self._written == len(self._data):
            self._close(number)

    def _read(self, number: int, text: bytearray) -> bool:
        """Read a piece of output; return whether there is too much output."""
        try:
            # Counted as it comes, so that endless output is stopped early.
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
