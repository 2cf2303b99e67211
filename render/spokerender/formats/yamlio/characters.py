"""Which characters a file may hold, and which no file can bring to a cluster.

Measured by sending every character of the first plane, and samples of the others, as values
and as keys through kubectl 1.32 and the kustomize in it.
"""

from __future__ import annotations

import re

_UNSUPPORTED = re.compile("[\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LINE_SEPARATORS = ("\u2028", "\u2029")
# A byte order mark is a character like others, except where a line begins: there it is dropped.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|^\ufeff", re.MULTILINE
)


def name(character: str) -> str:
    """The character as Unicode writes it: `U+0085`."""
    return f"U+{ord(character):04X}"


def unsupported(text: str) -> str | None:
    """The name of the first character that can't be carried to a cluster, or None.

    kustomize refuses it, or makes a space of it (U+0085), even where it is escaped. A string of
    several lines that ends with U+2028 or U+2029 makes it forget the line end before the `---`
    that follows, and the next document is lost.
    """
    if text.isascii() and "\x7f" not in text:
        return None
    if match := _UNSUPPORTED.search(text):
        return name(match[0])
    return name(text[-1]) if text.endswith(_LINE_SEPARATORS) and "\n" in text else None


def complaint(text: str) -> str | None:
    """What is wrong with a string that has an unsupported character, or None."""
    character = unsupported(text)
    if character is None:
        return None
    return f"the string has the character {character}, which kustomize can't carry to a cluster"


def first_unreadable(text: str) -> int | None:
    """The offset of the first character that must not stand in a file as it is."""
    match = _UNREADABLE.search(text)
    return match.start() if match else None
