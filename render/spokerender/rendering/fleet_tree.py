"""The whole output: the spokes' folders and, beside them, the fleet's own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from spokerender.model.ownership import HEADER
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.trees import Tree, Written

FLEET_FOLDER = "_fleet"
"""The folder of the output that is about the fleet, and applied to no spoke."""


class FleetTree:
    """What shall be on disk (`values.trees.Tree`)."""

    def __init__(self, spokes: Tree, fleet: Sequence[Mapping[str, str]]) -> None:
        """`fleet` are the files of the fleet's own folder, engine by engine."""
        self._spokes = spokes
        self._fleet = _Headed(fleet)
        self.folders = (*((FLEET_FOLDER,) if self._fleet else ()), *spokes.folders)

    def paths(self, folder: str) -> Collection[str]:
        """The paths of the folder's files, without making the files."""
        return sorted(self._fleet) if folder == FLEET_FOLDER else self._spokes.paths(folder)

    def files(self, folder: str) -> Mapping[str, bytes]:
        """The folder's files by relative path, header and all."""
        return self._fleet if folder == FLEET_FOLDER else self._spokes.files(folder)

    def bundle(self, folder: str) -> Bundle:
        """What a spoke gets."""
        return self._spokes.bundle(folder)

    def written(self, folder: str, paths: Collection[str] | None = None) -> Sequence[Written]:
        """The objects that are in these files of a spoke's folder, or all of them."""
        return self._spokes.written(folder, paths)

    def count(self, folder: str) -> int:
        """How many objects are in a spoke's folder."""
        return self._spokes.count(folder)


class _Headed(Mapping[str, bytes]):
    """Files that say whose they are, each made when it is asked for."""

    def __init__(self, parts: Sequence[Mapping[str, str]]) -> None:
        self._owners = {path: part for part in parts for path in part}

    def __getitem__(self, path: str) -> bytes:
        return HEADER + self._owners[path][path].encode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._owners)

    def __len__(self) -> int:
        return len(self._owners)
