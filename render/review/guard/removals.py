"""What a change of the whole output would lose, spoke by spoke."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from render.kinds import Catalogue
from render.model import Ref
from render.review.guard.comparison import Comparison
from render.review.guard.documents import KUSTOMIZATION, Reader, documents
from render.review.guard.losses import Loss, Lost, Removal
from render.review.guard.trees import Tree

Files = Callable[[str], Mapping[str, bytes]]
"""The files of a folder of the output: path below it, with `/`, and bytes."""


class Change(Protocol):
    """What changes in one folder of the output (`model.plan.FolderPlan`); paths are below it."""

    @property
    def folder(self) -> str:
        """Its name: the spoke's, or one that begins with `_` and belongs to none."""

    @property
    def update(self) -> Sequence[str]:
        """The files whose bytes change."""

    @property
    def delete(self) -> Sequence[str]:
        """The files that go."""

    @property
    def is_new(self) -> bool:
        """Whether nothing has been there before."""

    @property
    def is_removed(self) -> bool:
        """Whether no file of ours shall be in it any more."""


def removals(
    old: Files, new: Files, changes: Iterable[Change], catalogue: Catalogue
) -> tuple[Removal, ...]:
    """What a change of the output takes from its spokes, in the order of the changes.

    Args:
        old: what was in a folder; what is not ours is passed over. Asked for only where files
            go, or one changes in which a security policy may be.
        new: what shall be in a folder; not asked for where the folder goes.
        changes: the folders that change.
        catalogue: which kinds are security policies, and what their objects name.

    """
    reader = Reader(catalogue)
    names = _names_of_policies(catalogue)
    found: list[Removal] = []
    arrived: list[str] = []
    for change in changes:
        if change.folder.startswith("_"):
            continue
        if change.is_new:
            arrived.append(change.folder)
        elif change.is_removed:
            found.append(_of_spoke_that_goes(change.folder, old, reader))
        elif change.delete or any(_may_hold_policy(path, names) for path in change.update):
            found.append(_of_spoke_that_stays(change.folder, old, new, reader))
    found = [removal for removal in found if removal.lost or removal.loss is Loss.SPOKE]
    return _with_new_names(found, arrived, new, reader)


def _names_of_policies(catalogue: Catalogue) -> frozenset[str]:
    """How the names of security policies' files begin (`render.rendering.layout`)."""
    kinds = (kind for kind in catalogue.kinds.values() if kind.security)
    return frozenset(f"{kind.kind.lower()}.{kind.group}".rstrip(".") for kind in kinds)


def _may_hold_policy(path: str, names: frozenset[str]) -> bool:
    """Whether a security policy may be in a file, going by its name; several objects have none."""
    kind, is_one_object, _ = path.rpartition("/")[2].partition("_")
    return kind in names if is_one_object else path != KUSTOMIZATION


def _of_spoke_that_goes(spoke: str, old: Files, reader: Reader) -> Removal:
    tree = Tree(documents(old(spoke)), reader)
    lost = tuple(_lost_with_its_spoke(ref, tree, reader) for ref in sorted(tree.refs))
    return Removal(spoke=spoke, loss=Loss.SPOKE, lost=lost, total=len(tree))


def _lost_with_its_spoke(ref: Ref, tree: Tree, reader: Reader) -> Lost:
    if not reader.is_security_policy(ref):
        return Lost(ref)
    parsed = tree.parsed(ref)
    targets = parsed.targets if parsed is not None else ()
    return Lost(ref, security=True, unprotected=tuple(map(str, targets)))


def _of_spoke_that_stays(spoke: str, old: Files, new: Files, reader: Reader) -> Removal:
    before, after = (Tree(documents(files(spoke)), reader) for files in (old, new))
    lost = tuple(Comparison(before, after, reader).lost())
    loss = Loss.EMPTIED if len(before) and not len(after) else Loss.PART
    return Removal(spoke=spoke, loss=loss, lost=lost, total=len(before))


def _with_new_names(
    found: list[Removal], arrived: Iterable[str], new: Files, reader: Reader
) -> tuple[Removal, ...]:
    """Name the new folder, each at most once, in which all objects of a spoke that goes appear."""
    if not any(removal.loss is Loss.SPOKE and removal.lost for removal in found):
        return tuple(found)
    free = {spoke: Tree(documents(new(spoke)), reader).refs for spoke in sorted(arrived)}
    named = []
    for removal in found:
        refs = {item.ref for item in removal.lost} if removal.loss is Loss.SPOKE else set()
        name = next((spoke for spoke, there in free.items() if refs and refs <= there), "")
        free.pop(name, None)
        named.append(replace(removal, renamed_to=name))
    return tuple(named)
