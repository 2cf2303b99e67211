"""The earlier state of a review: rendered from its sources, or as its committed tree has it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from spokerender.cli.loaded import FilesByFolder, Loaded
from spokerender.cli.project import load
from spokerender.cli.trees import read_base
from spokerender.edge.git.repository import GitRepository
from spokerender.edge.git.revision import AtRevision
from spokerender.edge.presence import is_project
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import count
from spokerender.findings.results import Result, Severity
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge
from spokerender.review.comparison.views import FleetState
from spokerender.review.meaning.committed import judge_files
from spokerender.review.values import ReviewedState

_MERGE_BASE = "..."


class ReviewBase(Struct, frozen=True, eq=False):
    """An earlier state, the files of its output, and the findings about reading it."""

    state: FleetState
    files: FilesByFolder
    results: tuple[Result, ...] = ()


def find_base(now: Loaded, name: str) -> ReviewBase:
    """Find the state that a user names: a project's folder, a revision, or a merge base.

    `REV...` is the merge base of a revision and HEAD. A revision whose project can't be rendered
    any more is read from its committed tree.

    Raises:
        GitError: there is no Git, no repository or no such revision.
        InputError: the project in the folder can't be read.

    """
    if is_project(name):
        return base_of(load(name, None), name)
    revision = name
    if name.endswith(_MERGE_BASE):
        repository = GitRepository(now.folder)
        other = name.removesuffix(_MERGE_BASE)
        repository.tree_at(other)  # an unknown revision is told as one
        revision = repository.ask("merge-base", "--end-of-options", other, "HEAD").decode().strip()
    try:
        return base_of(load(str(now.folder), None, AtRevision(now.folder, revision)), name)
    except InputError as error:
        return _of_tree(now, revision, name, error)


def base_of(loaded: Loaded, name: str) -> ReviewBase:
    """Return a rendered project as a base."""
    tree = loaded.rendered.tree
    files = {folder: dict(tree.files(folder)) for folder in tree.folders}
    return ReviewBase(judge_state(loaded, name), files)


def judge_state(loaded: Loaded, name: str) -> FleetState:
    """Judge a rendered project; `name` is how a user calls its state."""
    rendered = loaded.rendered
    errors = [r for r in loaded.rendered.results if r.severity is Severity.ERROR]
    note = f"{name} has {count(len(errors), 'error')}: what it would render is compared"
    about = ReviewedState(name, len(rendered.bundles), note=note if errors else "")
    return FleetState(rendered, judge(rendered, (), Aspect.POLICIES), about)


def _of_tree(now: Loaded, revision: str, name: str, error: InputError) -> ReviewBase:
    committed = read_base(now, revision)
    files: Mapping[str, Mapping[str, bytes]] = committed.tree
    first = error.results[0]
    place = f"{first.origin}: " if first.origin is not None else ""
    spokes = sum(not folder.startswith("_") for folder in files)
    note = f"{name} can't be rendered ({place}{first.message}): its committed tree is compared"
    about = ReviewedState(name, spokes, is_rendered=False, note=note)
    output = Path(now.fleet_file.spec.output).as_posix()
    state = judge_files(files, now.rendered, about, f"{name}:{output}")
    return ReviewBase(state, files, committed.results)
