"""The differences between two trees by object and field; equal ones of many spokes are joined."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from operator import itemgetter
from typing import Any

from msgspec.structs import replace

from spokerender.formats.comparing import ABSENT, Change, changes, fingerprint
from spokerender.kinds.credentials import Redactor
from spokerender.kinds.table import list_maps
from spokerender.model import GATEWAY, Ref, grouped
from spokerender.model.plan import KUSTOMIZATION, FilePair, FolderPlan
from spokerender.model.shapes import Json
from spokerender.rendering.values.own_texts import OwnTexts, SharedByOwnTexts
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.changes import pairs
from spokerender.review.changes.values import Difference, DifferenceKind, TreeDifferences, Varying

_MIRRORS = f"{KUSTOMIZATION}, only to list the files above"
_MANY = 3
"""From this number of different changes on, a field is reported as one `Varying` field."""
NO_OWN_TEXTS = OwnTexts({})
_READ = 64
"""The number of parsed files in the cache: the search for moves and the comparison share them."""


def find_differences(
    files: Iterable[FilePair],
    plans: Iterable[FolderPlan] = (),
    own: Callable[[str], OwnTexts] = lambda _: NO_OWN_TEXTS,
) -> TreeDifferences:
    """Return the differences between the old and the new files, sorted by path, object and kind.

    A field that changes in the same way on several spokes is one difference, even if other fields
    of the object differ between these spokes; so is a field that each spoke changes to its own
    value. A kustomization.yaml that only follows from added or removed files is only counted.

    `files` must list the files of each folder together. The spokes that `plans` add (or remove) as
    a whole are one difference if they have equally many objects. `own` returns the values that only
    one spoke has: files that are equal except for such values are compared once.
    """
    facts: dict[tuple[str, ...], tuple[Difference, list[str]]] = {}
    read = lru_cache(_READ)(pairs.read_objects)
    compare = SharedByOwnTexts(partial(_compare_files, Redactor(), read), own)
    identify = SharedByOwnTexts(partial(pairs.identify_file, read=read), own)
    whole = {
        plan.folder: plan
        for plan in plans
        if not plan.folder.startswith("_") and plan.changes and (plan.is_new or plan.is_removed)
    }
    partly = pairs.WithoutMirrors(pair for pair in files if pair[0] not in whole)
    for folder, path, old, new in pairs.with_moves(partly, identify):
        for key, item in compare(folder, old, new):
            if (path, *key) not in facts:
                facts[path, *key] = replace(item, path=path), []
            facts[path, *key][1].append(folder)
    left_out = {_MIRRORS: partly.left_out} if partly.left_out else {}
    return TreeDifferences(
        (*_whole_folders(whole.values()), *_join_fields(facts.values(), own)), left_out
    )


def _whole_folders(plans: Iterable[FolderPlan]) -> Iterator[Difference]:
    """Yield new folders and removed folders, joined if they have the same number of objects."""
    folders_by_count: dict[tuple[DifferenceKind, int], list[str]] = {}
    for plan in plans:
        kind = DifferenceKind.NEW_FOLDER if plan.is_new else DifferenceKind.LOST_FOLDER
        count = sum(path != KUSTOMIZATION for path in (*plan.create, *plan.delete))
        folders_by_count.setdefault((kind, count), []).append(plan.folder)
    for (kind, count), folders in sorted(folders_by_count.items()):
        yield Difference(kind, "", None, tuple(folders), count=count)


_Fact = tuple[tuple[str, ...], Difference]
"""A change of one object in a file, with its key; equal keys mean equal changes."""


def _join_fields(
    facts: Iterable[tuple[Difference, list[str]]], own: Callable[[str], OwnTexts]
) -> Iterator[Difference]:
    """Yield differences; an object's fields that change in the same folders are one difference."""
    fields: dict[tuple[Any, ...], list[Difference]] = {}
    for item in _find_varying(facts, own):
        ref, was = item.ref or pairs.NO_OBJECT, item.was or pairs.NO_OBJECT
        key = item.path, ref, item.kind, item.problem, item.folders, was
        fields.setdefault(key, []).append(item)
    for _, items in sorted(fields.items(), key=itemgetter(0)):
        changed = tuple(change for item in items for change in item.changes)
        varying = tuple(each for item in items for each in item.varying)
        yield replace(items[0], changes=changed, varying=varying)


