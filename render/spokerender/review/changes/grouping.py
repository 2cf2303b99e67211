"""Differences as a reader wants them: a rename once, and what does not follow a common change."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

from spokerender.formats.comparing import ABSENT, Change, is_same_json, located
from spokerender.kinds.fields import read_value
from spokerender.model import Ref, grouped
from spokerender.model.plan import FilePair, FolderPlan
from spokerender.model.shapes import Json
from spokerender.rendering.values.own_texts import OwnTexts
from spokerender.rendering.values.provenance import Tracer
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.changes.differences import NO_OWN_TEXTS, find_differences
from spokerender.review.changes.values import (
    Difference,
    DifferenceKind,
    FieldException,
    TreeDifferences,
)
from spokerender.topology.node import GATEWAY


def group_differences(
    pairs: Iterable[FilePair], plans: Iterable[FolderPlan], rendered: Rendered
) -> TreeDifferences:
    """Return the differences of a fleet, those with exceptions first.

    What only names a renamed object anew is part of that rename; a change of all spokes but some
    names these, and what they have instead.
    """

    @cache
    def own(folder: str) -> OwnTexts:
        bundle = rendered.bundles.get(folder)
        return bundle.with_name().own_texts() if bundle is not None else NO_OWN_TEXTS

    differences = find_differences(pairs, plans, own)
    exceptions = _Exceptions(rendered)
    folded = _fold_renames(_join_outside_spokes(differences.items))
    items = [replace(item, exceptions=exceptions.list_for(item)) for item in folded]
    items.sort(key=lambda item: not item.exceptions)
    return TreeDifferences(tuple(items), differences.left_out)


def _join_outside_spokes(differences: Iterable[Difference]) -> list[Difference]:
    """Join objects outside spokes that differ alike: an engine has one of a kind for each spoke."""
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
    """Yield the differences; those that only name moved objects anew are part of these.

    What names a namespace is part of the Gateway that moved there, not of a policy that went along.
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
    """Return what moved, by folder, if every changed field is the name or namespace of that."""
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
    """Tell whether a field has the name or namespace of what moved, before and after it."""
    was, ref = move.was, move.ref
    if was is None or ref is None:
        return False
    names = {"name": (was.name, ref.name), "namespace": (was.namespace, ref.namespace)}
    return names.get(str(change.path[-1])) == (change.old, change.new)


class _Exceptions:
    """The spokes where a field stays that changes on most of those that have the object."""

    def __init__(self, rendered: Rendered) -> None:
        self._rendered = rendered
        self._tracer = Tracer(rendered)

    def list_for(self, item: Difference) -> tuple[FieldException, ...]:
        """Return the exceptions of a changed field, by value; none where most spokes stay."""
        ref = item.ref
        if item.kind is not DifferenceKind.CHANGED or len(item.changes) != 1 or ref is None:
            return ()
        changed = set(item.folders)
        others = [
            name
            for name, bundle in self._rendered.bundles.items()
            if name not in changed and bundle.find(ref) is not None
        ]
        if not others or len(others) >= len(changed):
            return ()
        spokes: dict[str, tuple[Any, list[str]]] = {}
        for name in others:
            value = self._read(name, ref, item.changes[0])
            spokes.setdefault(repr(value), (value, []))[1].append(name)
        return tuple(
            self._make(ref, item.changes[0], value, names)
            for value, names in spokes.values()
            if not is_same_json(value, item.changes[0].new)
        )

    def _make(self, ref: Ref, change: Change, value: Json, names: list[str]) -> FieldException:
        source = self._tracer.source(names[0], ref, change.path)
        return FieldException(tuple(names), value, source.origin if source is not None else None)

    def _read(self, spoke: str, ref: Ref, change: Change) -> Json:
        bundle = self._rendered.bundles[spoke]
        variant = bundle.find(ref)
        if variant is None:
            return ABSENT
        data = bundle.object_of(variant)
        path = located(change.path, data)
        return read_value(data, path, ABSENT) if len(path) == len(change.path) else ABSENT
