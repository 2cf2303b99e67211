"""The fleet's tree: the files that it should have, and the objects in their texts."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from spokerender.model import Ref, slots
from spokerender.model.plan import TreeSource
from spokerender.rendering.values.bundles import Bundle, Variant


class ObjectText(Struct, frozen=True, eq=False):
    """The text of one object in a spoke's folder, without a header.

    `variant` is its source; None for a Namespace that is no hub object.
    """

    variant: Variant | None
    text: bytes


class Tree(TreeSource, Protocol):
    """The tree of a whole fleet, with the spokes' folders object by object."""

    def bundle(self, folder: str) -> Bundle:
        """Return the bundle of a spoke."""

    def written(self, folder: str, paths: Collection[str] | None = None) -> Sequence[ObjectText]:
        """Return the objects in these files of a spoke's folder, or all of them."""


class Shipped(Struct, frozen=True, eq=False):
    """One object of a spoke, for the engines that deliver it.

    `path` is that of a file of its own, whatever the layout. Objects of one `key` differ between
    spokes only in the values of the slots in `data`. `text` makes the text of that file, without a
    header; don't call it if the fleet has errors: there may be no text.
    """

    ref: Ref
    path: str
    key: object
    data: dict[str, Any]
    values: Mapping[str, Any]
    text: Callable[[], bytes]

    def object(self) -> dict[str, Any]:
        """Return the object with the spoke's values; `data` itself if that has no slot."""
        filled: dict[str, Any] = slots.fill(self.data, self.values)
        return filled
