"""Which documents of a file can define a wanted kind, found out without parsing them.

CRD files have megabytes and a hub uses few of them. A document is left out only where it is
certain: it has the usual form and defines another kind, or it is no CRD at all.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from itertools import pairwise

_MARKER = re.compile(rb"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
# Escapes and line continuations can spell any name; NUL is UTF-16; % begins a directive.
_UNUSUAL = (b"\\u", b"\\U", b"\\x", b"\\\n", b"\\\r", b"\x00", b"\n%")
_NAMES = re.compile(
    rb"\n  names:[ \t]*\r?\n(?:(?:   |  -)[^\n]*\n)*?    kind:[ \t]*(\w+)[ \t]*\r?\n"
)
_GROUP = re.compile(rb"\n  group:[ \t]*([\w.-]+)[ \t]*\r?\n")
_DEFINITION = b"CustomResourceDefinition"


def candidates(data: bytes, wanted: Container[tuple[str, str]]) -> Iterator[tuple[int, bytes]]:
    """The pieces of a file that may define one of the kinds, with the lines before each.

    `wanted` are groups and kinds. More than necessary may come; never less.
    """
    if any(mark in data for mark in _UNUSUAL) or data.startswith(b"%"):
        yield 0, data
        return
    if _DEFINITION not in data:
        return
    for start, end in _documents(data):
        piece = data[start:end]
        if _may_define(piece, wanted):
            yield data.count(b"\n", 0, start), piece


def _documents(data: bytes) -> Iterator[tuple[int, int]]:
    starts = [match.start() for match in _MARKER.finditer(data)]
    bounds = [0, *starts, len(data)]
    yield from ((a, b) for a, b in pairwise(bounds) if a < b)


def _may_define(data: bytes, wanted: Container[tuple[str, str]]) -> bool:
    if _DEFINITION not in data:
        return False
    kind, group = _only(b"\n  names:", _NAMES, data), _only(b"\n  group:", _GROUP, data)
    if kind and group and data.count(_DEFINITION) == 1:
        return (group, kind) in wanted
    return True


def _only(start: bytes, pattern: re.Pattern[bytes], data: bytes) -> str:
    """What the pattern finds at the one place where it can; empty if there is not just one.

    A search for bytes is many times faster than one for a pattern.
    """
    place = data.find(start)
    if place < 0 or data.find(start, place + 1) >= 0:
        return ""
    match = pattern.match(data, place)
    return match[1].decode() if match else ""
