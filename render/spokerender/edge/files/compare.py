"""Comparing the output with what shall be there: everything is read, and no state is kept.

Reading and comparing 100,000 files takes less time than keeping hashes of them would save.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from sys import intern
from typing import NamedTuple

from msgspec import Struct, field

from spokerender.edge.files.disk import (
    NO_FOLDER,
    disk_error,
    disk_errors_of,
    open_folder,
    open_output,
    opened,
    read_file,
    read_whole,
)
from spokerender.edge.files.folders import Entry, Folder, walk
from spokerender.edge.files.parallel import Progress, spread
from spokerender.edge.files.staging import strays
from spokerender.model.ownership import (
    FIRST_LINE_SIZE,
    KUSTOMIZATION,
    has_conflict,
    is_ours,
    mentions_us,
)
from spokerender.model.plan import FolderPlan, Plan, TreeSource


def compare(output: Path, tree: TreeSource, *, progress: Progress | None = None) -> Plan:
    """Find out what must be done to make the output equal to the tree. Nothing is changed.

    A folder that is not the tree's but has files of ours belongs to a spoke that left: these
    files are to be deleted. Hidden folders, links, and files beside the folders are ignored.

    Args:
        output: the output folder; need not be there.
        tree: what shall be in it.
        progress: told after each folder.

    Raises:
        DiskError: something can't be read.

    """
    with disk_errors_of(output):
        try:
            root = open_output(output)
        except FileNotFoundError:
            return Plan(tuple(_new(tree)))
    with opened(root):
        job = _Job(tree, frozenset(tree.folders), output, root)
        others, beside = _others(job)
        parts = spread(
            sorted({*tree.folders, *others}),
            lambda part: _scan_all(part, job),
            files=_estimate(tree),
            progress=progress,
        )
        plans = sorted((plan for some, _ in parts for plan in some), key=lambda p: p.folder)
        rest = sorted({*others} - {plan.folder for plan in plans})
        hollow = [name for name in rest if not any(True for _ in (output / name).iterdir())]
        return Plan(
            tuple(plans),
            sum(count for _, count in parts),
            strays=strays(root, output),
            others=tuple(name for name in rest if name not in hollow),
            hollow=tuple(hollow),
            beside=tuple(beside),
        )


class _Job(NamedTuple):
    tree: TreeSource
    wanted: frozenset[str]
    output: Path
    root: int


def _new(tree: TreeSource) -> Iterator[FolderPlan]:
    for folder in sorted(tree.folders):
        plan = new_folder(folder, tree.paths(folder))
        if plan:
            yield plan


def _scan_all(folders: Iterable[str], job: _Job) -> tuple[list[FolderPlan], int]:
    """Find the plans with something to say, and how many files are right in all folders."""
    plans: list[FolderPlan] = []
    unchanged = 0
    for folder in folders:
        files = job.tree.files(folder) if folder in job.wanted else {}
        plan = scan_folder(job.output, job.root, folder, files)
        if plan:
            unchanged += plan.unchanged
            if plan.says_something:
                plans.append(plan)
    return plans, unchanged


def _others(job: _Job) -> tuple[list[str], list[str]]:
    """Find the folders that the tree does not have, but for hidden ones; and what is no folder."""
    folders: list[str] = []
    beside: list[str] = []
    with os.scandir(job.root) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                beside.append(entry.name)
            elif entry.name not in job.wanted and not entry.name.startswith("."):
                folders.append(entry.name)
    return folders, sorted(beside)


def _estimate(tree: TreeSource) -> int:
    """Guess the number of files from one folder in the middle; spokes are much alike."""
    folders = tree.folders
    return len(folders) * len(tree.paths(folders[len(folders) // 2])) if folders else 0


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
