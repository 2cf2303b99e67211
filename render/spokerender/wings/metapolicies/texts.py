"""Texts with expressions in them: `${...}`, as in `limits-of-${plan.tier}`.

`$${` stands for `${` itself.
"""

from __future__ import annotations

import re

from msgspec import Struct

_LITERAL = re.compile(
    r'[rR]?(?:"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|'
    r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')',
    re.DOTALL,
)
_OPEN = "${"


class Hole(Struct, frozen=True):
    """An expression in a text."""

    source: str


class UnclosedError(ValueError):
    """An expression has no end."""


def pieces(text: str) -> tuple[str | Hole, ...]:
    """The parts of a text. Raises `UnclosedError`."""
    found: list[str | Hole] = []
    plain, place = "", 0
    while (start := text.find(_OPEN, place)) >= 0:
        if text[max(start - 1, 0) : start] == "$":
            plain += text[place : start - 1] + _OPEN
            place = start + len(_OPEN)
            continue
        end = _end(text, start + len(_OPEN))
        plain += text[place:start]
        found += [plain] if plain else []
        found.append(Hole(text[start + len(_OPEN) : end].strip()))
        plain, place = "", end + 1
    plain += text[place:]
    return (*found, plain) if plain else tuple(found)


def _end(text: str, place: int) -> int:
    depth = 1
    while place < len(text):
        literal = _LITERAL.match(text, place)
        if literal:
            place = literal.end()
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return place
        place += 1
    message = "an expression has no end: a } is missing"
    raise UnclosedError(message)
