"""What the expressions of a fleet may cost together: assertions, or the metapolicies of one kind.

Each has a bound of its own (`formats.cel.limits`), but there may be thousands of them, each
for thousands of objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from spokerender.formats.cel.library import Program
from spokerender.formats.cel.limits import BUDGET, MAX_WORK, WEIGHTS

MOST, MOST_FOR_EACH = 3 * MAX_WORK, 30_000
"""Characters of work, for all and more for each object on each spoke: about 0.5 s, and 0.5 ms."""
_EVALUATION = 1_000
"""What an evaluation costs that does nothing: about as much as so many characters."""


_EDIT = 4_000
"""What an edit costs besides what it writes."""
_Edit = TypeVar("_Edit")


class ExhaustedError(Exception):
    """The expressions have done as much work as they may."""


class Meter:
    """Counts the work of expressions."""

    __slots__ = ("_left", "most")

    def __init__(self) -> None:
        """Allow as much as small fleets may do."""
        self.most = self._left = MOST

    def allow(self, objects: int) -> None:
        """Allow what so many objects of one more spoke may cost."""
        self.most += MOST_FOR_EACH * objects
        self._left += MOST_FOR_EACH * objects

    def begin(self, program: Program, values: Mapping[str, Any]) -> None:
        """An evaluation begins: what it reads is copied. Raises `ExhaustedError`."""
        read = sum(WEIGHTS.of(values[name]) for name in program.names if name in values)
        self.spend(_EVALUATION + len(program.source) + read)

    def end(self) -> None:
        """It has ended: what our own functions did is told by their budget."""
        self._left -= BUDGET.spent

    def counted(self, edits: Iterable[_Edit]) -> Iterator[_Edit]:
        """The edits, each with what it costs to carry it out. Raises `ExhaustedError`."""
        for edit in edits:
            written = getattr(edit, "object", None) or getattr(edit, "merge", None)
            self.spend(_EDIT + WEIGHTS.of(written))
            yield edit

    def spend(self, work: int) -> None:
        """Take so much. Raises `ExhaustedError` when there was not as much."""
        self._left -= work
        if self._left < 0:
            raise ExhaustedError
