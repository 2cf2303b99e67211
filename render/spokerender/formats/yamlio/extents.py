"""Where the pieces of a block-style text begin and end, with the comments that belong to them."""

from __future__ import annotations

import re

from msgspec import Struct

from spokerender.formats.yamlio.nodes import Alias, Collection, Node, Scalar

_COLON = re.compile(r"[ \t]*:(?=[ \t\n]|\Z)")
_LINE_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?=\n|\Z)")
_REMARK = re.compile(r"\n(?:[ \t]*\n)*([ ]*)#[^\n]*")
_NO_CONTENT = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_SPACES = " \t"


class UncertainError(Exception):
    """The text is written in a way that is not edited in place."""


class Entry(Struct, frozen=True):
    """A key with its value, or, where `key` is None, a dash with its item, at `column`.

    `start` is the key or the dash, `value_start` what follows the colon or the dash, `end` the
    end of the last line that belongs to it: comments that are indented deeper do.
    """

    key: Node | None
    value: Node
    column: int
    start: int
    value_start: int
    end: int


class Block(Struct, frozen=True):
    """The entries of a collection in block style, and where the text before the first begins."""

    start: int
    column: int
    entries: list[Entry]

    @property
    def end(self) -> int:
        """The end of the last entry."""
        return self.entries[-1].end

    def gaps(self, text: str) -> list[tuple[str, str]]:
        """What stands before each entry: what stays there, and what belongs to the entry."""
        starts = [self.start, *(one.end for one in self.entries)]
        pairs = zip(starts, self.entries, strict=False)
        return [_split_gap(trim(text[start : one.start]), self.column) for start, one in pairs]


def block(text: str, start: int, node: Collection) -> Block:
    """Find the entries. Raises `UncertainError` for explicit keys (`? `) and the like."""
    entries = _pairs(text, node) if node.is_mapping else _items(text, node)
    return Block(start, node.start.column, entries)


def _pairs(text: str, node: Collection) -> list[Entry]:
    entries = []
    column = node.start.column
    for key, value in node.pairs():
        colon = _COLON.match(text, key.end.index)
        if colon is None or key.start.column != column:
            raise UncertainError
        end = _end(text, value, column)
        entries.append(Entry(key, value, column, key.start.index, colon.end(), end))
    return entries


def _items(text: str, node: Collection) -> list[Entry]:
    entries: list[Entry] = []
    column = node.start.column
    dash = node.start.index
    for item in node.children:
        if entries:
            match = _NO_CONTENT.match(text, entries[-1].end + 1)
            dash = (match.end() if match else 0) + column
        if text[dash : dash + 1] != "-":
            raise UncertainError
        entries.append(Entry(None, item, column, dash, dash + 1, _end(text, item, column)))
    return entries


def content_end(text: str, node: Node) -> int:
    """Where the content of a node ends: before the comment and the blank lines behind it."""
    while isinstance(node, Collection) and not node.flow:
        node = node.children[-1]
    end: int = node.end.index
    if isinstance(node, Scalar) and node.style in {"|", ">"}:
        source = text[node.start.index : end]
        keeps = "+" in source.partition("\n")[0].partition("#")[0]
        return end - source.endswith("\n") if keeps else node.start.index + len(source.rstrip("\n"))
    return end


def _end(text: str, node: Node, column: int) -> int:
    """The end of the entry at `column` that `node` is the value of."""
    match = None if isinstance(node, Alias) else _LINE_REST.match(text, content_end(text, node))
    if match is None:
        raise UncertainError
    end = match.end()
    while (remark := _REMARK.match(text, end)) and len(remark[1]) > column:
        end = remark.end()
    return end


def _split_gap(gap: str, column: int) -> tuple[str, str]:
    """To an entry belong the comments directly above it that are not indented deeper."""
    lines = gap.split("\n")
    first = len(lines) - 1
    if first == 0:
        return gap, ""
    while first > 1 and (line := lines[first - 1]).lstrip().startswith("#"):
        if len(line) - len(line.lstrip()) > column:
            break
        first -= 1
    return "\n".join(lines[:first]) + "\n", "\n".join(lines[first:])


def trim(gap: str) -> str:
    """What stands between contents, without spaces at the ends of lines."""
    *lines, last = gap.split("\n")
    return "".join(f"{line.rstrip(_SPACES)}\n" for line in lines) + last
