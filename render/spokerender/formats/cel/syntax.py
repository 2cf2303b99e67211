"""Put syntax errors into plain words; in the library's words, they list tokens of its parser."""

import re
from collections.abc import Callable

SYNTAX = "Syntax error: "
_END = "<EOF>"


def _unexpected(token: str, expected: str) -> str:
    if expected == _END:
        return f'"{token}" follows an expression that is complete'
    missing = "a value" if expected.startswith("{") else expected
    return f"{missing} is missing {_before(token)}"


def _before(token: str) -> str:
    return "at the end" if token == _END else f'before "{token}"'


def _unread(text: str, _: str) -> str:
    if text[:1] in ("'", '"'):
        return f"the text {text} is not closed, or has an escape that CEL has not"
    return f'"{text.strip()}" means nothing in CEL'


_FORMS: tuple[tuple[str, Callable[[str, str], str]], ...] = (
    (r"(?:mismatched|extraneous) input '(.*)' expecting (.*)", _unexpected),
    (r"missing (.*) at '(.*)'", lambda token, place: f"{token} is missing {_before(place)}"),
    (r"no viable alternative at input '(.*)'()", lambda token, _: f"{token} is not expected here"),
    (r"token recognition error at: '(.*)'()", _unread),
)


def say_plainly(message: str) -> str:
    """Return an error message, without the list of the parser's tokens in a syntax error."""
    text = message.removesuffix(" [INVALID_ARGUMENT]").removeprefix(SYNTAX)
    for pattern, write in _FORMS:
        if match := re.fullmatch(pattern, text, re.DOTALL):
            return f"{SYNTAX}{write(*match.groups())}"
    return message
