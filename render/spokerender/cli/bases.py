"""The earlier state of a review, rendered from its sources or read from its committed tree."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from spokerender.cli.loaded import CommittedTree, Loaded, tree_after
from spokerender.cli.project import load
from spokerender.cli.trees import read_base
from spokerender.edge.git.repository import GitRepository
from spokerender.edge.git.revision import AtRevision
from spokerender.edge.presence import is_folder, is_project, real
from spokerender.findings.codes import project
from spokerender.findings.errors import GitError, InputError
from spokerender.findings.phrasing import count, listed
from spokerender.findings.results import Severity
from spokerender.judging.fleet.judged import Aspect
from spokerender.model import Origin
from spokerender.pipeline import judge
from spokerender.review.comparison.states import FleetState
from spokerender.review.guard.earlier import judge_files
from spokerender.review.values import ReviewedState

_MERGE_BASE = "..."
_REMOTE = re.compile(
    r"(?:https?://(?:[^@/]*@)?|ssh://git@|git@)([\w.-]+)(?::\d+(?=/))?[:/](.+?)(?:\.git)?/?"
)
_BLOBS = {"github": "blob", "gitlab": "-/blob"}
"""The part of an address between repository and commit, by a word in the host's name."""
_ADDRESS = re.compile(r"https?://[\w.:/~-]+")
_LISTED = 10
_DIGITS = 12
"""The digits of a commit in messages: they are unique even among the commits of Linux."""


class ReviewBase(Struct, frozen=True, eq=False):
    """An earlier state of the fleet to compare with, and the committed tree of its output."""

    state: FleetState
    tree: CommittedTree
    output: str = ""
    """The output folder in the base's fleet file; empty if the file can't be read."""

    def compared_with(self, now: Loaded) -> "ReviewBase":
        """Return the base, with a note if the project has another output folder now."""
        was, output = Path(self.output), Path(now.fleet_file.spec.output)
        if not self.output or was == output:
            return self
        note = f"the output was in {was}, and is in {output}: what reads {was} gets no change"
        return replace(self, state=replace(self.state, about=self.state.about.noted(note)))


def find_base(now: Loaded, name: str) -> ReviewBase:
    """Return the state that a user names: a project's folder, a revision, or a merge base.

    `REV...` is the merge base of a revision and HEAD. If the project at a revision can't be
    rendered now, its committed tree is read. Raises `GitError` if there is no Git, no repository or
    no such revision, and `InputError` if the project in the folder can't be read.
    """
    if name and is_project(name):
        return base_of(load(name, None), name)
    revision = name
    try:
        if name.endswith(_MERGE_BASE):
            commit = GitRepository(now.folder).merge_base(name.removesuffix(_MERGE_BASE))
            revision = commit[:_DIGITS]
        source = AtRevision(now.folder, revision)
        return base_of(load(str(now.folder), None, source), name, source)
    # The revision exists, and its sources are wrong: the tree that was built from them is still
    # there.
    except InputError as error:
        return _of_tree(now, revision, name, error)
    except GitError as error:
        # The name was meant as a folder, so the message of Git alone would mislead.
        if not (name and is_folder(name)):
            raise
        lacks = "without fleet.yaml, placement.yaml or hub/"
        raise GitError(f"the folder {name} is no project, {lacks}, and {error}") from error


def base_of(loaded: Loaded, name: str, revision: AtRevision | None = None) -> ReviewBase:
    """Return a rendered project as a base; `revision` is None if it was read on disk.

    For spokes that wait for a wave, or whose sources were changed without a build, the content of
    their folders is compared, as the next build changes that.
    """
    rendered, spec = loaded.rendered, loaded.fleet_file.spec
    tree = tree_after(rendered)
    files = {folder: dict(tree.files(folder)) for folder in tree.folders}
    as_was = {folder: own for folder, own in files.items() if rendered.holds(folder)}
    # Somebody may have changed the sources without a build: the change comes with the next build.
    unbuilt = revision.find_unbuilt(spec.output, files) if revision is not None else {}
    as_was |= unbuilt
    committed = CommittedTree(
        files | as_was, document=loaded.document, source=loaded.source, deletions=spec.deletions
    )
    state = judge_state(loaded, name, revision.commit if revision is not None else "")
    if unbuilt:
        folders = listed(sorted(unbuilt), _LISTED)
        note = f"{name} was not built whole: of {folders} the committed files are compared"
        state = replace(state, about=state.about.noted(note))
    if as_was:
        place = f"{name}:{Path(spec.output).as_posix()}"
        state = state.joined(judge_files(as_was, rendered, state.about, place))
    return ReviewBase(state, committed, spec.output)


