"""Origins: the places in files where objects and fields are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from msgspec import Struct

_ODD_KEY = re.compile(r"[.\s\[\]]")

FieldPath = tuple[str | int, ...]
"""Keys and indices that lead to a field of an object."""


def shown(path: Iterable[object]) -> str:
    """Write a path as Kubernetes' messages do: `spec.targetRefs[0].name`.

    Brackets hold an index, the key of a list item (`spec.listeners[name=https]`), or a key with
    special characters (`metadata.labels[kuadrant.io/managed]`).
    """
    text = ""
    for step in path:
        if isinstance(step, str) and not _ODD_KEY.search(step):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]"
    return text


class Origin(Struct, frozen=True, order=True):
    """A place in a file: the path, the index of the document, line and column (from 1).

    The column is 0 unless it matters, as in a syntax error.
    """

    path: str
    index: int = 0
    line: int = 1
    column: int = 0

    def __str__(self) -> str:
        """Return `file:line` or `file:line:column`, which editors and terminals follow."""
        place = f"{self.path}:{self.line}"
        return f"{place}:{self.column}" if self.column else place


Place = Callable[[], Origin]
"""A function that returns an origin, called only on demand: finding a line costs a parse."""
