"""The fleet's tree: the files that it should have, and the objects in their texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from spokerender.model import Ref, slots
from spokerender.model.plan import TreeSource
from spokerender.rendering.values.bundles import Bundle, Variant


class Written(Struct, frozen=True, eq=False):
    """One object as it shall stand in a spoke's folder: its text there, without a header.

    `variant` is what it was made of; None where no hub object was (a Namespace).
    """

    variant: Variant | None
    text: bytes


class SpokeTrees(Protocol):
    """What shall be in the spokes' folders, object by object."""

    def bundle(self, folder: str) -> Bundle:
        """What a spoke gets."""

    def written(self, folder: str, paths: Collection[str] | None = None) -> Sequence[Written]:
        """The objects that are in these files of a spoke's folder, or all of them."""

    def count(self, folder: str) -> int:
        """How many objects are in a spoke's folder."""


class Tree(SpokeTrees, TreeSource, Protocol):
    """The tree of a whole fleet."""


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
