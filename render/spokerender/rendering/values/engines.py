"""Facts about delivery engines (Argo CD, Flux, OCM) that the guard and the disk need.

Each engine states them in its own row; this module names no engine.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import astuple

from spokerender.findings.results import FindingKind
from spokerender.kinds.marks import NO_MARKS, Marks
from spokerender.model.shapes import Json

EngineReach = tuple[str, str]
"""A spoke, and the engine's name for the cluster to which its tree is applied. The spoke is empty
for a cluster that only the engine knows."""


class Carrier(Struct, frozen=True):
    """A kind of object through which an engine applies objects to spokes.

    An engine that deletes such an object may delete everything that it applied through the object.
    """

    group: str
    kind: str
    destination: Callable[[Mapping[str, Any]], str] | None = None
    """Returns the spoke whose tree the object applies; empty if it applies the trees of all spokes.

    None for objects that apply single objects: the engine may distribute these anew among its
    carriers, so only the loss of all carriers counts.
    """
    reaches: Callable[[Mapping[str, Any], Collection[str]], Iterable[EngineReach]] = lambda *_: ()
    """Returns the clusters to which the object applies trees, given all spokes."""
    is_by_name: bool = False
    """True if `reaches` needs only the object's name and namespace."""


Loses = Callable[[Json, Json], bool | None]
"""Returns, for a field's old and new value, whether the change deletes a tree or its protection;
None if it affects no tree. A missing value is None."""


def loses_always(*_: Json) -> bool:
    """Return True: any change deletes a tree."""
    return True


def loses_if_set(_: Json, new: Json) -> bool:
    """Return whether the new value is neither absent nor empty."""
    return bool(new)


class DeliveryField(Struct, frozen=True):
    """Fields of a delivery engine's objects, and how changing them affects the applied trees.

    `names` are the ends of the fields' paths, separated by spaces; a name that ends in a dot stands
    for all fields below. A change without an `effect` is not reported. `gone` replaces `effect` if
    the value is removed or false. `loses` returns whether a change deletes a tree. In a list of
    these, the first entry that matches a field counts.
    """

    names: str
    effect: str = ""
    gone: str = ""
    loses: Loses = lambda *_: False

    def matches(self, path: str) -> bool:
        """Return whether the entry is about the field at `path`: `.spec.source.repoURL`."""
        ends = (f".{name}" for name in self.names.split())
        # With dots around it, `name` is not found in `filename`.
        return any(f"{path}.".endswith(f"{e}.") or (e[-1] == "." and e in path) for e in ends)


class EngineObjects(Struct, frozen=True):
    """The objects of one engine whose deletion or change affects the spokes."""

    carriers: tuple[Carrier, ...]
    groups: frozenset[str] = frozenset()
    """The API groups of the objects whose `fields` are compared."""
    fields: tuple[DeliveryField, ...] = ()


class Steering(Struct, frozen=True):
    """A file whose presence keeps an engine from applying a folder as its kustomization lists it.

    `pattern` is a shell pattern for the name of the file. If `is_below`, it also matches files in
    folders below, and the names of these folders.
    """

    pattern: str
    effect: str
    is_below: bool = False

    def matches(self, path: str) -> bool:
        """Return whether a file matches; `path` is relative to the folder with the tree."""
        steps = path.split("/")
        names = steps if self.is_below or len(steps) == 1 else ()
        return any(fnmatchcase(name, self.pattern) for name in names)


class Above(Struct, frozen=True):
    """A file in a folder above the output; its lines hide files of the output (gitignore(5))."""

    name: str
    effect: str


class Bootstrap(Struct, frozen=True):
    """A folder for the engine's own objects; it must not be inside the folder of a spoke."""

    folder: str
    files: frozenset[str]
    """The names of the files that the engine writes there; the fleet's folder may have them."""
    kind: FindingKind
    message: str
    """The rest of a message that begins with the path of the folder."""
    cure: str

    def writes(self, path: str) -> bool:
        """Return whether a file is the engine's own: in a folder of that name, anywhere."""
        folder, _, name = path.rpartition("/")
        return name in self.files and folder.rpartition("/")[2] == self.folder


class FolderRules(Struct, frozen=True):
    """Foreign files because of which engines do not apply folders as they are listed."""

    in_spoke: tuple[Steering, ...] = ()
    """In a spoke's folder."""
    in_fleet: tuple[Steering, ...] = ()
    """In the fleet's own folder: files that are applied with it, or change what is applied."""
    in_output: tuple[Steering, ...] = ()
    """In the output, beside the spokes' folders."""
    bootstraps: tuple[Bootstrap, ...] = ()
    above: tuple[Above, ...] = ()
    """In folders from the output up to the top of its repository."""
    attributes: tuple[str, ...] = ()
    """Git attributes with which files are checked out with other bytes than were committed."""

    def __or__(self, other: Self) -> "FolderRules":
        """Return both sets of rules as one."""
        # Every field is a tuple of rules.
        return FolderRules(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


class EngineFacts(Struct, frozen=True):
    """Facts about delivery engines' effects on objects and folders."""

    marks: Marks = NO_MARKS
    """The annotations and labels that engines write into objects or obey."""
    objects: tuple[EngineObjects, ...] = ()
    """The engines' own objects whose deletion or change affects spokes."""
    rules: FolderRules = FolderRules()

    def __or__(self, other: Self) -> "EngineFacts":
        """Return both sets of facts as one."""
        return EngineFacts(
            self.marks | other.marks, self.objects + other.objects, self.rules | other.rules
        )
