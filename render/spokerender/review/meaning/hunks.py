"""The hunks of a change of files; each can be reverted alone."""

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from spokerender.model import grouped

_SEPARATOR = "---"
_Span = tuple[int, int]


class Lines(Struct, frozen=True):
    """Lines of a file in one state, or none; `start` is the number of lines before them."""

    start: int
    texts: tuple[str, ...]

    @property
    def numbers(self) -> range:
        """Return the numbers of the lines."""
        return range(self.start + 1, self.start + 1 + len(self.texts))

    @property
    def first(self) -> int:
        """Return the number of the first line with content; 0 if there is none."""
        pairs = zip(self.numbers, self.texts, strict=True)
        return next((number for number, text in pairs if _has_content(text)), 0)

    @property
    def content(self) -> tuple[str, ...]:
        """Return the lines with content."""
        return tuple(filter(_has_content, self.texts))


class Hunk(Struct, frozen=True):
    """Lines of a file, and the earlier lines that they replace."""

    path: str
    old: Lines
    new: Lines


def list_hunks(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[Hunk, ...]:
    """Return the hunks of files by path, without those of comments and of moved text."""
    hunks = [
        hunk
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
        for hunk in _compare(path, read_lines(before, path), read_lines(after, path))
        if hunk.old.content != hunk.new.content
    ]
    # An object that moved to another file or position.
    moved = {hunk.new.content for hunk in hunks} & {hunk.old.content for hunk in hunks} - {()}
    return tuple(hunk for hunk in hunks if moved.isdisjoint((hunk.old.content, hunk.new.content)))


def take_back(files: Mapping[str, bytes], hunks: Collection[Hunk]) -> Mapping[str, bytes]:
    """Return the changed files with these hunks reverted."""
    undone: dict[str, bytes] = {}
    for path, own in grouped((hunk.path, hunk) for hunk in hunks).items():
        lines = read_lines(files, path)
        # From the end, so that line numbers of earlier hunks do not change.
        for hunk in sorted(own, key=lambda it: (it.new.start, it.old.start), reverse=True):
            lines[hunk.new.start : hunk.new.start + len(hunk.new.texts)] = hunk.old.texts
        undone[path] = "\n".join(lines).encode(errors="surrogateescape")
    return undone


def read_lines(files: Mapping[str, bytes], path: str) -> list[str]:
    """Return the lines of a file; a missing file has one empty line."""
    # Not `splitlines`, to which more characters end a line than to editors.
    return files.get(path, b"").decode(errors="surrogateescape").split("\n")


def list_parents(lines: Sequence[str]) -> Sequence[int]:
    """Return for each line the number of the line with its parent field or item; 0 for none."""
    parents, open_lines = list[int](), [(-2, 0)]
    for number, line in enumerate(lines, 1):
        indent = _measure_indent(line)
        while open_lines[-1][0] >= max(indent, 0):
            open_lines.pop()
        # The nearest line above that is indented less.
        parents.append(open_lines[-1][1])
        open_lines.append((indent, number))
    return parents


def _measure_indent(line: str) -> int:
    """Return the indentation of a line; -1 for a separator, 1000 for an empty line."""
    if line == _SEPARATOR:
        return -1
    return len(line) - len(line.lstrip()) if _has_content(line) else 1_000


def _has_content(line: str) -> bool:
    text = line.strip()
    return bool(text) and text != _SEPARATOR and not text.startswith("#")


def _compare(path: str, old: list[str], new: list[str]) -> Iterator[Hunk]:
    for old_span, span in _pair(old, new):
        for spans in _divide(old, new, old_span, span):
            sides = zip((old, new), spans, strict=True)
            was, now = (Lines(part[0], tuple(lines[slice(*part)])) for lines, part in sides)
            yield Hunk(path, was, now)


def _pair(old: list[str], new: list[str]) -> Iterator[tuple[_Span, _Span]]:
    """Yield the differing line ranges, old and new."""
    # Unique lines are paired first: many objects have the other lines in common.
    bounds = [(0, 0), *_pair_single_lines(old, new), (len(old), len(new))]
    for (first, start), (last, end) in itertools.pairwise(bounds):
        was, now = old[first:last], new[start:end]
        # Without it, frequent lines of long files count as junk and pair badly.
        parts = SequenceMatcher(None, was, now, autojunk=False) if was != now else None
        for kind, a, b, c, d in parts.get_opcodes() if parts else ():
            if kind != "equal":
                yield (first + a, first + b), (start + c, start + d)


def _pair_single_lines(*states: list[str]) -> list[_Span]:
    """Return the old and new numbers of lines that are unique and keep their order.

    Performance: mostly these are all unchanged lines, and only the lines between them need a diff.
    """
    repeated = Counter(states[0]) | Counter(states[1])
    old, new = (
        {line: number for number, line in enumerate(lines) if repeated[line] == 1}
        for lines in states
    )
    was, now = [line for line in old if line in new], [line for line in new if line in old]
    blocks = SequenceMatcher(None, was, now, autojunk=False).get_matching_blocks()
    lasting = (line for start, _, size in blocks for line in was[start : start + size])
    return [(old[line], new[line]) for line in lasting]


def _divide(
    old: list[str], new: list[str], old_span: _Span, span: _Span
) -> Iterator[tuple[_Span, _Span]]:
    """Yield the parts of a difference that can be reverted one by one."""
    (first, last), (start, end) = old_span, span
    # As many lines as before: most likely each one was edited in its place.
    if last - first == end - start:
        for number in range(end - start):
            before, after = first + number, start + number
            yield (before, before + 1), (after, after + 1)
    elif first == last:
        yield from (((first, first), part) for part in _split(new, span))
    elif start == end:
        parts = _split(old, old_span)
        place = start - first + parts[0][0]
        yield from ((part, (place, place)) for part in parts)
    else:
        # An edit and an insertion in one: nothing tells which line belongs to which.
        yield old_span, span


def _split(lines: Sequence[str], span: _Span) -> list[_Span]:
    """Return the parts of an insertion: documents, or entries of a list or mapping.

    If an insertion can be shifted up without changing the text, it starts where an entry starts.
    """
    start, end = span
    shifts = [0]
    while start > shifts[-1] and lines[start - shifts[-1] - 1] == lines[end - shifts[-1] - 1]:
        shifts.append(shifts[-1] + 1)
    # The shift with the least indented first line inserts whole entries.
    shift = min(shifts, key=lambda shift: _measure_indent(lines[start - shift]))
    start, end = start - shift, end - shift
    least = min(map(_measure_indent, lines[start:end]))
    is_list = lines[start].lstrip().startswith("- ")
    begins = (
        number
        for number in range(start + 1, end)
        # Keys of a document are not split, nor items below a key.
        if least and _measure_indent(lines[number]) == least
        if least < 0 or lines[number].lstrip().startswith("- ") == is_list
    )
    bounds = [start, *begins, end]
    return [*itertools.pairwise(bounds)]
