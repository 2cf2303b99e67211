"""A template's text as tokens. Source: the documentation of Go's text/template, and of strconv."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto

from msgspec import Struct

from spokerender.wings.publishing.gotemplates.problems import TemplateProblem

MAX_SOURCE = 20_000
"""Characters of a template."""


class Sort(Enum):
    """What a token is."""

    TEXT = auto()
    OPEN = auto()
    CLOSE = auto()
    FIELD = auto()
    DOT = auto()
    VARIABLE = auto()
    WORD = auto()
    STRING = auto()
    NUMBER = auto()
    CHARACTER = auto()
    SIGN = auto()
    SPACE = auto()


class Token(Struct, frozen=True):
    """A piece of a template, with the line that it begins in."""

    sort: Sort
    text: str
    line: int


_OPEN = re.compile(r"\{\{(?P<trim>-(?=\s))?(?P<comment>\s*/\*.*?\*/\s*?(?:\s-)?\}\})?", re.DOTALL)
_INSIDE = re.compile(
    r"(?P<CLOSE>(?:\s-)?\}\})"
    r"|(?P<SPACE>\s+)"
    r'|(?P<STRING>"(?:[^"\\\n]|\\.)*"|`[^`]*`)'
    r"|(?P<CHARACTER>'(?:[^'\\\n]|\\[^\n])+')"
    r"|(?P<NUMBER>[+-]?(?:0[xX][0-9a-fA-F_]+|0[bBoO][0-7_]+|\.?[0-9][0-9_]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?)(?!\w))"
    r"|(?P<FIELD>\.[^\W\d]\w*)"
    r"|(?P<DOT>\.)"
    r"|(?P<VARIABLE>\$\w*)"
    r"|(?P<SIGN>:=|[|(),=])"
    r"|(?P<WORD>[^\W\d]\w*)"
)


def tokens(source: str) -> Iterator[Token]:
    """Cut a template. Raises `TemplateProblem` where it has what no token begins with."""
    if len(source) > MAX_SOURCE:
        message = f"it has more than {MAX_SOURCE:,} characters"
        raise TemplateProblem(message)
    position, line, trims = 0, 1, False
    while position < len(source):
        opened = _OPEN.search(source, position)
        text = source[position : opened.start() if opened else len(source)]
        if trims:
            text = text.lstrip(" \t\r\n")
        if opened and opened["trim"]:
            text = text.rstrip(" \t\r\n")
        if text:
            yield Token(Sort.TEXT, text, line)
        if opened is None:
            return
        line += source.count("\n", position, opened.start())
        position = opened.end()
        if opened["comment"]:
            trims = opened[0].endswith("-}}")
        else:
            yield Token(Sort.OPEN, opened[0], line)
            closed = None
            while closed is None:
                match = _INSIDE.match(source, position)
                if match is None or match.lastgroup is None:
                    raise TemplateProblem(_unknown(source, position, line))
                token = Token(Sort[match.lastgroup], match[0], line)
                yield token
                position = match.end()
                line += match[0].count("\n")
                closed = token if token.sort is Sort.CLOSE else None
            trims = closed.text.endswith("-}}")
            continue
        line += opened[0].count("\n")


def _unknown(source: str, position: int, line: int) -> str:
    if position >= len(source):
        return f"line {line}: an action does not end with }}}}"
    character = source[position]
    if character in "\"`'":
        return f"line {line}: a text that does not end"
    return f"line {line}: unexpected {character!r} in an action"
