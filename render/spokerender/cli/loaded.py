"""A rendered project, its committed tree, and the readers of a project's own files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from spokerender.config.fleet import AcknowledgedDeletion, FleetFile
from spokerender.config.loading import FleetDocument
from spokerender.edge.reading import read_optional, read_sources, require_files
from spokerender.findings.codes.project import MISSING
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import identity
from spokerender.model.refs import DataByRef
from spokerender.model.shapes import objects_of
from spokerender.model.sources import Files, Source
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.trees import Tree
from spokerender.wings.combined import read_fleet, settings_paths
from spokerender.wings.part import Part

if TYPE_CHECKING:
    from spokerender.requests.reading import WrittenTest

FLEET_FILE = "fleet.yaml"


FilesByFolder = Mapping[str, Mapping[str, bytes]]
"""Contents of files, by folder of the output and by path in the folder."""


def reading(tree: FilesByFolder) -> Callable[[str, Collection[str] | None], Mapping[str, bytes]]:
    """Return a function that returns files of a folder in `tree`, given paths, or None for all."""

    def read(folder: str, paths: Collection[str] | None) -> Mapping[str, bytes]:
        files = tree.get(folder, {})
        return files if paths is None else {path: files[path] for path in paths if path in files}

    return read


class CommittedTree(Struct, frozen=True, eq=False):
    """The files of ours in the output at a revision, by folder, and findings about reading them."""

    tree: FilesByFolder
    results: tuple[Result, ...] = ()
    whole: FilesByFolder = field(default_factory=dict)
    """The whole tree, with other tools' files."""
    note: str = ""
    document: FleetDocument | None = None
    """The earlier fleet file; None if the file can't be read."""
    source: Source | None = None
    """The files of the earlier project; None if the project was not found."""
    deletions: tuple[AcknowledgedDeletion, ...] = ()
    """The deletions that the earlier fleet file acknowledges."""


class Loaded(Struct, frozen=True, eq=False):
    """A rendered project, with its folder, its settings and its output folder."""

    folder: Path
    source: Source
    fleet_file: FleetFile
    output: Path
    rendered: Rendered
    document: FleetDocument
    parts: tuple[Part, ...] = ()

    @property
    def claims(self) -> str:
        """Return as text what an engine does with output folders of no spoke; empty if nothing."""
        return next((claim for part in self.parts if (claim := part.claims())), "")


def read_fleet_file(source: Source) -> FleetDocument:
    """Read a project's fleet file; return the defaults if the project has none.

    Raises `InputError` if the file can't be read, or is invalid.
    """
    file = read_optional(source, FLEET_FILE)
    return read_fleet((source.shown(file.path), file.data) if file is not None else None)


def refuse_no_project(source: Source) -> None:
    """Raise `InputError` if a folder has no file of a project, or only a misnamed fleet file."""
    if _is_there(source, FLEET_FILE):
        return
    misnamed = FLEET_FILE.replace(".yaml", ".yml")
    if read_optional(source, misnamed) is not None:
        message = f"{source.shown(misnamed)}: it is not read, and there is no {FLEET_FILE}"
        raise InputError((MISSING.result(message, cure=f"rename it to {FLEET_FILE}"),))
    if not any(_is_there(source, name) for name in ("placement.yaml", "placement", "hub")):
        message = f"{source.shown('.')}: no project: no {FLEET_FILE}, placement.yaml or hub/ in it"
        cure = "name the folder of a project, or make one with `spokerender init`"
        raise InputError((MISSING.result(message, cure=cure),))


def _is_there(source: Source, path: str) -> bool:
    try:
        source.folder(path)
    except OSError:
        return False
    return True


def read_crd_files(loaded: Loaded) -> Files:
    """Read the CRDs of `spec.crds`; they may be as large as a hub. Raises `InputError`."""
    spec = loaded.fleet_file.spec
    named_at, limit = partial(loaded.document.entry, "crds"), spec.max_hub_bytes
    return require_files(loaded.source, spec.crd_paths, limit_bytes=limit, named_at=named_at)


def read_request_tests(loaded: Loaded) -> Sequence[WrittenTest]:
    """Read the tests of `spec.requests`. Raises `InputError`."""
    paths = loaded.fleet_file.spec.requests
    if not paths:
        return ()
    from spokerender.requests.reading import read_tests  # noqa: PLC0415  (few projects have tests)

    named_at = partial(loaded.document.entry, "requests")
    return read_tests(require_files(loaded.source, paths, named_at=named_at))


def tree_after(rendered: Rendered) -> Tree:
    """Return the tree in the output after a build: folders that wait for a wave are unchanged."""
    if rendered.rollout is None:
        return rendered.tree
    from spokerender.review.guard.earlier import TreeInRollout  # noqa: PLC0415  (start-up counts)

    return TreeInRollout(rendered)


def read_changed_objects(
    loaded: Loaded, base: CommittedTree, kinds: Collection[str]
) -> tuple[DataByRef, DataByRef]:
    """Return the objects of `kinds` in files that changed: as they were in `base`, and as they are.

    Changed files of the hub, of CRDs and of wings count; unreadable files are left out.
    """
    if base.document is None or base.source is None:
        return {}, {}
    before = frozenset(read_inputs(base.source, base.document).values())
    now = frozenset(read_inputs(loaded.source, loaded.document).values())
    return _find_objects(before - now, kinds), _find_objects(now - before, kinds)


def read_inputs(source: Source, document: FleetDocument) -> Mapping[str, bytes]:
    """Return the files that a project is rendered from, by their paths in the project."""
    spec, of_wings = document.model.spec, settings_paths(document).values()
    paths = (FLEET_FILE, *spec.hub, *spec.crd_paths, *spec.placement, *chain(*of_wings))
    paths += (spec.templates,) if spec.templates else ()
    read, _ = read_sources(source, paths, suffixes=("",), limit_bytes=3 * spec.max_hub_bytes)
    return {file.path: file.data for file in read}


def _find_objects(contents: Collection[bytes], kinds: Collection[str]) -> DataByRef:
    values = (item.value for data in sorted(contents) for item in yamlio.read(data, "")[0])
    objects = (item for value in values for item in objects_of(value) if item.get("kind") in kinds)
    return {ref: item for item in objects if (ref := identity(item)) is not None}
