"""The log of an extension: what it writes on standard error, line by line, with severities."""

import json
import threading
from collections.abc import Callable
from typing import IO

from msgspec import Struct

from spokerender.findings.results import Severity

_MAX_CHARACTERS = 2_000
"""Characters of a line that are shown."""
_MAX_LINES = 1_000
"""Lines of a build that are shown."""
_PIECE_BYTES = 1 << 16
_LEVEL_KEYS = ("level", "severity", "lvl", "levelname")
_TEXT_KEYS = ("msg", "message", "event")
_OMITTED_KEYS = ("ts", "time", "timestamp", "stacktrace", "logger", "caller")
_ERRORS = ("error", "fatal", "critical", "panic", "dpanic", "alert", "emergency")
_SEVERITIES = {
    **dict.fromkeys(_ERRORS, Severity.ERROR),
    **dict.fromkeys(("warning", "warn"), Severity.WARNING),
}
"""The levels of zap, logrus, slog, Python's logging and Google's; the others are infos."""


class LogLine(Struct, frozen=True):
    """A line in an extension's log."""

    extension: str
    severity: Severity
    text: str


ShowLine = Callable[[LogLine], None]


def parse_line(extension: str, data: bytes) -> LogLine:
    """Parse a line: a record in JSON has its level, and any other text is an info."""
    text = data.decode(errors="replace").strip()
    severity, message = _parse_json(text) or (Severity.INFO, text)
    omitted = "…" * (len(message) > _MAX_CHARACTERS)
    return LogLine(extension, severity, message[:_MAX_CHARACTERS] + omitted)


def _parse_json(text: str) -> tuple[Severity, str] | None:
    if not text.startswith("{"):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    levels = (data.get(key) for key in _LEVEL_KEYS)
    level = next((str(value).casefold() for value in levels if value is not None), "")
    texts = (data.get(key) for key in _TEXT_KEYS)
    message = next((str(value) for value in texts if value is not None), None)
    if message is None:
        return None
    shown = (*_LEVEL_KEYS, *_TEXT_KEYS, *_OMITTED_KEYS)
    fields = " ".join(
        f"{key}={json.dumps(value, ensure_ascii=False)}"
        for key, value in data.items()
        if key not in shown
    )
    return _SEVERITIES.get(level, Severity.INFO), f"{message} {fields}".rstrip()


class LogReader:
    """Reads streams until they end, each in a thread, and shows their lines."""

    def __init__(self, extension: str, streams: tuple[IO[bytes], ...], show: ShowLine) -> None:
        self._extension, self._show = extension, show
        self._left = _MAX_LINES
        self._threads = [
            threading.Thread(target=self._read, args=(stream,), daemon=True) for stream in streams
        ]
        for thread in self._threads:
            thread.start()

    def join(self, seconds: float) -> None:
        """Wait for the ends of the streams, at most so many seconds for each."""
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
        if self._left < 0:
            message = f"it writes more than {_MAX_LINES:,} lines; the others are not shown"
            self._show(LogLine(self._extension, Severity.WARNING, message))
        else:
            self._show(parse_line(self._extension, data))
