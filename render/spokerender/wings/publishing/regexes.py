r"""Regular expressions as Go has them: RE2's syntax, Go's replacing; the only door to google-re2.

Source: Go's regexp (`ReplaceAllString`, `Expand`) and regexp/syntax. The library's own `sub` is
not used: it makes an empty match right after a match, which Go does not, and it reads `\1` where
Go reads `$1`. Matching takes time that is linear in the text, whatever the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

MAX_PATTERN = 1_000
"""Characters of a pattern."""
MAX_TEXT = 1_000_000
"""Characters that replacing may read, and that it may make."""

_TEMPLATE = re.compile(r"\$(?:\$|(?P<name>\w+)|\{(?P<braced>\w+)\})")
_ANY_BYTE = re.compile(r"(?:^|[^\\])(?:\\\\)*\\C")
_DIGITS = re.compile("[0-9]+")
_BACKSLASH = re.compile(r"\\([0-9]+)")


class PatternProblem(Exception):  # noqa: N818  (a finding about the pattern, not a fault of ours)
    """A pattern is none of RE2's, or would make too much; the text says why."""


class Pattern(Struct, frozen=True, eq=False):
    """A pattern that compiles."""

    source: str
    _compiled: Any
    _groups: dict[str, int]

    def replace(self, text: str, replacement: str) -> str:
        """Replace every match; in `replacement`, `$1`, `$name`, `${1}`, `$$` are Go's.

        Raises `PatternProblem` where the text, or what it becomes, is too long.
        """
        if len(text) > MAX_TEXT:
            message = f"the text has more than {MAX_TEXT:,} characters"
            raise PatternProblem(message)
        pieces = _pieces(replacement, self._groups)
        data = text.encode()
        made: list[bytes] = []
        size = last = 0
        for match in self._matches(data):
            added = [data[last : match.start()]]
            if match.end() > last or match.start() == 0:  # none that is empty right after another
                added += (p if isinstance(p, bytes) else match.group(p) or b"" for p in pieces)
            last = match.end()
            made += added
            size += sum(map(len, added))
            if size > MAX_TEXT:
                message = f"it would make more than {MAX_TEXT:,} characters"
                raise PatternProblem(message)
        return b"".join((*made, data[last:])).decode()

    def matches(self, text: str) -> bool:
        """Whether it is found anywhere in the text."""
        return self._compiled.search(text.encode()) is not None

    def doubts(self, replacement: str) -> Iterator[str]:
        """What in a replacement hardly means what was meant; a sentence for each."""
        for match in _BACKSLASH.finditer(replacement):
            yield f"{match[0]} stands for itself in Go; the group is ${{{match[1]}}}"
        for match in _TEMPLATE.finditer(replacement):
            name = match["name"] or match["braced"]
            if name is None or name in self._groups:
                continue
            digits = _DIGITS.match(name)
            message = f"{match[0]} names no group and comes to nothing"
            if match["name"] and digits and digits[0] != name:
                message += f"; perhaps ${{{digits[0]}}}{name[digits.end() :]} is meant"
            yield message

    def _matches(self, data: bytes) -> Iterator[Any]:
        """The matches as Go's `ReplaceAll` goes through them: always on by a character at least."""
        position = 0
        while position <= len(data):
            match = self._compiled.search(data, position)
            if match is None:
                return
            yield match
            step = position + _width(data, position)
            position = max(step, match.end())


@lru_cache(maxsize=1024)
def compile_pattern(source: str) -> Pattern:
    """Check a pattern. Raises `PatternProblem`, with the reason, where Go would not take it."""
    import re2  # noqa: PLC0415  (few projects have patterns)

    if len(source) > MAX_PATTERN:
        message = f"it has more than {MAX_PATTERN:,} characters"
        raise PatternProblem(message)
    if _ANY_BYTE.search(source):
        message = "\\C is no escape of Go's: a match could end within a character"
        raise PatternProblem(message)
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(source.encode(), options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        text = reason.decode() if isinstance(reason, bytes) else str(reason)
        raise PatternProblem(text) from error
    groups = {_as_text(name): index for name, index in compiled.groupindex.items()}
    return Pattern(source, compiled, groups | {str(n): n for n in range(compiled.groups + 1)})


def _as_text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _pieces(replacement: str, groups: dict[str, int]) -> list[bytes | int]:
    """A replacement as texts and numbers of groups."""
    pieces: list[bytes | int] = []
    last = 0
    for match in _TEMPLATE.finditer(replacement):
        pieces.append(replacement[last : match.start()].encode())
        last = match.end()
        name = match["name"] or match["braced"]
        if name is None:
            pieces.append(b"$")
        elif name in groups:
            pieces.append(groups[name])
    return [*pieces, replacement[last:].encode()]


def _width(data: bytes, position: int) -> int:
    """How many bytes the character has that begins there; at the end of the text one."""
    first = data[position] if position < len(data) else 0
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4  # noqa: PLR2004
