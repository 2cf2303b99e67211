"""Hashes and encodings. Source: sprig's crypto.go; three are upstream's own."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib

from spokerender.wings.publishing.gotemplates.problems import TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import Function

SHORT = 20
"""Hexadecimal digits of the short hashes."""


def sha3short(text: str, length: int = SHORT) -> str:
    """The first digits of a SHA3-256; upstream's naming rests on it."""
    if length <= 0:
        message = f"the length must be positive, but is {length}"
        raise TemplateProblem(message)
    return hashlib.sha3_256(text.encode()).hexdigest()[:length]


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def _b64dec(text: str) -> str:
    """The text that was encoded; refused where it is none, which sprig prints as a message."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        message = "no base64 of a text"
        raise TemplateProblem(message) from error


FUNCTIONS = (
    Function("sha1sum", _sha1, ("string",)),
    Function("sha256sum", lambda text: hashlib.sha256(text.encode()).hexdigest(), ("string",)),
    Function("sha512sum", lambda text: hashlib.sha512(text.encode()).hexdigest(), ("string",)),
    Function("sha3sum", lambda text: hashlib.sha3_256(text.encode()).hexdigest(), ("string",)),
    Function("sha3short", sha3short, ("string", "whole"), optional=1),
    Function("shortHash", lambda text: _sha1(text)[:SHORT], ("string",)),
    Function("adler32sum", lambda text: str(zlib.adler32(text.encode())), ("string",)),
    Function("b64enc", lambda text: base64.b64encode(text.encode()).decode(), ("string",)),
    Function("b64dec", _b64dec, ("string",)),
    Function("b32enc", lambda text: base64.b32encode(text.encode()).decode(), ("string",)),
)
