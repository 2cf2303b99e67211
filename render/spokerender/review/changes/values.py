"""A difference of an object between two trees, the same in one or more folders."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from spokerender.formats.comparing import Change
from spokerender.model import Ref


class DifferenceKind(StrEnum):
    """The way in which an object or a folder differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    TEXT = "text-only"
    """The objects are equal; comments, the order of keys or the format are not."""
    MOVED = "moved"
    """The object has another name or namespace; `Difference.was` is the old identity."""
    UNREADABLE = "unreadable"
    """The old text is not YAML as Kubernetes reads it; `Difference.problem` says why."""
    NEW_FOLDER = "new"
    """The whole folder is new; each of the folders has `Difference.count` objects."""
    LOST_FOLDER = "lost"
    """The whole folder is deleted; each of the folders had `Difference.count` objects."""


class Varying(Struct, frozen=True):
    """A field that several folders change in different ways, each from and to its own value.

    `first` is the change in the first folder. `by_folders` lists all changes with their folders.
    """

    first: Change
    by_folders: tuple[tuple[tuple[str, ...], Change], ...]


class Difference(Struct, frozen=True):
    """One difference of an object, the same in a file of one or more output folders."""

    kind: DifferenceKind
    path: str
    ref: Ref | None
    """The object in the file; None if the file has no object, or several."""
    folders: tuple[str, ...]
    """Spokes, or `_fleet`, in the order of the input."""
    changes: tuple[Change, ...] = ()
    """The changed fields of an object that changed or moved."""
    problem: str = ""
    varying: tuple[Varying, ...] = ()
    was: Ref | None = None
    count: int = 0
    follows: tuple[Ref, ...] = ()
    """The objects of which only the reference to the moved object changed."""
    example: "Difference | None" = None
    """The difference of one spoke, if this one has slots (placeholders) for the spokes' own values.
    """
    alike: tuple[Ref, ...] = ()
    """Further objects outside spokes, of the same kind and file, that differ in the same way."""

    @property
    def number(self) -> int:
        """Return the number of objects with this difference; 1 for a whole folder."""
        return 1 + len(self.alike)


class TreeDifferences(Struct, frozen=True):
    """The differences between two trees; `left_out` counts unreported files by reason."""

    items: tuple[Difference, ...]
    left_out: Mapping[str, int] = {}
