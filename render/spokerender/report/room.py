"""Texts within a size: each piece as full as there is room for, from the shortest form up."""

from collections.abc import Sequence


def measure(text: str) -> int:
    """Return a text's length as hosts count it: in UTF-16, where an emoji is two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def choose_forms(pieces: Sequence[Sequence[str]], limit: int) -> list[int]:
    """Return which form of each piece to print, so that all of them take at most `limit` letters.

    The forms of a piece go from the shortest, which may be empty, to the fullest. All pieces get
    their next form, as far as there is room, before one gets the form after that.
    """
    chosen = [0] * len(pieces)
    room = limit - sum(measure(forms[0]) for forms in pieces)
    for level in range(1, max(map(len, pieces), default=0)):
        for place, forms in enumerate(pieces):
            if level >= len(forms) or chosen[place] != level - 1:
                continue
            more = measure(forms[level]) - measure(forms[level - 1])
            if more <= room:
                chosen[place] = level
                room -= more
    return chosen
