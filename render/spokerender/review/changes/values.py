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
    """It has another name or namespace; `Difference.was` is the old identity."""
    UNREADABLE = "unreadable"
    """The old text is not YAML as Kubernetes reads it; `Difference.problem` says why."""
    NEW_FOLDER = "new"
    """The whole folder is new; each has `Difference.count` objects."""
    LOST_FOLDER = "lost"
    """The whole folder goes; each had `Difference.count` objects."""


class Varying(Struct, frozen=True):
    """A field that many folders change from and to values of their own.

    `first` is the change of the first folder; `by_folders` has all of them, with their folders.
    """

    first: Change
    by_folders: tuple[tuple[tuple[str, ...], Change], ...]


class Difference(Struct, frozen=True):
    """One difference of an object, the same in a file of one or more output folders."""

    kind: DifferenceKind
    path: str
    ref: Ref | None
    """The object there; None where the text has none."""
    folders: tuple[str, ...]
    """Spokes, or `_fleet`, in the order of the input."""
    changes: tuple[Change, ...] = ()
    """The changed fields of an object that changed or moved."""
    problem: str = ""
    varying: tuple[Varying, ...] = ()
    was: Ref | None = None
    count: int = 0
    follows: tuple[Ref, ...] = ()
    """The objects that only name the one that moved by its new name."""
    example: "Difference | None" = None
    """The difference of one spoke, where this one has placeholders for the spokes' own values."""
    alike: tuple[Ref, ...] = ()
    """Further objects of its kind and file, outside spokes, that differ in the same way."""

    @property
    def number(self) -> int:
        """Return the number of objects that differ so; 1 for a whole folder."""
        return 1 + len(self.alike)


class TreeDifferences(Struct, frozen=True):
    """The differences between two trees; `left_out` counts files that are in none, by reason."""

    items: tuple[Difference, ...]
    left_out: Mapping[str, int] = {}
