"""Property names as CEL can say them (Kubernetes, CRD validation rules, "Required escaping")."""

from __future__ import annotations

import re
from functools import lru_cache

_RESERVED = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_SPEAKABLE = re.compile(r"[a-zA-Z_./-][a-zA-Z0-9_./-]*")
_SPECIAL = re.compile(r"__|[./-]")
_ESCAPES = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


@lru_cache(maxsize=4096)
def escaped(name: str) -> str | None:
    """The name that rules use for a property; None where no rule can name it."""
    if name in _RESERVED:
        return f"__{name}__"
    if not _SPEAKABLE.fullmatch(name):
        return None
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], name)
