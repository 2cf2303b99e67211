"""The fleet's tree: what shall be on disk, and which objects are in which text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from msgspec import Struct

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