def _find_varying(
    facts: Iterable[tuple[Difference, list[str]]], own: Callable[[str], OwnTexts]
) -> Iterator[Difference]:
    """Yield each change with its folders; many different changes of a field are one difference.

    Fields are the same if their paths are equal except for values that only one spoke has.
    """
    by_field: dict[tuple[Any, ...], list[tuple[Difference, tuple[str, ...]]]] = {}
    for number, (item, folders) in enumerate(facts):
        place: object = number
        if item.changes:
            place = own(folders[0]).blank(repr(item.changes[0].path).encode())
        key = item.path, item.ref, item.kind, item.was, place
        by_field.setdefault(key, []).append((item, tuple(folders)))
    for items in by_field.values():
        if len(items) < _MANY:
            yield from (replace(item, folders=folders) for item, folders in items)
            continue
        values = tuple((folders, item.changes[0]) for item, folders in items if item.changes)
        every = tuple(sorted({folder for folders, _ in values for folder in folders}))
        varying = (Varying(values[0][1], values),)
        yield replace(items[0][0], folders=every, changes=(), varying=varying)


def _compare_files(
    redactor: Redactor, read: pairs.ReadFile, old: bytes | None, new: bytes | None
) -> tuple[_Fact, ...]:
    """Return the changes of a file's objects; one if it can't be read, or only its text differs."""
    before, problem = read(old)
    after, _ = read(new)
    if problem:
        return (_make_fact(DifferenceKind.UNREADABLE, pairs.single_ref(after), problem=problem),)
    if before and after:  # if one side is empty, no content is reported
        secrets = pairs.inline_credentials(before) | pairs.inline_credentials(after)
        before, after = (
            {key: redactor.data(value, secrets) for key, value in side.items()}
            for side in (before, after)
        )
    if len(before) == len(after) == 1:  # one object on both sides is the same one
        (was, _), (now, _) = next(iter(before)), next(iter(after))
        before = dict(zip(after, before.values(), strict=True))
        if pairs.NO_OBJECT not in (was, now) and was != now:
            (old_data,), (new_data,) = before.values(), after.values()
            return tuple(_compare_object(now, old_data, new_data, was))
    facts = tuple(
        fact
        for key in sorted(before.keys() | after.keys())
        for fact in _compare_object(key[0], before.get(key, ABSENT), after.get(key, ABSENT))
    )
    return facts or (_make_fact(DifferenceKind.TEXT, pairs.single_ref(after)),)


def _compare_object(ref: Ref, old: Json, new: Json, was: Ref | None = None) -> Iterator[_Fact]:
    if old is ABSENT or new is ABSENT:
        yield _make_fact(DifferenceKind.ADDED if old is ABSENT else DifferenceKind.REMOVED, ref)
    else:
        kind = DifferenceKind.CHANGED if was is None else DifferenceKind.MOVED
        for change in changes(old, new, list_maps(new)):
            yield _make_fact(kind, ref, change, was=was)


def _make_fact(
    kind: DifferenceKind,
    ref: Ref,
    change: Change | None = None,
    problem: str = "",
    was: Ref | None = None,
) -> _Fact:
    steps = (
        () if change is None else (repr(change.path), *map(fingerprint, (change.old, change.new)))
    )
    every = () if change is None else (change,)
    object_ref = ref if ref != pairs.NO_OBJECT else None
    item = Difference(kind, "", object_ref, (), every, problem, was=was)
    return (kind, repr(ref), repr(was), problem, *steps), item


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
