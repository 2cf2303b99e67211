"""The objects in a committed file, by what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from spokerender.formats import yamlio
from spokerender.kinds import Catalogue
from spokerender.kinds.credentials import credentials
from spokerender.model import Ref, identity
from spokerender.model.ownership import has_conflict

NOBODY = Ref("", "", "", "")
"""The identity of a document that is no object."""


Key = tuple[Ref, int]
"""An identity, and which of the documents that have it."""
Objects = tuple[Mapping[Key, Any], str]
Read = Callable[[bytes | None], Objects]
"""`objects`, or what remembers its answers."""


def identified(data: bytes, read: Read) -> Ref | None:
    """The one object that is in a file; None where there is none, or several."""
    by_key, _ = read(data)
    ref = only(by_key)
    return ref if ref != NOBODY else None


def objects(data: bytes | None) -> Objects:
    """The documents of a file by identity, and what makes it unreadable, if anything does."""
    if data is None:
        return {}, ""
    if has_conflict(data):
        return {}, "Git's conflict markers are in it"
    documents, problems = yamlio.read(data, "")
    if problems:
        return {}, f"line {problems[0].line}: {problems[0].message}"
    by_key: dict[Key, Any] = {}
    counts: Counter[Ref] = Counter()
    for document in documents:
        ref = identity(document.value) or NOBODY
        by_key[ref, counts[ref]] = document.value
        counts[ref] += 1
    return by_key, ""


def only(by_key: Mapping[Key, Any]) -> Ref:
    """The identity of a file's object, if it has exactly one."""
    return next(iter(by_key))[0] if len(by_key) == 1 else NOBODY


def inline_credentials(by_key: Mapping[Key, Any]) -> frozenset[str]:
    """The credentials that stand in a file's objects."""
    found = (
        credentials(_catalogue().kind(ref.group, ref.kind), value)
        for (ref, _), value in by_key.items()
        if isinstance(value, Mapping)
    )
    return frozenset[str]().union(*found)


@cache
def _catalogue() -> Catalogue:
    """Where kinds have credentials only the table says."""
    return Catalogue.of(())
