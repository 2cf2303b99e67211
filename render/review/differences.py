"""What differs between two trees, told in objects and fields; equal changes are told once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache, partial
from typing import Any

from render.formats import yamlio
from render.formats.comparing import ABSENT, Change, changes, fingerprint, same
from render.kinds import Catalogue
from render.kinds.credentials import Redactor, credentials
from render.kinds.table import list_maps
from render.model import Ref, identity
from render.model.ownership import KUSTOMIZATION, has_conflict

_REMEMBERED = 4_096
"""How many pairs of texts are remembered: more than one spoke's, as spokes come one by one."""


class Kind(StrEnum):
    """What happened to an object."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    TEXT = "text-only"
    """The objects are equal; comments, the order of keys or the format are not."""
    UNREADABLE = "unreadable"
    """The old text is not what Kubernetes takes for YAML; `Difference.problem` says why."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What happened to one object in the same file of several folders of the output.

    `ref` is the object's identity there; None where the text names none. `changes` are its
    fields, for `Kind.CHANGED`. `folders` are spokes, or `_fleet`, in the order of the input.
    """

    kind: Kind
    path: str
    ref: Ref | None
    folders: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    problem: str = ""


FilePair = tuple[str, str, bytes | None, bytes | None]
"""Folder, path below it, the old bytes and the new; None where there is no such file."""


def differences(pairs: Iterable[FilePair]) -> tuple[Difference, ...]:
    """Tell what differs, by path, identity and field.

    A field that differs in one way on many spokes is told once, also where other fields of
    the object differ on some of them. What a kustomization.yaml lists is not told where the
    files that it lists are.

    Args:
        pairs: files that differ, a folder's files one after the other.

    """
    alike: dict[tuple[str, ...], _Told] = {}
    compared = lru_cache(_REMEMBERED)(partial(_facts, Redactor()))
    for folder, path, old, new in _without_mirrors(pairs):
        for fact in compared(old, new):
            alike.setdefault((path, *fact.key), _Told(path, fact)).folders.append(folder)
    return tuple(_joined(alike))


@dataclass(frozen=True, slots=True)
class _Fact:
    """One thing that happened to one object; equal keys mean equal facts."""

    key: tuple[str, ...]
    kind: Kind
    ref: Ref | None
    change: Change | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Told:
    path: str
    fact: _Fact
    folders: list[str] = field(default_factory=list)


def _joined(alike: Mapping[tuple[str, ...], _Told]) -> Iterator[Difference]:
    """Join the changes of one object that the same folders have."""
    joined: dict[tuple[Any, ...], list[_Told]] = {}
    for item in alike.values():
        fact = item.fact
        key = (item.path, fact.ref or _NOBODY, fact.kind, fact.problem, tuple(item.folders))
        joined.setdefault(key, []).append(item)
    for (path, ref, kind, problem, folders), items in sorted(joined.items(), key=lambda i: i[0]):
        changes = tuple(item.fact.change for item in items if item.fact.change is not None)
        yield Difference(kind, path, ref if ref != _NOBODY else None, folders, changes, problem)


_NOBODY = Ref("", "", "", "")


def _facts(redactor: Redactor, old: bytes | None, new: bytes | None) -> tuple[_Fact, ...]:
    """What happened to the objects of one file; credentials in them are told by numbers."""
    before, problem = _objects(old)
    after, _ = _objects(new)
    if problem:
        return (_fact(Kind.UNREADABLE, _only(after), problem=problem),)
    if len(before) == len(after) == 1:  # one file, one object: whatever it calls itself
        before = dict(zip(after, before.values(), strict=True))
    secrets = _credentials(before) | _credentials(after)
    before, after = (
        {key: redactor.data(value, secrets) for key, value in objects.items()}
        for objects in (before, after)
    )
    facts = tuple(
        fact
        for key in sorted(before.keys() | after.keys())
        for fact in _of_object(key[0], before.get(key, ABSENT), after.get(key, ABSENT))
    )
    return facts or (_fact(Kind.TEXT, _only(after)),)


def _credentials(objects: Mapping[_Key, Any]) -> frozenset[str]:
    found = (
        credentials(_catalogue().kind(ref.group, ref.kind), value)
        for (ref, _), value in objects.items()
        if isinstance(value, Mapping)
    )
    return frozenset[str]().union(*found)


@cache
def _catalogue() -> Catalogue:
    """Where kinds have credentials only the table says."""
    return Catalogue.of(())


_Key = tuple[Ref, int]
"""An identity, and which of the documents that have it."""


def _objects(data: bytes | None) -> tuple[dict[_Key, Any], str]:
    """The documents of a file by identity, and what makes it unreadable, if anything does."""
    if data is None:
        return {}, ""
    if has_conflict(data):
        return {}, "Git's conflict markers are in it"
    documents, problems = yamlio.read(data, "")
    if problems:
        return {}, f"line {problems[0].line}: {problems[0].message}"
    objects: dict[_Key, Any] = {}
    for document in documents:
        ref = identity(document.value) or _NOBODY
        number = sum(other == ref for other, _ in objects)
        objects[ref, number] = document.value
    return objects, ""


def _only(objects: Mapping[_Key, Any]) -> Ref:
    """The identity of a file's object, if it has exactly one."""
    return next(iter(objects))[0] if len(objects) == 1 else _NOBODY


def _of_object(ref: Ref, old: Any, new: Any) -> Iterator[_Fact]:  # noqa: ANN401
    if old is ABSENT or new is ABSENT:
        yield _fact(Kind.ADDED if old is ABSENT else Kind.REMOVED, ref)
    else:
        yield from (
            _fact(Kind.CHANGED, ref, change) for change in changes(old, new, list_maps(new))
        )


def _fact(kind: Kind, ref: Ref, change: Change | None = None, problem: str = "") -> _Fact:
    steps = (
        () if change is None else (repr(change.path), *map(fingerprint, (change.old, change.new)))
    )
    return _Fact((kind, repr(ref), problem, *steps), kind, ref, change, problem)


def _without_mirrors(pairs: Iterable[FilePair]) -> Iterator[FilePair]:
    """All pairs but those of a kustomization.yaml that only follows its folder's files."""
    kustomizations: list[FilePair] = []
    moved: dict[str, set[str]] = {}
    for pair in pairs:
        folder, path, old, new = pair
        if path == KUSTOMIZATION:
            kustomizations.append(pair)
            continue
        if old is None or new is None:
            moved.setdefault(folder, set()).add(path)
        yield pair
    for folder, path, old, new in kustomizations:
        if not _mirrors(old, new, moved.get(folder, set())):
            yield folder, path, old, new


def _mirrors(old: bytes | None, new: bytes | None, moved: set[str]) -> bool:
    """Whether it only lists other files than before, each of which came or went as well."""
    if old is None or new is None:
        return bool(moved)
    rest, listed = _listed(old)
    new_rest, new_listed = _listed(new)
    return listed != new_listed and same(rest, new_rest) and listed ^ new_listed <= moved


def _listed(data: bytes) -> tuple[Any, frozenset[str]]:
    """A kustomization without its resources, and these; the whole where it has none to read."""
    objects, problem = _objects(data)
    for value in objects.values() if len(objects) == 1 else ():
        if isinstance(value, Mapping) and isinstance(value.get("resources"), list):
            rest = {key: item for key, item in value.items() if key != "resources"}
            return rest, frozenset(item for item in value["resources"] if isinstance(item, str))
    return [problem, *objects.values()], frozenset()
