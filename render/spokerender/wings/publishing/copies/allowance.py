"""How much publishing may copy: workspaces that name one folder are a product with its objects.

So are the steps of a resource, what is related to it, and the objects that it publishes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spokerender.findings.codes.publishing import TOO_MANY_COPIES
from spokerender.findings.errors import InputError
from spokerender.formats.patching import count_values

MOST = 400_000
"""Values in what is copied, for each copy."""
MOST_FOR_EACH = 2
"""As many more for each byte that workspaces have, each file counted once."""
ONCE = 50
"""What a copy costs besides, in values."""
_OF_A_STEP, _KEPT = 3, 4
_BYTES = 8
"""How many bytes cost a value when they are read."""

Files = Sequence[tuple[str, bytes]]


class Allowance:
    """What all workspaces together have left."""

    def __init__(self, workspaces: Iterable[Files]) -> None:
        """Start full; `workspaces` are the files of each."""
        distinct = {path: len(data) for files in workspaces for path, data in files}
        self._most = self._left = MOST + MOST_FOR_EACH * sum(distinct.values())

    def read(self, files: Files, kinds: int) -> None:
        """Count that a workspace's files are read, and the kinds that it binds.

        Raises `InputError`, as all here.
        """
        self._spend(sum(len(data) for _, data in files) // _BYTES + _OF_A_STEP * kinds)

    def copy(self, data: Mapping[str, Any], steps: int) -> None:
        """Count that an object is copied, and mutated by so many steps."""
        values = count_values(data)
        grown = values + steps  # each step may add a value, and what was before it is kept
        self._spend(ONCE + values + steps * (_OF_A_STEP + grown // _KEPT))

    def look(self, objects: int) -> None:
        """Count that something related is looked for among so many objects."""
        self._spend(_OF_A_STEP + objects // _BYTES)

    def found(self, objects: int) -> None:
        """Count that so many are found, or named."""
        self._spend(_OF_A_STEP * objects)

    def _spend(self, values: int) -> None:
        self._left -= values
        if self._left < 0:
            message = (
                "the workspaces' objects that are read, related and copied have together more "
                f"than {self._most:,} values, counted each time"
            )
            cure = "let fewer workspaces name one folder, or relate and mutate less"
            raise InputError((TOO_MANY_COPIES.result(message, cure=cure),))
