"""Comparison of the output with the rendered tree: all files are read, and no state is kept.

Reading and comparing 100,000 files takes less time than keeping hashes of them would save.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from sys import intern
from typing import NamedTuple

from msgspec import Struct, field

from spokerender.edge.files import disk
from spokerender.edge.files.folders import DirEntry, Folder, find_strays, walk
from spokerender.edge.files.parallel import spread
from spokerender.model import plan as model


def compare(
    output: Path,
    tree: model.TreeSource,
    *,
    holds: Callable[[str], bool] = lambda _: False,
    progress: model.Progress | None = None,
) -> model.Plan:
    """Return the plan that makes the output equal to the tree; nothing is changed.

    A folder that is not in the tree but has files of ours belongs to a removed spoke: the plan
    deletes these files. Hidden folders, links, and files beside the folders are ignored. Folders
    for which `holds` returns True are unchanged, in the tree or not. The output need not exist.
    Raises `DiskError` if something in it can't be read.
    """
    due = [folder for folder in tree.folders if not holds(folder)]
    with disk.disk_errors_of(output):
        try:
            root = disk.open_output(output)
        except FileNotFoundError:
            # No output yet: everything is to be made.
            new = (new_folder(folder, tree.paths(folder)) for folder in sorted(due))
            return model.Plan(tuple(filter(None, new)))
    with disk.opened(root):
        job = _CompareJob(tree, frozenset(tree.folders), output, root)
        others, beside = _others(job)
        parts = spread(
            sorted({*due, *others}),
            lambda part: _scan_all(part, job),
            # Estimated from one folder in the middle: spokes are much alike.
            files=len(due) * len(tree.paths(due[len(due) // 2])) if due else 0,
            progress=progress,
        )
        # By folder again, as processes end in any order.
        all_plans = sorted((plan for some, _ in parts for plan in some), key=lambda p: p.folder)
        plans = [plan for plan in all_plans if not holds(plan.folder)]
        rest = sorted({*others} - {plan.folder for plan in all_plans})
        hollow = [name for name in rest if _is_hollow(output / name)]
        return model.Plan(
            tuple(plans),
            sum(count for _, count in parts),
            strays=find_strays(root, output),
            others=tuple(name for name in rest if name not in hollow),
            hollow=tuple(hollow),
            beside=tuple(beside),
        )


class _CompareJob(NamedTuple):
    tree: model.TreeSource
    folders: frozenset[str]
    output: Path
    root: int


def _scan_all(folders: Iterable[str], job: _CompareJob) -> tuple[list[model.FolderPlan], int]:
    """Return the plans that change or report something, and the number of unchanged files."""
    plans: list[model.FolderPlan] = []
    unchanged = 0
    for folder in folders:
        files = job.tree.files(folder) if folder in job.folders else {}
        plan = scan_folder(job.output, job.root, folder, files)
        if plan:
            unchanged += plan.unchanged
            if plan.says_something:
                plans.append(plan)
    return plans, unchanged


def _others(job: _CompareJob) -> tuple[list[str], list[str]]:
    """Return the visible folders that the tree does not have, and the files beside the folders."""
    folders: list[str] = []
    beside: list[str] = []
    with os.scandir(job.root) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                beside.append(entry.name)
            elif entry.name not in job.folders and not entry.name.startswith("."):
                folders.append(entry.name)
    return folders, sorted(beside)


def _is_hollow(folder: Path) -> bool:
    """Return whether a folder is empty; False for lost+found, which other users may not read."""
    try:
        return next(folder.iterdir(), None) is None
    except PermissionError:
        return False


def scan_folder(
    output: Path, root: int, folder: str, files: Mapping[str, bytes]
) -> model.FolderPlan | None:
    """Return the plan for a folder in the open output folder `root`; `files` are wanted in it.

    None if the folder has no files of ours and none are wanted. Raises `DiskError`.
    """
    try:
        here = disk.open_folder(folder, root)
    except FileNotFoundError:
        return new_folder(folder, files)
    except OSError as error:
        if not files:  # not ours, as far as anybody can see
            return None
        if error.errno in disk.NO_FOLDER:
            return model.FolderPlan(folder=folder, blocked=(".",))
        raise disk.disk_error(error, output / folder) from error
    with disk.opened(here):
        return _compare(folder, files, walk(here, output / folder), output / folder)


def new_folder(folder: str, paths: Collection[str]) -> model.FolderPlan | None:
    """Return the plan for a folder that does not exist; None if no files are wanted in it."""
    return model.FolderPlan(folder=folder, create=_paths(paths), is_new=True) if paths else None


class _FolderState(Struct):
    """The paths in a folder by what the plan does with them; unchanged files are only counted."""

    seen: set[str] = field(default_factory=set)
    """The wanted paths at which something exists, as wanted or not."""
    unchanged: int = 0
    update: list[str] = field(default_factory=list)
    delete: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    conflict: bytes | None = None
    """The kustomization, if Git left conflict markers in it."""

    @property
    def is_ours(self) -> bool:
        """Return whether spokerender wrote one of the files."""
        return bool(self.unchanged or self.update or self.delete)


def _compare(
    folder: str, files: Mapping[str, bytes], places: Iterable[Folder], where: Path
) -> model.FolderPlan | None:
    state = _FolderState()
    prefixes: list[str] = []
    occupied: set[str] = set()
    for place in places:
        deleted = len(state.delete)
        _sort_folders(place, state, files)
        _sort_files(place, state, files, where)
        prefixes.append(place.prefix)
        # Fewer files deleted than there are: something stays in this folder.
        if len(place.others) > len(state.delete) - deleted:
            occupied.add(place.prefix)
    # A kustomization with conflict markers is ours if anything says that it was.
    if state.conflict is not None:
        ours = state.is_ours or model.mentions_us(state.conflict)
        (state.update if ours else state.blocked).append(model.KUSTOMIZATION)
    if not (files or state.is_ours):
        return None
    # A difference of sets only where something is missing.
    missing = set[str]() if len(state.seen) == len(files) else files.keys() - state.seen
    # Files that are where a folder must be are in the way, ours or not.
    if missing and (state.foreign or state.delete):
        needed = {folder for path in missing for folder in _folders_above(path)}
        for paths in (state.foreign, state.delete):
            state.blocked += [path for path in paths if path in needed]
            paths[:] = [path for path in paths if path not in needed]
    return model.FolderPlan(
        folder=folder,
        create=_paths(missing),
        update=_paths(state.update),
        delete=_paths(state.delete),
        unchanged=state.unchanged,
        foreign=_paths(state.foreign),
        blocked=_paths(state.blocked),
        emptied=tuple(_emptied(prefixes, occupied, files)),
        is_removed=not files,
    )


def _sort_folders(place: Folder, state: _FolderState, files: Mapping[str, bytes]) -> None:
    for entry in place.folders:
        path = place.prefix + entry.name
        # A folder where a file must be is in the way, whatever is in it.
        if path in files:
            state.seen.add(path)
            state.blocked.append(path)


def _sort_files(
    place: Folder, state: _FolderState, files: Mapping[str, bytes], where: Path
) -> None:
    """Compare the files of one folder; nearly all are unchanged, so equality is tested first."""
    prefix, parent, see = place.prefix, place.fd, state.seen.add
    for entry in place.others:
        name = entry.name
        path = prefix + name
        data = files.get(path)
        try:
            if data is None:
                (state.delete if _says_ours(parent, entry) else state.foreign).append(path)
                continue
            see(path)
            if not entry.is_file(follow_symlinks=False):
                state.blocked.append(path)
            # One byte more than wanted tells a longer file without reading all of it.
            elif (start := disk.read_file(parent, name, len(data) + 1)) == data:
                state.unchanged += 1
            elif model.is_ours(start):
                state.update.append(path)
            elif path == model.KUSTOMIZATION and model.has_conflict(
                whole := disk.read_whole(parent, path)
            ):
                state.conflict = whole
            else:
                state.blocked.append(path)
        except OSError as error:
            raise disk.disk_error(error, where / path) from error


def _says_ours(parent: int, entry: DirEntry) -> bool:
    try:
        return entry.is_file(follow_symlinks=False) and model.is_ours(
            disk.read_file(parent, entry.name, model.FIRST_LINE_SIZE)
        )
    except PermissionError:  # we can read what we wrote
        return False


def _folders_above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _emptied(
    prefixes: Iterable[str], occupied: set[str], files: Mapping[str, bytes]
) -> Iterator[str]:
    """Yield the folders, deepest first, that have no `occupied` place and will have no file."""
    needed: set[str] | None = None
    for prefix in sorted(prefixes, reverse=True):
        folder = prefix[:-1]
        if prefix not in occupied:
            if needed is None:  # rarely: nearly every folder has a file that stays
                needed = {above for path in files for above in (*_folders_above(path), "")}
            if folder not in needed:
                if folder:
                    yield folder
                continue
        occupied.add(folder[: folder.rfind("/") + 1])


def _paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Return sorted paths; most folders have the same paths, so the strings are shared."""
    return tuple(map(intern, sorted(paths)))
