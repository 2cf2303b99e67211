"""What a project's output held at a revision, wherever it was then."""

from __future__ import annotations

from spokerender.cli.comparison import Base, Tree
from spokerender.cli.loaded import FLEET_FILE, Loaded, fleet_of
from spokerender.config.loading import FleetDocument
from spokerender.edge.git import AtRevision, read_tree
from spokerender.edge.reading import read_optional
from spokerender.findings.codes.shipping import UNKNOWN_BASE, UNREADABLE_BASE
from spokerender.findings.errors import InputError
from spokerender.findings.results import INFO, Result
from spokerender.kinds.catalogue import ConfiguredKind
from spokerender.model.ownership import is_ours
from spokerender.rendering.fleet_file import configured_kinds

_PLACEMENT = "placement.yaml"
"""What a project without a fleet file has."""


def base_of(loaded: Loaded, revision: str) -> Base:
    """Read the tree that a project had at a revision.

    Its own fleet file of then says where it was, unless the output has been named on the command
    line: then it is that folder.

    Raises:
        GitError: there is no Git, no repository, no such revision, or an object is missing.

    """
    then = AtRevision(loaded.folder, revision)
    if loaded.output != loaded.folder / loaded.fleet_file.spec.output:
        tree = read_tree(loaded.folder, loaded.output.absolute(), revision)
        document = _fleet_of(then)[0] if _is_project(then) else None
        return Base(_ours(tree), whole=tree, kinds=_kinds_of(document))
    results: tuple[Result, ...] = ()
    if not _is_project(then):
        earlier, results = _moved(loaded, then, revision)
        if earlier is None:
            return Base({}, results)
        then = earlier
    document, unreadable = _fleet_of(then)
    spec = document.model.spec if document is not None else loaded.fleet_file.spec
    tree = then.tree(spec.output)
    return Base(_ours(tree), (*results, *unreadable), tree, kinds=_kinds_of(document))


def _kinds_of(document: FleetDocument | None) -> tuple[ConfiguredKind, ...] | None:
    return configured_kinds(document.model.spec.policy_kinds) if document is not None else None


def _is_project(then: AtRevision) -> bool:
    return any(read_optional(then, name) is not None for name in (FLEET_FILE, _PLACEMENT))


def _fleet_of(then: AtRevision) -> tuple[FleetDocument | None, tuple[Result, ...]]:
    """The fleet file of then. It may be wrong: what mends it has to be compared as well."""
    try:
        return fleet_of(then), ()
    except InputError as error:
        problems = "; ".join(f"{result.origin}: {result.message}" for result in error.results)
        return None, (
            UNREADABLE_BASE.result(
                f"{problems}; taken to be where the output is now",
                cure="mend it there, or compare with a revision in which it is right",
            ),
        )


def _moved(
    loaded: Loaded, then: AtRevision, revision: str
) -> tuple[AtRevision | None, tuple[Result, ...]]:
    """The project that is not in its folder any more, if there is one that this can have been."""
    gone = [AtRevision(path, revision) for path in then.gone((FLEET_FILE, _PLACEMENT))]
    name = loaded.fleet_file.metadata.name
    if name is not None:
        names = [(each, _name_of(each)) for each in gone]
        gone = [each for each, own in names if own == name]
        gone = gone or [each for each, own in names if own is None]
    if len(gone) == 1:
        return gone[0], ()
    message = f"{revision} has no project at {loaded.folder}"
    if not gone:
        return None, (UNKNOWN_BASE.result(f"{message}: nothing was lost", severity=INFO),)
    places = " or ".join(sorted(each.place for each in gone))
    return None, (
        UNKNOWN_BASE.result(
            f"{message}, and it may have been {places}",
            cure="give each project a metadata.name in fleet.yaml, or move one at a time",
        ),
    )


def _name_of(then: AtRevision) -> str | None:
    document, _ = _fleet_of(then)
    return document.model.metadata.name if document is not None else None


def _ours(tree: Tree) -> Tree:
    """A committed tree without the files of others."""
    return {
        folder: {path: data for path, data in files.items() if is_ours(data)}
        for folder, files in tree.items()
    }
