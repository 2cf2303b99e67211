"""What an extension writes on its standard error: a line at a time, each at its own level."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from typing import IO

from msgspec import Struct

from spokerender.findings.results import Severity

_LONGEST = 2_000
"""Characters of a line that are shown."""
_MOST = 1_000
"""Lines that are shown between two questions; whoever writes more says nothing any more."""
_PIECE_BYTES = 1 << 16

_ERRORS = "error err fatal critical crit panic dpanic alert emerg emergency severe e f"
_INFOS = "info notice information debug trace i d"
_LEVELS = {
    **dict.fromkeys(_ERRORS.split(), Severity.ERROR),
    **dict.fromkeys(("warning", "warn", "w"), Severity.WARNING),
    **dict.fromkeys(_INFOS.split(), Severity.INFO),
}
"""The words of zap, logrus, klog, syslog, slog and Python's logging."""
_TEXT = re.compile(
    r"""(?:\S*\d\S*\s+){0,3}            # when it was
        [\[(<"]?(?P<level>[A-Za-z]+)[])>"]?
        (?P<end>:|\||\s-\s|\s|$)""",
    re.VERBOSE,
)
_KLOG = re.compile(r"(?P<level>[EFWID])\d{4} \d\d:\d\d:\d\d")
_LOGFMT = re.compile(r'\blevel="?(?P<level>[A-Za-z]+)')


class Line(Struct, frozen=True):
    """A line: whose it is, how bad, and what it says."""

    extension: str
    severity: Severity
    text: str


Tell = Callable[[Line], None]


def read_line(extension: str, data: bytes) -> Line:
    """What a line says, in JSON or as text; where nothing tells its level, it is an info."""
    text = data.decode(errors="replace").strip()
    found = _of_json(text)
    severity, said = found if found is not None else (_of_text(text), text)
    return Line(extension, severity, said[:_LONGEST] + "…" * (len(said) > _LONGEST))


def _of_json(text: str) -> tuple[Severity, str] | None:
    if not text.startswith("{"):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    words = (data.get(key) for key in ("level", "severity", "lvl", "levelname"))
    level = next((str(word).casefold() for word in words if word is not None), "")
    texts = (data.get(key) for key in ("msg", "message", "event"))
    said = next((str(each) for each in texts if each is not None), None)
    if said is None:
        return None
    known = ("level", "severity", "lvl", "levelname", "msg", "message", "event")
    quiet = ("ts", "time", "timestamp", "stacktrace", "logger", "caller")
    rest = {key: value for key, value in data.items() if key not in (*known, *quiet)}
    more = " ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in rest.items())
    return _LEVELS.get(level, Severity.INFO), f"{said} {more}".rstrip()


def _of_text(text: str) -> Severity:
    for pattern in (_KLOG, _LOGFMT, _TEXT):
        found = pattern.search(text) if pattern is _LOGFMT else pattern.match(text)
        if found is not None and found["level"].casefold() in _LEVELS:
            if pattern is _TEXT and not _is_level(found):
                continue
            return _LEVELS[found["level"].casefold()]
    return Severity.INFO


def _is_level(found: re.Match[str]) -> bool:
    """Whether a first word is a level and not the beginning of a sentence: "Error: x", "WARN x"."""
    word = found["level"]
    return len(word) > 1 and (word.isupper() or found["end"] in (":", "|") or found["end"] == " - ")


class Forwarding:
    """Reads streams until they end, each in a thread, and hands on their lines."""

    def __init__(self, extension: str, streams: tuple[IO[bytes], ...], tell: Tell) -> None:
        """Begin."""
        self._extension, self._tell = extension, tell
        self._left = _MOST
        self._threads = [
            threading.Thread(target=self._read, args=(stream,), daemon=True) for stream in streams
        ]
        for thread in self._threads:
            thread.start()

    def refill(self) -> None:
        """Let it say as much again."""
        self._left = _MOST

    def join(self, seconds: float) -> None:
        """Wait for what is still to come."""
        for thread in self._threads:
            thread.join(seconds)

    def _read(self, stream: IO[bytes]) -> None:
        line, is_cut = b"", False
        while piece := self._piece(stream):
            *lines, rest = piece.split(b"\n")
            for each in lines:
                self._say(line + each)
                line, is_cut = b"", False
            line += b"" if is_cut else rest
            is_cut = len(line) > _PIECE_BYTES
        self._say(line)

    def _piece(self, stream: IO[bytes]) -> bytes:
        try:
            return stream.read(_PIECE_BYTES)
        except (OSError, ValueError):  # closed, since it was killed
            return b""

    def _say(self, data: bytes) -> None:
        if not data.strip() or self._left < 0:
            return
        self._left -= 1
        if self._left < 0:
            message = f"it writes more than {_MOST:,} lines; no more of them are shown"
            self._tell(Line(self._extension, Severity.WARNING, message))
        else:
            self._tell(read_line(self._extension, data))
