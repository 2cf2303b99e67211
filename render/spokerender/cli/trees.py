"""Read the committed tree of a project, and pair the files of two trees for comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from spokerender.cli.loaded import FLEET_FILE, CommittedTree, FilesByFolder, Loaded, read_fleet_file
from spokerender.config.loading import FleetDocument, read_deletions
from spokerender.edge import files
from spokerender.edge.git.revision import AtRevision, read_tree
from spokerender.edge.reading import read_optional
from spokerender.findings.codes.shipping import UNKNOWN_BASE, UNREADABLE_BASE
from spokerender.findings.errors import InputError
from spokerender.findings.results import INFO, Result
from spokerender.model.plan import FilePair, FolderPlan, Plan, TreeSource, own_files, planned
from spokerender.rendering.values.rendered import Rendered

_PLACEMENT = "placement.yaml"
"""A file by which a project without a fleet file is recognised."""


def pairs_on_disk(output: Path, plan: Plan, tree: TreeSource) -> Iterator[FilePair]:
    """Yield the files that a plan changes, with their content on disk and as rendered."""
    for folder in plan.folders:
        earlier = (*folder.update, *folder.delete)
        old = files.read_files(output, folder.folder, earlier) if earlier else {}
        later = (*folder.create, *folder.update)
        yield from _pair(folder, old, tree.files(folder.folder, later) if later else {})


def plan_changes(old: FilesByFolder, rendered: Rendered) -> tuple[Plan, tuple[FilePair, ...]]:
    """Return the changes from a committed tree of our files, except in folders that wait.

    The pairs are the changed files, with their content as committed and as rendered.
    """
    # Folders of both sides: those that went have no render, new ones no commit.
    tree, folders = rendered.tree, set(rendered.tree.folders)
    plans, pairs = list[FolderPlan](), list[FilePair]()
    for folder in sorted({*old, *folders}):
        # Folders that wait keep their content, so there is nothing to compare.
        if not rendered.holds(folder):
            sides = old.get(folder, {}), tree.files(folder) if folder in folders else {}
            plan = planned(folder, *sides)
            if plan.changes:
                plans.append(plan)
                pairs += _pair(plan, *sides)
    return Plan(tuple(plans)), tuple(pairs)


def _pair(
    plan: FolderPlan, old: Mapping[str, bytes], new: Mapping[str, bytes]
) -> Iterator[FilePair]:
    """Yield the files that a folder's plan changes, with their old and new content."""
    for path in sorted((*plan.create, *plan.update, *plan.delete)):
        yield plan.folder, path, old.get(path), new.get(path)


def read_base(loaded: Loaded, revision: str) -> CommittedTree:
    """Return the tree of a project at a Git revision.

    The output folder is the one in the fleet file of that revision, unless the command line names
    it. Raises `GitError` if there is no Git, no repository, no such revision, or an object is
    missing.
    """
    revision_files, rendered = AtRevision(loaded.folder, revision), loaded.rendered.tree
    # A file whose name in Git is that of the rendered bytes has these bytes, and is not read:
    # of a tree of 100,000 files, few differ.
    likely = {folder: rendered.files(folder) for folder in rendered.folders}
    results: tuple[Result, ...] = ()
    # The output of `-o` is looked for at its own path, whatever the earlier fleet file says.
    if loaded.output != loaded.folder / loaded.fleet_file.spec.output:
        tree = read_tree(loaded.folder, loaded.output.absolute(), revision, likely)
        document = _read_fleet(revision_files)[0] if _is_project(revision_files) else None
    else:
        if not _is_project(revision_files):
            earlier, results = _find_moved(loaded, revision_files, revision)
            if earlier is None:
                return CommittedTree({}, results)
            revision_files = earlier
        document, unreadable = _read_fleet(revision_files)
        # With an unreadable fleet file the present one is the best guess.
        spec = document.model.spec if document is not None else loaded.fleet_file.spec
        tree, results = revision_files.tree(spec.output, likely), (*results, *unreadable)
    file = read_optional(revision_files, FLEET_FILE)
    return CommittedTree(
        own_files(tree),
        results,
        tree,
        document=document,
        source=revision_files,
        deletions=read_deletions(file.data) if file is not None else (),
    )


def _is_project(revision_files: AtRevision) -> bool:
    return any(read_optional(revision_files, name) is not None for name in (FLEET_FILE, _PLACEMENT))


def _read_fleet(revision_files: AtRevision) -> tuple[FleetDocument | None, tuple[Result, ...]]:
    """Return the earlier fleet file, or None and a finding if it is invalid."""
    try:
        return read_fleet_file(revision_files), ()
    except InputError as error:
        problems = "; ".join(f"{result.origin}: {result.message}" for result in error.results)
        return None, (
            UNREADABLE_BASE.result(
                f"{problems}; its output is assumed to be where it is now",
                cure="compare with a revision whose fleet.yaml is valid",
            ),
        )


def _find_moved(
    loaded: Loaded, revision_files: AtRevision, revision: str
) -> tuple[AtRevision | None, tuple[Result, ...]]:
    """Return a moved project at its earlier folder; None and a finding if that is unclear."""
    earlier = [AtRevision(path, revision) for path in revision_files.gone((FLEET_FILE, _PLACEMENT))]
    name = loaded.fleet_file.metadata.name
    if name is not None:
        names = [(project, _project_name(project)) for project in earlier]
        # Projects with the same name first; else those without a name, which may be this one.
        earlier = [project for project, own_name in names if own_name == name] or [
            project for project, own_name in names if own_name is None
        ]
    if len(earlier) == 1:
        return earlier[0], ()
    message = f"{revision} has no project at {loaded.folder}"
    if not earlier:
        return None, (UNKNOWN_BASE.result(f"{message}: nothing was lost", severity=INFO),)
    places = " or ".join(sorted(project.place for project in earlier))
    return None, (
        UNKNOWN_BASE.result(
            f"{message}, and it may have been {places}",
            cure="give each project a metadata.name in fleet.yaml, or move one at a time",
        ),
    )


def _project_name(revision_files: AtRevision) -> str | None:
    document, _ = _read_fleet(revision_files)
    return document.model.metadata.name if document is not None else None
