"""Causes of findings: some findings follow from others, and may disappear when those are fixed."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from spokerender.findings.codes import hub, placement, project, shipping
from spokerender.findings.results import Result, Severity
from spokerender.model import Ref, grouped

FOLLOWS = "follows"
"""The tag that names the finding from which this one follows."""

UNREADABLE_HUB = "the hub's files"
"""The cause of findings about missing objects if a hub file can't be read."""

SYNC_LIST = "the list of what is synced"
"""The cause of findings about unshipped objects if the sync list is wrong."""

_ROOTS: Mapping[str, str] = {
    project.TOO_LARGE.code: UNREADABLE_HUB,
    project.UNREADABLE.code: UNREADABLE_HUB,
    hub.UNREADABLE.code: UNREADABLE_HUB,
    hub.NOT_AN_OBJECT.code: UNREADABLE_HUB,
    hub.BAD_NAME.code: UNREADABLE_HUB,
    hub.BAD_TYPE.code: "",
    hub.MISSPELT_KIND.code: "",
    placement.NO_SYNC_LIST.code: SYNC_LIST,
    placement.BAD_PARAMETERS.code: SYNC_LIST,
    placement.UNKNOWN_KIND.code: SYNC_LIST,
    placement.UNKNOWN_CLASS.code: SYNC_LIST,
}
"""The codes of findings that are always causes, each with the cause; empty: a cause of its own."""

_NEVER_FIRST = frozenset([shipping.OVERRIDE_UNUSED.code])
"""The codes of findings that are never the cause of another finding."""

_OF_ROOTS = frozenset(_ROOTS.values())
_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def missing(ref: Ref) -> str:
    """Return the cause of findings that exist because an object is not in the hub."""
    return f"{ref.group} {ref} is not there"


def unshipped(ref: Ref) -> str:
    """Return the cause of findings that exist because an object of the hub ships to no spoke."""
    return f"{ref.group} {ref} ships nowhere"


def families(
    results: Sequence[Result], *, smallest: int = 1
) -> list[tuple[Result, tuple[Result, ...]]]:
    """Return the findings that follow from no other, in order, each with its followers.

    A finding follows from one with a code in `_ROOTS`, otherwise from the first with the same
    cause, but never from a less severe one. Fewer than `smallest` followers stand on their own.
    """
    results_by_cause = grouped(
        (cause, result)
        for result in results
        for cause in (*result.causes, _ROOTS.get(result.code, ""))
    )
    parents = {id(result): _parent(result, results_by_cause) for result in results}
    roots = [_root(result, parents) for result in results]
    followers = grouped(zip(map(id, roots), results, strict=True))
    families = []
    for result, root in zip(results, roots, strict=True):
        if root is None or len(followers[id(root)]) < smallest:
            others = followers.get(id(result), ()) if root is None else ()
            families.append((result, tuple(others) if len(others) >= smallest else ()))
    return families


def marked(results: Iterable[Result]) -> tuple[Result, ...]:
    """Return the findings; a finding that follows from another gets a tag that names the other."""
    return tuple(
        finding
        for root, others in families(tuple(results))
        for finding in (root, *(_mark_follower(other, root) for other in others))
    )


def _mark_follower(result: Result, root: Result) -> Result:
    name = f"{root.code} {root.origin}" if root.origin else root.code
    return replace(result, tags=(*result.tags, (FOLLOWS, name)))


def _root(result: Result, parents: Mapping[int, Result | None]) -> Result | None:
    """Return the finding at the end of a finding's chain of `parents`; None if it has no parent."""
    parent = parents[id(result)]
    return (_root(parent, parents) or parent) if parent is not None else None


def _parent(result: Result, results_by_cause: Mapping[str, list[Result]]) -> Result | None:
    if result.code in _ROOTS:
        return _unreadable_file(result, results_by_cause)
    groups = {cause: results_by_cause[cause] for cause in result.causes}
    roots = (other for group in groups.values() for other in group if other.code in _ROOTS)
    firsts = (_worst(group) for cause, group in groups.items() if cause not in _OF_ROOTS)
    rank = _RANK[result.severity]
    severe = (other for other in (*roots, *firsts) if _RANK[other.severity] <= rank)
    parent = next(severe, result)
    return parent if parent is not result else None


def _unreadable_file(result: Result, results_by_cause: Mapping[str, list[Result]]) -> Result | None:
    """Return the finding about an unreadable file if `result` may follow from it; else None."""
    if UNREADABLE_HUB not in result.causes:
        return None
    group = results_by_cause[UNREADABLE_HUB]
    return next((other for other in group if _ROOTS.get(other.code) == UNREADABLE_HUB), None)


def _worst(group: Sequence[Result]) -> Result:
    """Return the first of the most severe findings that share a cause."""
    return min(group, key=lambda result: (result.code in _NEVER_FIRST, _RANK[result.severity]))
