"""The constants of a template. Source: the Go specification's literals, and strconv's `Unquote`."""

from __future__ import annotations

import re

from spokerender.wings.publishing.gotemplates.lexer import Sort, Token

_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))", re.DOTALL
)
_SHORT = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ITSELF = {"\\", '"', "'"}
_LARGEST = 1 << 63
_DECIMAL = re.compile(r"[+-]?(0[xXbBoO]\w+|0|[1-9]\d*)")
_OCTAL = re.compile(r"[+-]?0[0-7]+")


def constant(token: Token) -> str | float:
    """The value of a text, a character or a number. Raises `ValueError`, with the reason."""
    if token.sort is Sort.NUMBER:
        return _number(token.text)
    if token.text.startswith("`"):
        return token.text[1:-1].replace("\r", "")
    text = _ESCAPE.sub(_unescaped, token.text[1:-1])
    if token.sort is Sort.STRING:
        return text
    if len(text) != 1:
        message = f"{token.text} is not one character"
        raise ValueError(message)
    return ord(text)


def _unescaped(match: re.Match[str]) -> str:
    by_code = match[1] or match[2] or match[3]
    code = int(by_code, 16) if by_code else int(match[4], 8) if match[4] else None
    if code is not None and code < 0x110000 and not 0xD800 <= code < 0xE000:  # noqa: PLR2004
        return chr(code)
    if match[5] not in _SHORT and match[5] not in _ITSELF:
        message = f"{match[0]} is no escape of Go's"
        raise ValueError(message)
    return _SHORT.get(match[5], match[5])


def _number(text: str) -> float:
    digits = text.replace("_", "")
    try:
        if _DECIMAL.fullmatch(digits):
            number: float = int(digits, 0)
        else:
            number = int(digits, 8) if _OCTAL.fullmatch(digits) else float(digits)
    except ValueError as error:
        message = f"{text} is no number"
        raise ValueError(message) from error
    if isinstance(number, int) and not -_LARGEST <= number < _LARGEST:
        message = f"{text} is no integer of 64 bits"
        raise ValueError(message)
    return number
