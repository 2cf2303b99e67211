r"""Regular expressions as Go has them: RE2's syntax and Go's replacements.

The only module that imports google-re2. Source: Go's regexp (`ReplaceAllString`, `Expand`) and
regexp/syntax. Matching takes time that is linear in the text, whatever the pattern.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

_SIMPLER = (
    *((r"\\\.", "\0"), (r"\\d|\[0-9\]", "1"), (r"\\w|\[\^[^]]*\]|\.\+", "x"), (r"\.\*", "")),
    (r"\[(.)[^]]*\]", r"\1"),
    *((r"\((?:\?:|\?P?<\w+>)?([^()|]*)(?:\|[^()]*)?\)", r"\1"),) * 3,
    *((r"\|.*", ""), (r"[\^$*+?]|\{[0-9,]*\}", ""), (r"\.", "x"), ("\0", ".")),
)
"""Parts of patterns with texts that they match, in the order in which they are replaced."""
MAX_PATTERN = 1_000
"""The most characters of a pattern."""
MAX_TEXT = 1_000_000
"""The most characters of a text, before and after its matches are replaced."""


class PatternError(ValueError):
    """A pattern is not valid in RE2, or a text is too long; the message gives the reason."""


class GoPattern(Struct, frozen=True, eq=False):
    """A compiled pattern."""

    _compiled: Any
    _groups: dict[str, int]

    def replace(self, text: str, replacement: str) -> str:
        """Return the text with its matches replaced; `$1`, `$name`, `${1}` and `$$` are as in Go.

        Raises `PatternError` if the text is too long, before or after.
        """
        # The library's own `sub` reads \1 where Go reads $1, and it allows an empty match right
        # after another match, which Go does not.
        if len(text) > MAX_TEXT:
            raise PatternError(f"the text has more than {MAX_TEXT:,} characters")
        # The replacement is read once, however many matches there are.
        pieces = list(self._split_replacement(replacement))
        data = text.encode()
        parts: list[bytes] = []
        size = last = 0
        for match in self._find_matches(data):
            added = [data[last : match.start()]]
            # Go drops an empty match right behind another one.
            if match.end() > last or match.start() == 0:
                added += (p if isinstance(p, bytes) else match.group(p) or b"" for p in pieces)
            last = match.end()
            parts += added
            size += sum(map(len, added))
            if size > MAX_TEXT:
                raise PatternError(f"the replaced text has more than {MAX_TEXT:,} characters")
        return b"".join((*parts, data[last:])).decode()

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches anywhere in the text."""
        return self._compiled.search(text.encode()) is not None

    def find_bounds(self) -> tuple[bytes, bytes]:
        """Return the least and the greatest bytes that begin a text which matches at its start."""
        least, most = self._compiled.possiblematchrange(32)
        return least, most

    def find(self, text: str, most: int = -1) -> list[str]:
        """Return at most `most` matches, or all if `most` is negative (`FindAllString`)."""
        data, matches, last = text.encode(), list[str](), -1
        for match in self._find_matches(data):
            if len(matches) == most:
                break
            if match.end() > match.start() or match.start() != last:
                matches.append(match.group().decode())
            last = match.end()
        return matches

    def find_doubts(self, replacement: str) -> Iterator[str]:
        """Yield a message for each part of a replacement that is probably a mistake."""
        for match in re.finditer(r"\\([0-9]+)", replacement):
            yield f"{match[0]} is literal text in Go; the group is written ${{{match[1]}}}"
        for match in _find_references(replacement):
            name = match["name"] or match["braced"]
            if name is None or name in self._groups:
                continue
            digits = re.match("[0-9]+", name)
            message = f"{match[0]} names no group and is replaced by nothing"
            if match["name"] and digits and digits[0] != name:
                message += f"; did you mean ${{{digits[0]}}}{name[digits.end() :]}?"
            yield message

    def _find_matches(self, data: bytes) -> Iterator[Any]:
        """Yield matches as Go's `ReplaceAll` does; each search begins at a later character."""
        position = 0
        while position <= len(data):
            match = self._compiled.search(data, position)
            if match is None:
                return
            yield match
            # A character, and not a byte: an empty match inside a character is none.
            position = max(position + _measure_character(data, position), match.end())

    def _split_replacement(self, replacement: str) -> Iterator[bytes | int]:
        last = 0
        for match in _find_references(replacement):
            yield replacement[last : match.start()].encode()
            last = match.end()
            name = match["name"] or match["braced"]
            if name is None:
                yield b"$"
            elif name in self._groups:
                yield self._groups[name]
        yield replacement[last:].encode()


def _find_references(replacement: str) -> Iterator[re.Match[str]]:
    """Yield the places of `$$`, `$name` and `${name}` in a replacement."""
    return re.finditer(r"\$(?:\$|(?P<name>\w+)|\{(?P<braced>\w+)\})", replacement)


def _measure_character(data: bytes, position: int) -> int:
    """Return the number of bytes of the character at a position; 1 at the end of the text."""
    first = data[position] if position < len(data) else 0
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4  # noqa: PLR2004


@lru_cache(maxsize=1024)
def compile_pattern(source: str) -> GoPattern:
    """Return a compiled pattern. Raises `PatternError` with the reason if Go refuses it."""
    import re2  # noqa: PLC0415  (few projects have patterns)

    if len(source) > MAX_PATTERN:
        raise PatternError(f"the pattern has more than {MAX_PATTERN:,} characters")
    if re.search(r"(?:^|[^\\])(?:\\\\)*\\C", source):
        # RE2 knows it, Go does not: a match could end within a character.
        raise PatternError("\\C is not an escape sequence of Go")
    options = re2.Options()
    # RE2 would print to standard error itself.
    options.log_errors = False
    try:
        compiled = re2.compile(source.encode(), options)
    except re2.error as error:
        raise PatternError(error.args[0].decode()) from None
    names = {name.decode(): index for name, index in compiled.groupindex.items()}
    # Go names groups by number as well.
    return GoPattern(compiled, names | {str(n): n for n in range(compiled.groups + 1)})


@lru_cache(maxsize=1024)
def can_match_both(one: str, other: str) -> bool:
    """Return whether a text might match two patterns as a whole, judged by how such texts begin."""
    import re2  # noqa: PLC0415  (few projects have patterns)

    try:
        bounds = [compile_pattern(f"^(?:{source})$").find_bounds() for source in (one, other)]
    except (PatternError, re2.error):  # it has no bounds
        return True
    return max(least for least, _ in bounds) <= min(most for _, most in bounds)


def guess_text(source: str) -> str:
    """Return a text that a simple pattern matches as a whole; arbitrary for other patterns."""
    for part, text in _SIMPLER:
        source = re.sub(part, text, source)
    return source
