"""Places in files: where something was written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from msgspec import Struct

_ODD_KEY = re.compile(r"[.\s\[\]]")

FieldPath = tuple[str | int, ...]
"""Keys and indices that lead to a field of an object."""


def shown(path: Iterable[object]) -> str:
    """A path as Kubernetes' own messages show it: `spec.targetRefs[0].name`.

    In brackets stands what is no plain key: an index, what tells the items of a list apart
    (`spec.listeners[name=https]`), a key with a dot, say (`metadata.labels[kuadrant.io/managed]`).
    """
    text = ""
    for step in path:
        if isinstance(step, str) and not _ODD_KEY.search(step):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]"
    return text


class Origin(Struct, frozen=True, order=True):
    """Where something was written: file, index of the document in it, line and column (from 1).

    The column is 0 unless it matters, as in what can't be read.
    """

    path: str
    index: int = 0
    line: int = 1
    column: int = 0

    def __str__(self) -> str:
        """Editors and terminals follow `file:line` and `file:line:column`."""
        place = f"{self.path}:{self.line}"
        return f"{place}:{self.column}" if self.column else place


Place = Callable[[], Origin]
"""Where something was written, found out only when it is asked for: lines cost a parse."""
