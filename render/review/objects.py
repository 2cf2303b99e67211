"""The objects in a committed file, by what they are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from render.formats import yamlio
from render.kinds import Catalogue
from render.kinds.credentials import credentials
from render.model import Ref, identity
from render.model.ownership import has_conflict

NOBODY = Ref("", "", "", "")
"""The identity of a document that is no object."""


def identified(data: bytes) -> Ref | None:
    """The one object that is in a file; None where there is none, or several."""
    by_key, _ = objects(data)
    ref = only(by_key)
    return ref if ref != NOBODY else None


Key = tuple[Ref, int]
"""An identity, and which of the documents that have it."""


def objects(data: bytes | None) -> tuple[dict[Key, Any], str]:
    """The documents of a file by identity, and what makes it unreadable, if anything does."""
    if data is None:
        return {}, ""
    if has_conflict(data):
        return {}, "Git's conflict markers are in it"
    documents, problems = yamlio.read(data, "")
    if problems:
        return {}, f"line {problems[0].line}: {problems[0].message}"
    by_key: dict[Key, Any] = {}
    for document in documents:
        ref = identity(document.value) or NOBODY
        number = sum(other == ref for other, _ in by_key)
        by_key[ref, number] = document.value
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
