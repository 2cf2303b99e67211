"""A hub out of what clusters hold: one object a file, without what a cluster owns.

What the hub has already is edited, not replaced: an object that says the same stays as it is, one
that changed live is changed in its own text, whose comments and order stay. So a second import
changes nothing, and Git shows what changed live since the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.adopting import (
    BEING_DELETED,
    CONTROLLED,
    IN_THE_WAY,
    NOT_ALONE,
    NOTHING,
    SECRET,
    TWO_TALES,
    UNUSED_CRD,
)
from spokerender.findings.codes.hub import EMPTY_HUB
from spokerender.findings.results import FindingKind, Result
from spokerender.formats import yamlio
from spokerender.kinds.crds import CRD_KIND, kind_of
from spokerender.kinds.marks import NO_MARKS, Marks
from spokerender.model import Manifest, Ref
from spokerender.model.ownership import HEADER
from spokerender.model.shapes import as_list
from spokerender.rendering.cleaning import cleaned
from spokerender.rendering.values.layout import path_of
from spokerender.topology.hub import assemble

Files = Sequence[tuple[str, bytes]]
"""Files by the path that messages name, and their bytes."""
Progress = Callable[[int, int], None]

_CURES: Mapping[FindingKind, str] = {
    SECRET: "make it on the spokes by a secret store's controller; its data stays out of Git",
    CONTROLLED: "its owner makes it again",
    BEING_DELETED: "import again when it is gone",
    UNUSED_CRD: "with --crds, those of the kinds in use are kept",
}


class Imported(Struct, frozen=True):
    """What an import makes of exports: files to write, by path, and how many are right already."""

    files: Mapping[str, bytes]
    unchanged: int
    results: tuple[Result, ...]


class Places(Struct, frozen=True):
    """Where things go: the folder of the hub and, where CRDs are kept, that of the CRDs."""

    hub: str
    crds: str | None = None
    marks: Marks = NO_MARKS
    """What engines write into objects, which is left out."""


def imported(
    exports: Files, hub: Files, crds: Files, places: Places, show: Progress | None = None
) -> Imported:
    """Bring the objects of exports into a hub.

    Everything that is wrong is in `results`: with an error among them, nothing should be written.

    Args:
        exports: what was exported, by the names that messages have for it.
        hub: the hub's files as they are, by the paths that `Imported.files` have.
        crds: the files of CRDs beside the hub as they are; one may be there in several releases.
        places: the folders that new files go to.
        show: told how many objects of how many are brought in.

    """
    results: list[Result] = []
    found = list(_distinct(exports, results, places.marks))
    if not found and not results:
        results.append(NOTHING.result("the exports have no object", cure="name files with some"))
    kept = [*_kept(found, results, keeps_crds=places.crds is not None)]
    made = _Folder(hub, results, places.marks)
    beside = {path: _Folder([(path, data)], results, places.marks) for path, data in crds}
    for done, manifest in enumerate(kept, 1):
        if show is not None:
            show(done, len(kept))
        if manifest.ref.kind == CRD_KIND and places.crds is not None and not made.has(manifest):
            path = f"{places.crds}/{manifest.ref.name}.yaml"
            beside.setdefault(path, _Folder((), results, places.marks)).take(manifest, path)
        else:
            made.take(manifest, f"{places.hub}/{path_of(manifest.ref)}")
    folders = (made, *beside.values())
    files = {path: data for folder in folders for path, data in folder.files.items()}
    return Imported(
        dict(sorted(files.items())), sum(folder.unchanged for folder in folders), tuple(results)
    )


def _distinct(exports: Files, results: list[Result], marks: Marks) -> Iterator[Manifest]:
    """Every object once; that two exports say the same of one is nothing to tell."""
    crds = [m.object for m in assemble(exports).manifests if m.ref.kind == CRD_KIND]
    first: dict[Ref, Manifest] = {}
    for file in exports:
        read = assemble([file], crds=crds)
        results += (each for each in read.results if each.code != EMPTY_HUB.code)
        for manifest in read.manifests:
            other = first.setdefault(manifest.ref, manifest)
            if cleaned(other.object, marks) != cleaned(manifest.object, marks):
                message = f"another export says something else of it: {other.origin}"
                results.append(_of(TWO_TALES, manifest, message, "export it once"))
    yield from first.values()


def _kept(
    found: Sequence[Manifest], results: list[Result], *, keeps_crds: bool
) -> Iterator[Manifest]:
    """What a hub should have of them; the rest is told."""
    in_use = {(manifest.ref.group, manifest.ref.kind) for manifest in found}
    for manifest in found:
        why = _left_out(manifest, in_use if keeps_crds else frozenset())
        if why is None:
            yield manifest
        else:
            kind, message = why
            results.append(_of(kind, manifest, f"left out: {message}", _CURES[kind]))


def _left_out(
    manifest: Manifest, in_use: Iterable[tuple[str, str]]
) -> tuple[FindingKind, str] | None:
    metadata = manifest.object["metadata"]
    if (manifest.ref.group, manifest.ref.kind) == ("", "Secret"):
        return SECRET, "what it holds must not be in Git"
    if metadata.get("deletionTimestamp"):
        return BEING_DELETED, "it is being deleted"
    owner = _controller(metadata)
    if owner:
        return CONTROLLED, f"{owner} makes it"
    if manifest.ref.kind == CRD_KIND:
        defined = kind_of(manifest.object)
        if defined is None or (defined.group, defined.kind) not in in_use:
            return UNUSED_CRD, "no object of its kind is brought in" if in_use else "it is a CRD"
    return None


def _controller(metadata: Mapping[str, Any]) -> str:
    """The owner that makes the object, by kind and name (`metav1.OwnerReference`, `controller`)."""
    owners = metadata.get("ownerReferences")
    for owner in as_list(owners):
        if isinstance(owner, Mapping) and owner.get("controller") is True:
            return f"{owner.get('kind')} {owner.get('name')}"
    return ""


def _of(kind: FindingKind, manifest: Manifest, message: str, cure: str) -> Result:
    return kind.result(message, cure=cure, resource=manifest.ref, origin=manifest.origin)


class _Folder:
    """What is there already, and the files that have to be written."""

    def __init__(self, known: Files, results: list[Result], marks: Marks) -> None:
        """Find what is there."""
        self._marks = marks
        read = assemble(known)
        results += (each for each in read.results if each.code != EMPTY_HUB.code)
        self._paths = {path for path, _ in known}
        self._known = {manifest.ref: manifest for manifest in read.manifests}
        self._sharing = Counter(manifest.origin.path for manifest in read.manifests)
        self._results = results
        self.files: dict[str, bytes] = {}
        self.unchanged = 0

    def has(self, manifest: Manifest) -> bool:
        """Whether the object is there, as it is or otherwise."""
        return manifest.ref in self._known

    def take(self, manifest: Manifest, path: str) -> None:
        """Bring an object in: into a file of its own, or into the one that it has."""
        known = self._known.get(manifest.ref)
        new = cleaned(manifest.object, self._marks)
        if known is None:
            if path in self._paths:
                message = f"{path} is not about it, and stands where its file would be"
                self._results.append(_of(IN_THE_WAY, manifest, message, "move that file away"))
            else:
                self.files[path] = text_of(manifest, new)
        elif cleaned(known.object, self._marks) == new:
            self.unchanged += 1
        elif self._sharing[known.origin.path] > 1:
            message = f"it has changed, and shares its file with others: {known.origin}"
            cure = "carry the change over by hand, or move it to a file of its own"
            self._results.append(_of(NOT_ALONE, manifest, message, cure))
        else:
            self.files[known.origin.path] = text_of(known, new)


def text_of(manifest: Manifest, new: dict[str, Any]) -> bytes:
    """The object as YAML, in the words that somebody wrote it in as far as they still hold.

    Raises:
        UnprovenError: what was written would be read as something else.

    """
    written = manifest.written
    text, old = (written.text, written.object) if written is not None else ("", {})
    own = text.removeprefix(HEADER.decode())
    composed = yamlio.compose(own, old, new)
    made = composed.text if composed.text.endswith("\n") else f"{composed.text}\n"
    if not composed.is_proven:
        yamlio.prove(made, new)
    return made.encode()
