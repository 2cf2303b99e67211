"""Pairs of files, old and new, for what compares trees: from disk or from Git."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from spokerender.edge import files
from spokerender.findings.results import Result
from spokerender.model.plan import Plan, TreeSource, planned

if TYPE_CHECKING:  # start-up counts: `build` needs no differences
    from spokerender.kinds.catalogue import ConfiguredKind
    from spokerender.review.pairs import FilePair

Tree = Mapping[str, Mapping[str, bytes]]
"""Files by folder of the output and by path below it."""


class Base(Struct, frozen=True, eq=False):
    """A committed tree, all of whose files are ours, and what was found on the way to it."""

    tree: Tree
    results: tuple[Result, ...] = ()
    whole: Tree = field(default_factory=dict)
    """The same with the files of others."""
    note: str = ""
    kinds: tuple[ConfiguredKind, ...] | None = None
    """What the fleet file of then says of kinds; None where there is none that can be read."""


def on_disk(output: Path, plan: Plan, tree: TreeSource) -> Iterator[FilePair]:
    """The files that a plan would change: what is on disk, and what shall be."""
    for folder in plan.folders:
        paths = (*folder.create, *folder.update, *folder.delete)
        old = files.read_folder(output, folder.folder) if paths else {}
        new = {} if folder.is_removed else tree.files(folder.folder)
        for path in sorted(paths):
            yield folder.folder, path, old.get(path), new.get(path)


def between(old: Tree, tree: TreeSource) -> Plan:
    """What would change against a committed tree, all of whose files are ours."""
    wanted = set(tree.folders)
    plans = (
        planned(folder, old.get(folder, {}), tree.files(folder) if folder in wanted else {})
        for folder in sorted({*old, *wanted})
    )
    return Plan(tuple(plan for plan in plans if plan.changes))


def committed(old: Tree, plan: Plan, tree: TreeSource) -> Iterator[FilePair]:
    """The files that such a plan would change: what is committed, and what shall be."""
    for folder in plan.folders:
        before = old.get(folder.folder, {})
        after = {} if folder.is_removed else tree.files(folder.folder)
        for path in sorted((*folder.create, *folder.update, *folder.delete)):
            yield folder.folder, path, before.get(path), after.get(path)
