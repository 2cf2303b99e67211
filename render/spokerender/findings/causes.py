"""Which findings follow from another one: mend that first, and they may be gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from spokerender.findings.codes import disk, hub, overriding, sync
from spokerender.findings.results import Result, Severity
from spokerender.model import Ref

FOLLOWS = "follows"
"""The tag of a finding that names the one that it follows from."""

UNREADABLE_HUB = "the hub's files"
"""The cause of what is missing where a file of the hub can't be read."""

SYNC_LIST = "the list of what is synced"
"""The cause of what is left behind where that list is wrong."""

_ROOTS: Mapping[str, str] = {
    disk.TOO_LARGE.code: UNREADABLE_HUB,
    disk.UNREADABLE.code: UNREADABLE_HUB,
    hub.UNREADABLE.code: UNREADABLE_HUB,
    hub.NOT_AN_OBJECT.code: UNREADABLE_HUB,
    hub.BAD_NAME.code: UNREADABLE_HUB,
    hub.BAD_TYPE.code: "",
    hub.MISSPELT_KIND.code: "",
    sync.NO_SYNC_LIST.code: SYNC_LIST,
    sync.BAD_PARAMETERS.code: SYNC_LIST,
    sync.UNKNOWN_KIND.code: SYNC_LIST,
    sync.UNKNOWN_CLASS.code: SYNC_LIST,
}
"""The findings that are causes whatever else is found, and of what."""

_NEVER_FIRST = frozenset([overriding.OVERRIDE_UNUSED.code])
"""The findings that explain no other one, wherever they stand."""

_OF_ROOTS = frozenset(_ROOTS.values())
_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def missing(ref: Ref) -> str:
    """The cause of what goes wrong because an object is not in the hub."""
    return f"{ref.group} {ref} is not there"


def unshipped(ref: Ref) -> str:
    """The cause of what goes wrong because an object of the hub ships nowhere."""
    return f"{ref.group} {ref} ships nowhere"


def families(
    results: Sequence[Result], *, smallest: int = 1
) -> list[tuple[Result, tuple[Result, ...]]]:
    """Each finding that follows from none, in order, with those that may follow from it.

    A finding follows from one that is known to be a cause, else from the first that has the same
    cause; never from one that is less bad. Where fewer than `smallest` do, they stand alone.
    """
    shared: dict[str, list[Result]] = {}
    for result in results:
        for cause in (*result.causes, _ROOTS.get(result.code, "")):
            shared.setdefault(cause, []).append(result)
    above = {id(result): _root(result, shared) for result in results}
    roots = [_first(result, above) for result in results]
    below: dict[int, list[Result]] = {}
    for result, root in zip(results, roots, strict=True):
        below.setdefault(id(root), []).append(result)
    families = []
    for result, root in zip(results, roots, strict=True):
        if root is None or len(below[id(root)]) < smallest:
            others = below.get(id(result), ()) if root is None else ()
            families.append((result, tuple(others) if len(others) >= smallest else ()))
    return families


def marked(results: Iterable[Result]) -> tuple[Result, ...]:
    """The findings, each that follows from another with a tag that names it."""
    return tuple(
        marked
        for root, others in families(tuple(results))
        for marked in (root, *(_marked(other, root) for other in others))
    )


def _marked(result: Result, root: Result) -> Result:
    name = f"{root.code} {root.origin}" if root.origin else root.code
    return replace(result, tags=(*result.tags, (FOLLOWS, name)))


def _first(result: Result, above: Mapping[int, Result | None]) -> Result | None:
    """What a finding follows from in the end: a cause may have one of its own."""
    root = above[id(result)]
    return (_first(root, above) or root) if root is not None else None


def _root(result: Result, shared: Mapping[str, list[Result]]) -> Result | None:
    if result.code in _ROOTS:
        return _unread(result, shared)
    alike = {cause: shared[cause] for cause in result.causes}
    known = (each for group in alike.values() for each in group if each.code in _ROOTS)
    firsts = (_worst(group) for cause, group in alike.items() if cause not in _OF_ROOTS)
    found = (each for each in (*known, *firsts) if _RANK[each.severity] <= _RANK[result.severity])
    root = next(found, result)
    return root if root is not result else None


def _unread(result: Result, shared: Mapping[str, list[Result]]) -> Result | None:
    """The file that can't be read, where a cause may have that one for its own."""
    if UNREADABLE_HUB not in result.causes:
        return None
    group = shared[UNREADABLE_HUB]
    return next((each for each in group if _ROOTS.get(each.code) == UNREADABLE_HUB), None)


def _worst(group: Sequence[Result]) -> Result:
    """The first of those that share a cause, the worst before the others."""
    return min(group, key=lambda each: (each.code in _NEVER_FIRST, _RANK[each.severity]))
