"""One folder of the output: what is in it, and what it needs. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from sys import intern

from msgspec import Struct, field

from spokerender.edge.files.disk import NO_FOLDER, open_folder, opened, read_file, read_whole
from spokerender.edge.files.failures import disk_error
from spokerender.edge.files.walk import Entry, Folder, walk
from spokerender.model.ownership import (
    FIRST_LINE_SIZE,
    KUSTOMIZATION,
    has_conflict,
    is_ours,
    mentions_us,
)
from spokerender.model.plan import FolderPlan

"""The file that lists all others; it is written anew also over Git's conflict markers."""


def scan_folder(
    output: Path, root: int, folder: str, wanted: Mapping[str, bytes]
) -> FolderPlan | None:
    """Compare a folder in the open output folder `root` with what shall be in it.

    Returns:
        What it needs, or None where nothing is ours and nothing is wanted.

    Raises:
        DiskError: something in it can't be read.

    """
    try:
        here = open_folder(folder, root)
    except FileNotFoundError:
        return new_folder(folder, wanted)
    except OSError as error:
        if not wanted:  # not ours, as far as anybody can see
            return None
        if error.errno in NO_FOLDER:
            return FolderPlan(folder=folder, blocked=(".",))
        raise disk_error(error, output / folder) from error
    with opened(here):
        return _compare(folder, wanted, walk(here, output / folder), output / folder)


def new_folder(folder: str, wanted: Collection[str]) -> FolderPlan | None:
    """Plan a folder that is not there, or None where nothing is wanted in it."""
    return FolderPlan(folder=folder, create=_paths(wanted), is_new=True) if wanted else None


class _Found(Struct):
    """What is in a folder, as paths; files that are right are only counted."""

    seen: set[str] = field(default_factory=set)
    """Where something is that should be there, right or not."""
    unchanged: int = 0
    update: list[str] = field(default_factory=list)
    delete: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    conflict: bytes | None = None
    """The kustomization, where Git left its conflict markers in it."""

    @property
    def is_ours(self) -> bool:
        """Whether there is a file of ours."""
        return bool(self.unchanged or self.update or self.delete)


def _compare(
    folder: str, wanted: Mapping[str, bytes], places: Iterable[Folder], where: Path
) -> FolderPlan | None:
    found = _Found()
    prefixes: list[str] = []
    kept: set[str] = set()
    for place in places:
        deleted = len(found.delete)
        _sort_folders(place, found, wanted)
        _sort_files(place, found, wanted, where)
        prefixes.append(place.prefix)
        if len(place.others) > len(found.delete) - deleted:
            kept.add(place.prefix)
    _settle_conflict(found)
    if not (wanted or found.is_ours):
        return None
    missing = set[str]() if len(found.seen) == len(wanted) else wanted.keys() - found.seen
    _settle_obstacles(found, missing)
    return FolderPlan(
        folder=folder,
        create=_paths(missing),
        update=_paths(found.update),
        delete=_paths(found.delete),
        unchanged=found.unchanged,
        foreign=_paths(found.foreign),
        blocked=_paths(found.blocked),
        emptied=tuple(_emptied(prefixes, kept, wanted)),
        is_removed=not wanted,
    )


def _sort_folders(place: Folder, found: _Found, wanted: Mapping[str, bytes]) -> None:
    for entry in place.folders:
        path = place.prefix + entry.name
        if path in wanted:
            found.seen.add(path)
            found.blocked.append(path)


def _sort_files(place: Folder, found: _Found, wanted: Mapping[str, bytes], where: Path) -> None:
    """Compare files; nearly all there ever are pass the first test, so it is a short one."""
    prefix, parent, see = place.prefix, place.fd, found.seen.add
    for entry in place.others:
        name = entry.name
        path = prefix + name
        data = wanted.get(path)
        try:
            if data is None:
                (found.delete if _says_ours(parent, entry) else found.foreign).append(path)
                continue
            see(path)
            if not entry.is_file(follow_symlinks=False):
                found.blocked.append(path)
            elif (start := read_file(parent, name, len(data) + 1)) == data:
                found.unchanged += 1
            elif is_ours(start):
                found.update.append(path)
            elif path == KUSTOMIZATION and has_conflict(whole := read_whole(parent, path)):
                found.conflict = whole
            else:
                found.blocked.append(path)
        except OSError as error:
            raise disk_error(error, where / path) from error


def _says_ours(parent: int, entry: Entry) -> bool:
    try:
        return entry.is_file(follow_symlinks=False) and is_ours(
            read_file(parent, entry.name, FIRST_LINE_SIZE)
        )
    except PermissionError:  # what we wrote, we can read
        return False


def _settle_conflict(found: _Found) -> None:
    """Take a kustomization with conflict markers as ours where anything says that it was."""
    if found.conflict is not None:
        ours = found.is_ours or mentions_us(found.conflict)
        (found.update if ours else found.blocked).append(KUSTOMIZATION)


def _settle_obstacles(found: _Found, missing: Collection[str]) -> None:
    """Find the files, whoever's, that stand where a folder must be for a missing file."""
    if not (missing and (found.foreign or found.delete)):
        return
    needed = {folder for path in missing for folder in _folders_above(path)}
    for paths in (found.foreign, found.delete):
        found.blocked += [path for path in paths if path in needed]
        paths[:] = [path for path in paths if path not in needed]


def _folders_above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _emptied(prefixes: Iterable[str], kept: set[str], wanted: Mapping[str, bytes]) -> Iterator[str]:
    """Find the folders, deepest first, in which nothing stays and nothing is wanted.

    Nearly always each has a file that stays, and nobody need know which the wanted files are in.
    """
    needed: set[str] | None = None
    for prefix in sorted(prefixes, reverse=True):
        folder = prefix[:-1]
        if prefix not in kept:
            if needed is None:
                needed = {above for path in wanted for above in (*_folders_above(path), "")}
            if folder not in needed:
                if folder:
                    yield folder
                continue
        kept.add(folder[: folder.rfind("/") + 1])


def _paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Sort the paths; mostly folders have the same ones, and then they share the strings."""
    return tuple(map(intern, sorted(paths)))
