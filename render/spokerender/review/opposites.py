"""Which old file stands opposite which new one, where names differ: what moved, and how far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from spokerender.formats.comparing import same
from spokerender.model import Ref
from spokerender.model.ownership import KUSTOMIZATION
from spokerender.review.objects import objects

FilePair = tuple[str, str, bytes | None, bytes | None]
"""Folder, path below it, the old bytes and the new; None where there is no such file."""

Identify = Callable[[bytes], Ref | None]
"""The one object that is in a file; None where there is none, or several."""


def with_moves(pairs: Iterable[FilePair], identify: Identify) -> Iterator[FilePair]:
    """The pairs of files, those of an object that has moved put together, under its new path.

    An object has moved where one of its kind goes and one comes, in one folder, that has the name
    or the namespace, and no other could be meant.
    """
    for _, group in groupby(pairs, key=itemgetter(0)):
        of_folder = list(group)
        gone = {path: ref for _, path, ref in _single(of_folder, 2, identify)}
        come = {path: ref for _, path, ref in _single(of_folder, 3, identify)}
        old_paths = {new: old for old, new in _moves(gone, come)}
        moved = set(old_paths.values())
        old_bytes = {path: old for _, path, old, _ in of_folder}
        for folder, path, old, new in of_folder:
            if path in old_paths:
                yield folder, path, old_bytes[old_paths[path]], new
            elif path not in moved:
                yield folder, path, old, new


def _single(
    pairs: Iterable[FilePair], side: int, identify: Identify
) -> Iterator[tuple[str, str, Ref]]:
    """The files that are on one side only (2 is the old, 3 the new), each with its one object."""
    for pair in pairs:
        data = pair[2] if side == 2 else pair[3]  # noqa: PLR2004  (of a pair: see above)
        other = pair[3] if side == 2 else pair[2]  # noqa: PLR2004
        if data is not None and other is None and (ref := identify(data)) is not None:
            yield pair[0], pair[1], ref


def _moves(gone: dict[str, Ref], come: dict[str, Ref]) -> Iterator[tuple[str, str]]:
    """Old and new paths of what moved: by its name first, then by its namespace."""
    moved: set[str] = set()
    for kept in (_by_name, _by_namespace):
        olds, news = (
            _grouped({path: ref for path, ref in of.items() if path not in moved}, kept)
            for of in (gone, come)
        )
        for key in olds.keys() & news.keys():
            if len(olds[key]) == len(news[key]) == 1:
                (old,), (new,) = olds[key], news[key]
                yield old, new
                moved |= {old, new}


def _by_name(ref: Ref) -> tuple[str, ...]:
    return ref.group, ref.kind, ref.name


def _by_namespace(ref: Ref) -> tuple[str, ...]:
    return ref.group, ref.kind, ref.namespace


def _grouped(
    of: dict[str, Ref], key: Callable[[Ref], tuple[str, ...]]
) -> dict[tuple[str, ...], list[str]]:
    groups: dict[tuple[str, ...], list[str]] = {}
    for path, ref in sorted(of.items()):
        groups.setdefault(key(ref), []).append(path)
    return groups


def without_mirrors(pairs: Iterable[FilePair]) -> Iterator[FilePair]:
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
    by_key, problem = objects(data)
    for value in by_key.values() if len(by_key) == 1 else ():
        if isinstance(value, Mapping) and isinstance(value.get("resources"), list):
            rest = {key: item for key, item in value.items() if key != "resources"}
            return rest, frozenset(item for item in value["resources"] if isinstance(item, str))
    return [problem, *by_key.values()], frozenset()
