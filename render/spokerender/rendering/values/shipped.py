"""A spoke's objects, for who delivers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from spokerender.model import Ref, slots


class Shipped(Struct, frozen=True, eq=False):
    """One object of a spoke, for who delivers it.

    `path` is the one that it has in a file of its own, whatever the layout. Objects of one `key`
    are the same on all spokes but for the values in the slots of `data`. `text` makes what stands
    in that file, without a header; not to be asked of a fleet with errors, which may have none.
    """

    ref: Ref
    path: str
    key: object
    data: dict[str, Any]
    values: Mapping[str, Any]
    text: Callable[[], bytes]

    def object(self) -> dict[str, Any]:
        """The object with the spoke's values; it is `data` itself where that has no slot."""
        filled: dict[str, Any] = slots.fill(self.data, self.values)
        return filled
