"""What is wrong with a YAML file, and the one exception that carries it out of the parser."""

from __future__ import annotations

from msgspec import Struct


class Problem(Struct, frozen=True, order=True):
    """The line in the file (from 1), what is wrong, what to do.

    No `Fault`: what kind of finding it is knows who reads the file, and a text has no fields.
    """

    line: int
    message: str
    cure: str
    column: int = 0
    """From 1; 0 where it is the line's or the file's."""


class TextProblem(Struct, frozen=True):
    """The same before lines are counted: its place is a character offset in its document's text.

    `earlier` is the offset of the other place that it is about, where there is one; `begun` is
    where that begins which can't be read.
    """

    offset: int
    message: str
    cure: str
    earlier: int | None = None
    begun: int | None = None


class UnreadableError(Exception):
    """The document can't be read any further than this."""

    def __init__(self, offset: int, message: str, cure: str, begun: int | None = None) -> None:
        """Keep the problem."""
        super().__init__(message)
        self.problem = TextProblem(offset, message, cure, begun=begun)
