"""How much overrides may change: each makes another object of what it is applied to.

Half a file of overrides of all routes, and half a file of routes, are a product; and an object
grows with each of them, all of which are remembered to tell where a field is from.
"""

from __future__ import annotations

from typing import Any

from spokerender.findings.codes.overriding import TOO_MANY_OVERRIDES
from spokerender.findings.errors import InputError
from spokerender.formats.patching import count_values
from spokerender.model import Ref

MOST = 200_000
"""Values in the objects that overrides are applied to, for each time."""
MOST_FOR_EACH = 1_000
"""As many more for each object of the hub and each spoke: a dozen overrides of each."""
MOST_OF_ONE = 200
"""Overrides of one object on one spoke, one after the other."""
ONCE = 50
"""What it costs to apply one, in values."""


class Allowance:
    """What the overrides of a fleet have left."""

    def __init__(self, things: int) -> None:
        """Start full; `things` are the objects and spokes that there are."""
        self._most = self._left = MOST + MOST_FOR_EACH * things

    def begin(self, ref: Ref, overrides: int) -> None:
        """Count the overrides that are going to be applied to an object.

        Raises:
            InputError: it has more than one may have.

        """
        if overrides > MOST_OF_ONE:
            message = f"{overrides:,} overrides are applied to it, and may be {MOST_OF_ONE}"
            raise InputError((TOO_MANY_OVERRIDES.result(message, cure=_CURE, resource=ref),))

    def spend(self, data: Any, patch: Any) -> None:  # noqa: ANN401  (JSON of any shape)
        """Count that an override is applied to an object: a merge, or the operations of a patch.

        Raises:
            InputError: it is once too often.

        """
        operations = len(patch) if isinstance(patch, list) else 1
        self._left -= ONCE * operations + count_values(data)
        if self._left < 0:
            message = (
                "the overrides are applied to objects that together have more than "
                f"{self._most:,} values, counted each time"
            )
            raise InputError((TOO_MANY_OVERRIDES.result(message, cure=_CURE),))


_CURE = "make one override of several, or say in the hub what holds everywhere"