def link_lines(now: Loaded, base: ReviewBase) -> tuple[str, Callable[[Origin], str]]:
    """Return the commit of the working tree, and a function that returns the URL of a line.

    The function returns "" if the host of the repository, or the commit of the line, is unknown.
    """
    from spokerender.report.sarif import write_uri  # noqa: PLC0415  (only a review needs it)

    try:
        repository = GitRepository(now.folder)
        commit, host = repository.commit_at("HEAD"), _find_host(repository)
    except GitError:
        return "", lambda _: ""
    source = base.tree.source
    prefix = source.prefix if isinstance(source, AtRevision) else ""

    # A commit that is compared with itself lacks the lines of the working tree.
    own = commit if commit != base.state.about.commit else ""

    def link(line: Origin) -> str:
        is_earlier = bool(prefix) and line.path.startswith(prefix)
        side = base.state.about.commit if is_earlier else own
        path = real(Path(line.path.removeprefix(prefix) if is_earlier else line.path))
        if not (host and side and path.is_relative_to(repository.top)):
            return ""
        inside = write_uri(path.relative_to(repository.top).as_posix())
        return f"{host}/{side}/{inside}#L{line.line}"

    return commit, link


def _find_host(repository: GitRepository) -> str:
    """Return the URL of a repository's files at its host; "" if it is unknown.

    In CI, variables name the host; elsewhere the remote does, if the host's name shows its kind.
    """
    read = os.environ.get
    if name := read("GITHUB_REPOSITORY"):
        address = f"{read('GITHUB_SERVER_URL')}/{name}/blob"
    elif project := read("CI_PROJECT_URL"):
        address = f"{project}/-/blob"
    else:
        remote = _REMOTE.fullmatch(repository.remote)
        kind = next((kind for kind in _BLOBS if remote and kind in remote[1]), "")
        address = f"https://{remote[1]}/{remote[2]}/{_BLOBS[kind]}" if remote and kind else ""
    return address if _ADDRESS.fullmatch(address) else ""


def judge_state(loaded: Loaded, name: str, commit: str = "") -> FleetState:
    """Return the judged state of a rendered project; `name` is the user's name for it."""
    rendered = loaded.rendered
    # An earlier state with errors is compared as far as it renders.
    errors = [r for r in rendered.results if r.severity is Severity.ERROR]
    note = ""
    if errors:
        note = f"{name} has {count(len(errors), 'error')}: what it would render is compared"
    elif waiting := [spoke for spoke in rendered.bundles if rendered.holds(spoke)]:
        wait, keep = ("waits", "keeps") if len(waiting) == 1 else ("wait", "keep")
        note = (
            f"{name}: {count(len(waiting), 'spoke')} {wait} for a later wave and {keep} what is "
            f"there: {listed(waiting, _LISTED)}"
        )
    about = ReviewedState(name, len(rendered.bundles), note=note, commit=commit)
    fleet = judge(rendered, (), Aspect.STATES)
    return FleetState(rendered, fleet, about)


def _of_tree(now: Loaded, revision: str, name: str, error: InputError) -> ReviewBase:
    """Return the committed tree of a revision whose project is absent, or fails with `error`.

    Raises `GitError` if a project has no committed tree, as nothing would seem to be lost.
    """
    committed = read_base(now, revision)
    files: Mapping[str, Mapping[str, bytes]] = committed.tree
    first = error.results[0]
    why = f"{first.origin}: {first.message}" if first.origin is not None else first.message
    spokes = sum(not folder.startswith("_") for folder in files)
    note = f"{name} can't be rendered, so its committed tree is compared: {why}"
    # A project that starts with this change has nothing to lose.
    if not files and first.code == project.MISSING.code:
        note = f"{name} has no project here, so everything is new"
    elif not files:
        raise GitError(
            f"{name} can't be rendered, and has no committed tree to compare with: {why}; name "
            "another revision, or the folder of a project"
        )
    commit = GitRepository(now.folder).commit_at(revision)
    about = ReviewedState(name, spokes, is_rendered=False, note=note, commit=commit)
    output = Path(now.fleet_file.spec.output).as_posix()
    state = judge_files(files, now.rendered, about, f"{name}:{output}")
    return ReviewBase(state, committed)
