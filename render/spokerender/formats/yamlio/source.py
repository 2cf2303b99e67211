"""A text under edit, and what in it can't stay even where nothing changes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from spokerender.formats.yamlio.nodes import Collection, Node, Scalar
from spokerender.formats.yamlio.resolve import resolve
from spokerender.formats.yamlio.scalars import stays_block, stays_plain, unseen, with_unseen_shown

_TRAILING_SPACE = re.compile(r"[ \t]\n")


class Source(Struct, frozen=True):
    """The text and the offsets, in order, of what must be written anew in it."""

    text: str
    restless: list[int]

    def is_settled(self, start: int, end: int) -> bool:
        """Whether the piece can stay as it is if its meaning does."""
        first = bisect_left(self.restless, start)
        return first == len(self.restless) or self.restless[first] >= end


def survey(text: str, root: Collection) -> Source:
    """Find the scalars and keys that readers disagree on or can't see, and spaces at line ends."""
    restless = [match.start() for match in _TRAILING_SPACE.finditer(text)] + unseen(text)
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Collection):
            waiting += node.children
            if node.is_mapping and not all(map(_is_firm_key, node.children[::2])):
                restless.append(node.start.index)
            if node.flow and any(child.start.index == child.end.index for child in node.children):
                restless.append(node.start.index)
        elif isinstance(node, Scalar) and not _is_firm(node):
            restless.append(node.start.index)
    return Source(text, sorted(restless))


def _is_firm_key(node: Node) -> bool:
    return isinstance(node, Scalar) and (not node.plain or isinstance(resolve(node.text), str))


def _is_firm(node: Scalar) -> bool:
    if node.plain:
        return _is_firm_plain(node.text)
    return stays_block(node.style, node.text)


def with_seen_comments(text: str, root: Collection) -> str:
    """The text with escapes for what nobody sees in its comments; its values stay as they are."""
    pieces: list[str] = []
    end = 0
    for scalar in _scalars(root):
        start, last = scalar.start.index, scalar.end.index
        pieces += with_unseen_shown(text[end:start]), text[start:last]
        end = last
    return "".join((*pieces, with_unseen_shown(text[end:])))


def _scalars(root: Collection) -> Iterator[Scalar]:
    """All scalars, keys among them, in the order of the text, which has no alias."""
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Collection):
            waiting += reversed(node.children)
        elif isinstance(node, Scalar):
            yield node


@lru_cache(maxsize=16384)
def _is_firm_plain(text: str) -> bool:
    return stays_plain(text, resolve(text))
