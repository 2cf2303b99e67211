"""Places in files: where something was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

FieldPath = tuple[str | int, ...]
"""Keys and indices that lead to a field of an object."""


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Where something was written: file, index of the document in it, line (from 1)."""

    path: str
    index: int = 0
    line: int = 1

    def __str__(self) -> str:
        """Editors and terminals follow `file:line`."""
        return f"{self.path}:{self.line}"


Place = Callable[[], Origin]
"""Where something was written, found out only when it is asked for: lines cost a parse."""
