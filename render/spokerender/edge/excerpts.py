"""The line of a project's file that a finding is about, to be shown beside it.

The only place that puts a file's own text into a message. Nothing is shown of a file that is not
the project's own, whichever link leads to it, nor of a document that may have a credential in it.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from spokerender.edge.foreign import is_foreign
from spokerender.findings.results import EXCERPT, Result
from spokerender.model import Origin

_LARGEST = 1 << 20
_WIDEST = 100
_MOST = 1_000_000
"""Characters that are looked through in all; beyond it findings are told without their lines."""
_CREDENTIAL = re.compile(
    r"secret|passw|token|credential|api[-_ ]?key|private|bearer|stringData|authorization|cookie",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"^---", re.MULTILINE)


def with_excerpts(results: Iterable[Result], folder: Path) -> tuple[Result, ...]:
    """The findings; those that name a column in a file of the folder with its line."""
    left, shown = _MOST, []
    for result in results:
        excerpt = ""
        if result.origin is not None and result.origin.column and left > 0:
            text = _text(Path(result.origin.path), folder)
            left -= len(text)
            excerpt = _excerpt(result.origin, text)
        tagged = replace(result, tags=(*result.tags, (EXCERPT, excerpt))) if excerpt else result
        shown.append(tagged)
    return tuple(shown)


def _excerpt(origin: Origin, text: str) -> str:
    """The line with a mark below the column, or nothing where it must not be shown."""
    lines = text.splitlines()
    if not 0 < origin.line <= len(lines):
        return ""
    ends = [match.start() for match in _SEPARATOR.finditer(text)]
    start = sum(len(line) + 1 for line in lines[: origin.line - 1])
    first = max((end for end in ends if end <= start), default=0)
    last = min((end for end in ends if end > start), default=len(text))
    if _CREDENTIAL.search(text, first, last):
        return ""
    line, column = lines[origin.line - 1], origin.column - 1
    cut = max(0, column - _WIDEST // 2)
    number = str(origin.line)
    shown = line[cut : cut + _WIDEST].replace("\t", " ")
    return f"{number} | {shown}\n{' ' * len(number)} | {' ' * (column - cut)}^"


def _text(path: Path, folder: Path) -> str:
    try:
        own = path.resolve(strict=True).is_relative_to(folder.resolve(strict=True))
        status = path.stat()
        if not own or not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return ""
        if is_foreign(path, folder):
            return ""
        return path.read_bytes().decode().removeprefix("\ufeff")
    except (OSError, ValueError, RuntimeError):  # gone by now, no text, or no name
        return ""
