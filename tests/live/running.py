"""Servers that run on this machine for as long as a test needs them."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_SECONDS = 180
"""Until a server answers: CI's machines are small."""


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def running(
    command: Sequence[str | Path], log: Path, is_ready: Callable[[], bool]
) -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs, and answers; it is stopped behind."""
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            _wait(process, log, is_ready)
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(process: subprocess.Popen[bytes], log: Path, is_ready: Callable[[], bool]) -> None:
    end = time.monotonic() + _SECONDS
    while not is_ready():
        if process.poll() is not None or time.monotonic() > end:
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
            message = f"{log.stem} does not answer:\n{tail}"
            raise RuntimeError(message)
        time.sleep(0.2)


def listens(port: int) -> bool:
    """Whether somebody takes connections on a port."""
    with socket.socket() as found:
        return found.connect_ex(("127.0.0.1", port)) == 0
