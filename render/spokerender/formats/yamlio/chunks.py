"""Bytes to text, and a text to its documents, cut where kubectl cuts it: at lines of `---`."""

from __future__ import annotations

import codecs
import re

from msgspec import Struct

from spokerender.formats.yamlio.characters import first_unreadable, name
from spokerender.formats.yamlio.problems import Problem

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BOM = "\ufeff"
_SEPARATOR = re.compile(r"^---(.*)\n?", re.MULTILINE)
_END_MARKER = re.compile(r"^\.\.\.(?=\s|\Z)[^\n]*\n?", re.MULTILINE)
_DIRECTIVE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*%")
_CONTENT = re.compile(r"^[ \t]*[^\s#]", re.MULTILINE)


class Chunk(Struct, frozen=True):
    """The text between two separators and the line of the file (from 1) that it begins on."""

    text: str
    line: int


def decode(data: bytes) -> str | Problem:
    """The text with line ends as LF, the last line's too, or why it is no text.

    kubectl adds the last line end, and takes a byte order mark away from every document.
    """
    if data.startswith(_UTF16):
        return Problem(1, "the file is UTF-16", "save it as UTF-8")
    try:
        text = data.decode().removeprefix(_BOM)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{data[error.start]:02X} is not UTF-8"
        return Problem(line, message, "save the file as UTF-8")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


def split(text: str) -> tuple[list[Chunk], list[Problem]]:
    """The documents' texts in order, empty ones too, and separators that kubectl refuses.

    kubectl takes every line that begins with `---` for a separator and refuses the file if
    anything but a comment follows on it; what follows a `...` it silently drops.
    """
    chunks: list[Chunk] = []
    problems: list[Problem] = []
    start, line = 0, 1
    for match in _SEPARATOR.finditer(text):
        chunks.append(Chunk(text[start : match.start()], line))
        line += text.count("\n", start, match.start())
        rest = match[1].strip()
        if rest and not rest.startswith("#"):
            cure = "put it on the next line, or in quotes if it is no separator"
            problems.append(Problem(line, "text follows `---` on its line", cure))
        line += 1
        start = match.end()
    chunks.append(Chunk(text[start:], line))
    return [_clean(chunk, problems) for chunk in chunks], problems


def _clean(chunk: Chunk, problems: list[Problem]) -> Chunk:
    """The chunk without byte order mark and end marker; empty where no reader would read it."""
    text = chunk.text.removeprefix(_BOM)
    end = _END_MARKER.search(text)
    refusal = _refusal(text, end.end() if end else len(text))
    if refusal is None:
        return Chunk(text[: end.start()] if end else text, chunk.line)
    offset, message, cure = refusal
    problems.append(Problem(chunk.line + text.count("\n", 0, offset), message, cure))
    return Chunk("", chunk.line)


def _refusal(text: str, end: int) -> tuple[int, str, str] | None:
    """The offset of what makes the document unreadable, what it is, what to do; `end`: its end."""
    offset = first_unreadable(text)
    if offset is not None:
        return offset, f"the character {name(text[offset])} can't be in a YAML file", "remove it"
    if directive := _DIRECTIVE.match(text):
        return directive.end(), "kubectl reads no `%` directives", "drop the line"
    if lost := _CONTENT.search(text, end):
        cure = "put `---` on a line of its own before it"
        return lost.start(), "what follows `...` is dropped by kubectl", cure
    return None
