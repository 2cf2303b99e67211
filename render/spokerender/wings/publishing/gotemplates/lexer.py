"""Tokens of a template and the values of its constants.

Source: the documentation of Go's text/template; the Go specification's literals, and strconv's
`Unquote`.
"""

import re
from collections.abc import Generator, Iterator
from enum import Enum, auto

from msgspec import Struct

from spokerender.wings.publishing.gotemplates.values import reject_template

MAX_SOURCE = 20_000
"""Characters of a template."""

_SPACES = " \t\r\n"
SHORT_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_INT64 = 1 << 63
_MAX_CODE_POINT = 0x110000
_SURROGATES = range(0xD800, 0xE000)


class TokenType(Enum):
    """The types of tokens; a field, a variable and `)` have the fields below them as well."""

    TEXT = auto()
    CLOSE = auto()
    FIELD = auto()
    VARIABLE = auto()
    CLOSING = auto()
    WORD = auto()
    STRING = auto()
    NUMBER = auto()
    CHARACTER = auto()
    SIGN = auto()
    SPACE = auto()


class Token(Struct, frozen=True):
    """A piece of a template, with the line on which it begins."""

    type: TokenType
    text: str
    line: int


_OPEN = re.compile(r"\{\{(?P<trim>-(?=\s))?(?P<comment>\s*/\*.*?\*/\s*?(?:\s-)?\}\})?", re.DOTALL)
"""The start of an action, or a whole comment."""
_INSIDE = re.compile(
    r"(?P<CLOSE>(?:\s-)?\}\})"
    r"|(?P<SPACE>\s+)"
    r'|(?P<STRING>"(?:[^"\\\n]|\\.)*"|`[^`]*`)'
    r"|(?P<CHARACTER>'(?:[^'\\\n]|\\[^\n])+')"
    r"|(?P<NUMBER>[+-]?(?:0[xX][0-9a-fA-F_]+|0[bBoO][0-7_]+"
    r"|\.?[0-9][0-9_]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?)(?!\w))"
    r"|(?P<FIELD>(?:\.[^\W\d]\w*)+|\.)"
    r"|(?P<VARIABLE>\$\w*(?:\.[^\W\d]\w*)*)"
    r"|(?P<CLOSING>\)(?:\.[^\W\d]\w*)*)"
    r"|(?P<SIGN>:=|[|(,=])"
    r"|(?P<WORD>[^\W\d]\w*)"
)
"""The tokens of an action; groups are names of `TokenType`."""


def split_tokens(source: str) -> Iterator[Token]:
    """Split a template into tokens. Raises `GoTemplateError` at a character that begins none."""
    if len(source) > MAX_SOURCE:
        reject_template(f"the template has more than {MAX_SOURCE:,} characters")
    position, line, is_trimming = 0, 1, False
    while position < len(source):
        opening = _OPEN.search(source, position)
        text = source[position : opening.start() if opening else len(source)]
        if is_trimming:
            text = text.lstrip(_SPACES)
        if opening and opening["trim"]:
            text = text.rstrip(_SPACES)
        if text:
            yield Token(TokenType.TEXT, text, line)
        if opening is None:
            return
        line += source.count("\n", position, opening.start())
        position = opening.end()
        if opening["comment"]:
            line += opening[0].count("\n")
        else:
            position, line = yield from _split_action(source, position, line)
        is_trimming = source.endswith("-}}", 0, position)


def _split_action(source: str, position: int, line: int) -> Generator[Token, None, tuple[int, int]]:
    """Split the action at a position; return the position and the line after it."""
    while True:
        match = _INSIDE.match(source, position)
        if match is None or match.lastgroup is None:
            reject_template(f"line {line}: {_describe_rest(source, position)}")
        token = Token(TokenType[match.lastgroup], match[0], line)
        if token.type is not TokenType.SPACE:
            yield token
        position = match.end()
        line += match[0].count("\n")
        if token.type is TokenType.CLOSE:
            return position, line


def _describe_rest(source: str, position: int) -> str:
    if position >= len(source):
        return "an action does not end with }}"
    character = source[position]
    if character in "\"`'":
        return "a quoted text does not end"
    return f"unexpected {character!r} in an action"


def read_constant(token: Token) -> str | float:
    """Return the value of a string, a character or a number. Raises `GoTemplateError`."""
    if token.type is TokenType.NUMBER:
        return _read_number(token.text)
    if token.text.startswith("`"):
        return token.text[1:-1].replace("\r", "")
    escapes = r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))"
    text = re.sub(escapes, _unescape, token.text[1:-1], flags=re.DOTALL)
    if token.type is TokenType.STRING:
        return text
    if len(text) != 1:
        reject_template(f"{token.text} is not one character")
    return ord(text)


def _unescape(match: re.Match[str]) -> str:
    hexadecimal = match[1] or match[2] or match[3]
    code = int(hexadecimal, 16) if hexadecimal else int(match[4], 8) if match[4] else None
    if code is not None and code < _MAX_CODE_POINT and code not in _SURROGATES:
        return chr(code)
    if match[5] not in SHORT_ESCAPES and match[5] not in {"\\", '"', "'"}:
        reject_template(f"{match[0]} is not an escape sequence of Go")
    return SHORT_ESCAPES.get(match[5], match[5])


def _read_number(text: str) -> float:
    digits = text.replace("_", "")
    number: float
    try:
        if re.fullmatch(r"[+-]?(0[xXbBoO]\w+|0|[1-9]\d*)", digits):
            number = int(digits, 0)
        elif re.fullmatch(r"[+-]?0[0-7]+", digits):
            number = int(digits, 8)
        else:
            number = float(digits)
    except ValueError:
        reject_template(f"{text} is not a number")
    if isinstance(number, int) and not -_INT64 <= number < _INT64:
        reject_template(f"{text} is not an integer of 64 bits")
    return number
