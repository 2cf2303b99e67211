"""What differs between two trees, told in objects and fields; equal changes are told once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.formats.comparing import ABSENT, Change, changes, fingerprint
from spokerender.kinds.credentials import Redactor
from spokerender.kinds.table import list_maps
from spokerender.model import Ref
from spokerender.model.ownership import KUSTOMIZATION
from spokerender.model.plan import FolderPlan
from spokerender.review.objects import NOBODY, Read, identified, inline_credentials, objects, only
from spokerender.review.opposites import FilePair, with_moves, without_mirrors

_MANY = 3
"""From how many ways on in which a field differs they are told as one."""

_REMEMBERED = 4_096
"""How many pairs of texts are remembered: more than one spoke's, as spokes come one by one."""
_READ = 64
"""How many texts stay read: what moved and what changed are asked of the same ones."""


class Kind(StrEnum):
    """What happened to an object."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    TEXT = "text-only"
    """The objects are equal; comments, the order of keys or the format are not."""
    MOVED = "moved"
    """It has another name or namespace; `Difference.was` is what it was called."""
    UNREADABLE = "unreadable"
    """The old text is not what Kubernetes takes for YAML; `Difference.problem` says why."""
    NEW_FOLDER = "new"
    """The whole folder, with `Difference.count` objects in each of the folders."""
    LOST_FOLDER = "lost"
    """As before, but it goes."""


class Varying(Struct, frozen=True):
    """A field that many folders change from and to values of their own.

    `first` is the change of the first folder; `each` has all of them, with their folders.
    """

    first: Change
    each: tuple[tuple[tuple[str, ...], Change], ...]


class Difference(Struct, frozen=True):
    """What happened to one object in the same file of several folders of the output.

    `ref` is the object's identity there; None where the text names none. `changes` are its
    fields, for `Kind.CHANGED` and `Kind.MOVED`; `varying` are those whose values are each folder's
    own. `folders` are spokes, or `_fleet`, in the order of the input.
    """

    kind: Kind
    path: str
    ref: Ref | None
    folders: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    problem: str = ""
    varying: tuple[Varying, ...] = ()
    was: Ref | None = None
    count: int = 0


def differences(
    pairs: Iterable[FilePair], plans: Iterable[FolderPlan] = ()
) -> tuple[Difference, ...]:
    """Tell what differs, by path, identity and field.

    A field that differs in one way on many spokes is told once, also where other fields of
    the object differ on some of them; and once where each spoke has values of its own. What a
    kustomization.yaml lists is not told where the files that it lists are.

    Args:
        pairs: files that differ, a folder's files one after the other.
        plans: of the folders; the spokes that come, or go, as a whole are one difference.

    """
    alike: dict[tuple[str, ...], _Told] = {}
    read = lru_cache(_READ)(objects)
    compared = lru_cache(_REMEMBERED)(partial(_facts, Redactor(), read))
    identify = lru_cache(_REMEMBERED)(partial(identified, read=read))
    whole = {plan.folder: plan for plan in plans if _is_whole(plan)}
    rest = (pair for pair in pairs if pair[0] not in whole)
    for folder, path, old, new in with_moves(without_mirrors(rest), identify):
        for fact in compared(old, new):
            alike.setdefault((path, *fact.key), _Told(path, fact)).folders.append(folder)
    return (*_whole(whole.values()), *_joined(alike.values()))


def _is_whole(plan: FolderPlan) -> bool:
    """Whether a spoke's folder comes or goes."""
    is_spoke = not plan.folder.startswith("_")
    return is_spoke and bool(plan.changes) and (plan.is_new or plan.is_removed)


def _whole(plans: Iterable[FolderPlan]) -> Iterator[Difference]:
    """The spokes that come and those that go, by how many objects they have."""
    alike: dict[tuple[Kind, int], list[str]] = {}
    for plan in plans:
        kind = Kind.NEW_FOLDER if plan.is_new else Kind.LOST_FOLDER
        count = sum(path != KUSTOMIZATION for path in (*plan.create, *plan.delete))
        alike.setdefault((kind, count), []).append(plan.folder)
    for (kind, count), folders in sorted(alike.items()):
        yield Difference(kind, "", None, tuple(folders), count=count)


