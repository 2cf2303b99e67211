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
    """The tree of a whole fleet, with the objects of each spoke's folder."""

    def bundle(self, folder: str) -> Bundle:
        """Return the bundle of a spoke."""

    def written(self, folder: str, paths: Collection[str] | None = None) -> Sequence[ObjectText]:
        """Return the objects in the files `paths` of a spoke's folder; in all files if None."""


class Shipped(Struct, frozen=True, eq=False):
    """One object of a spoke, for the delivery engines.

    `path` is the path of its own file, even if the layout has one file per spoke. Objects with
    equal `key` differ between spokes only in the values of the slots in `data`. `text` returns the
    text of that file, without a header; don't call it if the fleet has errors, as texts may be
    missing.
    """

    ref: Ref
    path: str
    key: object
    data: dict[str, Any]
    values: Mapping[str, Any]
    text: Callable[[], bytes]

    def object(self) -> dict[str, Any]:
        """Return the object with the spoke's values; `data` itself if it has no slot."""
        filled: dict[str, Any] = slots.fill(self.data, self.values)
        return filled
