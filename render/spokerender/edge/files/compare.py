"""Comparing the whole output with what shall be there: reading everything, keeping no state.

Reading and comparing 100,000 files takes less time than keeping hashes of them would save.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from spokerender.edge.files.disk import open_output, opened
from spokerender.edge.files.failures import disk_errors_of
from spokerender.edge.files.parallel import Progress, spread
from spokerender.edge.files.scan import new_folder, scan_folder
from spokerender.edge.files.staging import strays
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