class _Fact(Struct, frozen=True):
    """One thing that happened to one object; equal keys mean equal facts."""

    key: tuple[str, ...]
    kind: Kind
    ref: Ref | None
    change: Change | None = None
    problem: str = ""
    was: Ref | None = None


class _Told(Struct, frozen=True):
    path: str
    fact: _Fact
    folders: list[str] = field(default_factory=list)


def _joined(alike: Iterable[_Told]) -> Iterator[Difference]:
    """Join the changes of one object that the same folders have."""
    joined: dict[tuple[Any, ...], list[_Told | Varying]] = {}
    for first, folders, item in _with_varying(alike):
        fact = first.fact
        whose = (fact.ref or NOBODY, fact.kind, fact.problem, folders, fact.was or NOBODY)
        joined.setdefault((first.path, *whose), []).append(item)
    for (path, ref, kind, problem, folders, was), items in sorted(
        joined.items(), key=itemgetter(0)
    ):
        changes = (each.fact.change for each in items if isinstance(each, _Told))
        yield Difference(
            kind,
            path,
            ref if ref != NOBODY else None,
            folders,
            tuple(change for change in changes if change is not None),
            problem,
            tuple(each for each in items if isinstance(each, Varying)),
            was if was != NOBODY else None,
        )


def _with_varying(
    alike: Iterable[_Told],
) -> Iterator[tuple[_Told, tuple[str, ...], _Told | Varying]]:
    """What is told, with its folders; a field that many have with values of their own is one."""
    fields: dict[tuple[Any, ...], list[_Told]] = {}
    for number, item in enumerate(alike):
        fact = item.fact
        place = repr(fact.change.path) if fact.change is not None else number
        fields.setdefault((item.path, fact.ref, fact.kind, fact.was, place), []).append(item)
    for items in fields.values():
        if len(items) < _MANY:
            yield from ((item, tuple(item.folders), item) for item in items)
            continue
        each = tuple(
            (tuple(item.folders), item.fact.change)
            for item in items
            if item.fact.change is not None
        )
        folders = tuple(sorted({folder for item in items for folder in item.folders}))
        yield items[0], folders, Varying(each[0][1], each)


def _facts(
    redactor: Redactor, read: Read, old: bytes | None, new: bytes | None
) -> tuple[_Fact, ...]:
    """What happened to the objects of one file; credentials in them are told by numbers."""
    before, problem = read(old)
    after, _ = read(new)
    if problem:
        return (_fact(Kind.UNREADABLE, only(after), problem=problem),)
    if before and after:  # else they are all new, or all gone: nothing of them is told
        secrets = inline_credentials(before) | inline_credentials(after)
        before, after = (
            {key: redactor.data(value, secrets) for key, value in side.items()}
            for side in (before, after)
        )
    if len(before) == len(after) == 1:  # one file, one object: whatever it calls itself
        (was, _), (now, _) = next(iter(before)), next(iter(after))
        before = dict(zip(after, before.values(), strict=True))
        if NOBODY not in (was, now) and was != now:
            return tuple(_of_moved(was, now, *before.values(), *after.values()))
    facts = tuple(
        fact
        for key in sorted(before.keys() | after.keys())
        for fact in _of_object(key[0], before.get(key, ABSENT), after.get(key, ABSENT))
    )
    return facts or (_fact(Kind.TEXT, only(after)),)


def _of_object(ref: Ref, old: Any, new: Any) -> Iterator[_Fact]:  # noqa: ANN401
    if old is ABSENT or new is ABSENT:
        yield _fact(Kind.ADDED if old is ABSENT else Kind.REMOVED, ref)
    else:
        yield from (
            _fact(Kind.CHANGED, ref, change) for change in changes(old, new, list_maps(new))
        )


def _of_moved(was: Ref, now: Ref, old: Any, new: Any) -> Iterator[_Fact]:  # noqa: ANN401
    for fact in _of_object(now, old, new):
        key = (Kind.MOVED, repr(was), *fact.key)
        yield replace(fact, kind=Kind.MOVED, was=was, key=key)


def _fact(kind: Kind, ref: Ref, change: Change | None = None, problem: str = "") -> _Fact:
    steps = (
        () if change is None else (repr(change.path), *map(fingerprint, (change.old, change.new)))
    )
    return _Fact((kind, repr(ref), problem, *steps), kind, ref, change, problem)
