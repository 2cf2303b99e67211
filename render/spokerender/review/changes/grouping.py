"""Differences joined for a reader: each rename once, with the references that follow it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from spokerender.formats.comparing import Change
from spokerender.model import grouped
from spokerender.model.plan import FilePair, FolderPlan
from spokerender.rendering.values.own_texts import OwnTexts
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.changes.differences import NO_OWN_TEXTS, find_differences
from spokerender.review.changes.values import Difference, DifferenceKind, TreeDifferences
from spokerender.topology.node import GATEWAY


def group_differences(
    pairs: Iterable[FilePair], plans: Iterable[FolderPlan], rendered: Rendered
) -> TreeDifferences:
    """Return the differences of a fleet; a reference to a renamed object is part of the rename."""

    @cache
    def own(folder: str) -> OwnTexts:
        bundle = rendered.bundles.get(folder)
        return bundle.own_texts() if bundle is not None else NO_OWN_TEXTS

    differences = find_differences(pairs, plans, own)
    items = _fold_renames(_join_outside_spokes(differences.items))
    return TreeDifferences(tuple(items), differences.left_out)


def _join_outside_spokes(differences: Iterable[Difference]) -> list[Difference]:
    """Join objects of one kind in a file outside spokes (`_fleet`) that differ in the same way."""
    joined: dict[object, list[Difference]] = {}
    for item in differences:
        ref, key = item.ref, object()
        if ref is not None and item.was is None and item.folders[0].startswith("_"):
            kind = item.kind, ref.group, ref.kind, item.problem
            key = item.path, item.folders, kind, repr(item.changes)
        joined.setdefault(key, []).append(item)
    return [
        replace(first, alike=tuple(item.ref for item in others if item.ref is not None))
        for first, *others in joined.values()
    ]


def _fold_renames(differences: Sequence[Difference]) -> Iterator[Difference]:
    """Yield the differences; changed references to a moved object are part of the object's move.

    A changed namespace is part of a Gateway's move, not of the move of a policy along with it.
    """
    moving = (item for item in differences if item.kind is DifferenceKind.MOVED)
    first = sorted(moving, key=lambda it: it.ref is None or (it.ref.group, it.ref.kind) != GATEWAY)
    moved = grouped((name, item) for item in first for name in item.folders)
    followed = [(item, _list_moves(item, moved) if item.ref else ()) for item in differences]
    follows = grouped((id(move), item.ref) for item, moves in followed for move in moves)
    for item, moves in followed:
        if not moves:
            refs = {ref for ref in follows.get(id(item), []) if ref is not None}
            yield replace(item, follows=tuple(sorted(refs))) if refs else item


def _list_moves(
    item: Difference, moved: Mapping[str, Sequence[Difference]]
) -> Sequence[Difference]:
    """Return the moves (`moved`: by folder) that explain all changes of `item`; empty otherwise."""
    if item.kind is not DifferenceKind.CHANGED:
        return []
    ways = [(item.folders, change) for change in item.changes]
    ways += [way for varying in item.varying for way in varying.by_folders]
    moves: dict[int, Difference] = {}
    for folders, change in ways:
        for folder in folders:
            move = next((one for one in moved.get(folder, ()) if _names(change, one)), None)
            if move is None:
                return []
            moves[id(move)] = move
    return [*moves.values()]


def _names(change: Change, move: Difference) -> bool:
    """Return whether `change` replaces a moved object's old name or namespace by the new one."""
    was, ref = move.was, move.ref
    if was is None or ref is None:
        return False
    names = {"name": (was.name, ref.name), "namespace": (was.namespace, ref.namespace)}
    return names.get(str(change.path[-1])) == (change.old, change.new)
