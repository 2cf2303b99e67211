"""The objects of one spoke that come, go or change, going by their texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from spokerender.model import Ref
from spokerender.rendering.values.trees import SpokeTrees, Written
from spokerender.review.guard.documents import Reader, documents

Before = Callable[[str, Collection[str] | None], Mapping[str, bytes]]
"""The files of a folder before the change, these or all: path below it, with `/`, and bytes."""


class Change(Protocol):
    """What changes in one folder of the output (`model.plan.FolderPlan`); paths are below it."""

    @property
    def folder(self) -> str:
        """Its name: the spoke's, or one that begins with `_` and belongs to none."""

    @property
    def create(self) -> Sequence[str]:
        """The files that come."""

    @property
    def update(self) -> Sequence[str]:
        """The files whose bytes change."""

    @property
    def delete(self) -> Sequence[str]:
        """The files that go."""

    @property
    def is_new(self) -> bool:
        """Whether nothing has been there before."""

    @property
    def is_removed(self) -> bool:
        """Whether no file of ours shall be in it any more."""


class Differing(Struct, frozen=True, eq=False):
    """The objects of one spoke whose texts differ, as they are called there.

    `total` is how many objects there were.
    """

    gone: Mapping[Ref, bytes]
    added: Mapping[Ref, Written]
    changed: Mapping[Ref, tuple[bytes, Written]]
    total: int


def differing(change: Change, before: Before, after: SpokeTrees, reader: Reader) -> Differing:
    """Compare the files that change. In which of them an object is does not matter."""
    spoke = change.folder
    old = documents(before(spoke, {*change.update, *change.delete}))
    new = called(spoke, after, reader, {*change.create, *change.update})
    same = {item.text for item in new.values()}.intersection(old)
    was = {ref: text for text in old if text not in same and (ref := reader.ref(text)) is not None}
    now = {ref: item for ref, item in new.items() if item.text not in same}
    gone = {ref: text for ref, text in was.items() if ref not in now}
    added = {ref: item for ref, item in now.items() if ref not in was}
    changed = {ref: (was[ref], now[ref]) for ref in was.keys() & now.keys()}
    return Differing(gone, added, changed, after.count(spoke) - len(added) + len(gone))


def called(
    spoke: str, after: SpokeTrees, reader: Reader, paths: Collection[str] | None = None
) -> dict[Ref, Written]:
    """The objects in these files of a spoke, or all of them, by what they are called there."""
    bundle = after.bundle(spoke)
    objects: dict[Ref, Written] = {}
    for item in after.written(spoke, paths):
        if item.variant is not None:
            objects[bundle.ref(item.variant.ref)] = item
        elif (ref := reader.ref(item.text)) is not None:
            objects[ref] = item
    return objects
