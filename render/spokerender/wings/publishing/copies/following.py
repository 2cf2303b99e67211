"""References follow: what a copy names in its workspace, it names by what that has become.

Every place where the table of kinds says that objects of a kind name others is looked at. What is
rewritten is what resolves to an object of the same workspace; what the hub has besides stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import UNPUBLISHED_REFERENCE, UNSAYABLE
from spokerender.findings.results import Fault
from spokerender.kinds import Catalogue, Kind, NamespaceRule, Need, found, references
from spokerender.kinds.edits import Edits, edited
from spokerender.model import FieldPath, Ref, shown


class Known(Struct, frozen=True, eq=False):
    """What a reference of one workspace may lead to.

    `landed` are its objects with what each has become; None for one that has no copy. `hub` are
    the hub's own objects.
    """

    landed: Mapping[Ref, Ref | None]
    hub: frozenset[Ref]


class _Named(Struct, frozen=True):
    """One reference: what it names for the consumer, and where each part of that is written."""

    ref: Ref
    path: FieldPath
    name_path: FieldPath
    group_key: str
    kind_key: str
    namespace_path: FieldPath | None
    is_explicit: bool


def followed(
    data: dict[str, Any], ref: Ref, source: Ref, known: Known, catalogue: Catalogue
) -> tuple[dict[str, Any], tuple[Fault, ...]]:
    """The copy `ref` with its references rewritten, and what can't be followed.

    `source` is what the object is in its workspace, whose namespace an absent one means.
    """
    kind = catalogue.kind(ref.group, ref.kind)
    changes: Edits = {}
    faults: list[Fault] = []
    for named in _names(kind, data, source.namespace):
        target = _target(named, source, known)
        if target is None:
            continue
        if target not in known.landed:
            faults += _stay(named, target, ref, changes)
            continue
        landed = known.landed[target]
        if landed is None:
            message = f"{target} is in the workspace and has no copy"
            cure = "publish its kind, or relate it"
            faults.append(Fault(UNPUBLISHED_REFERENCE, message, cure, named.path))
            continue
        faults += _follow(named, target, landed, ref, changes)
    return edited(data, changes), tuple(faults)


def _names(kind: Kind, data: Mapping[str, Any], namespace: str) -> Iterator[_Named]:
    for link in references(kind, data, namespace):
        if link.name_path is not None and link.selector is None:
            yield _Named(
                ref=link.ref.whole,
                path=link.path,
                name_path=link.name_path,
                group_key="" if link.label else "group",
                kind_key="" if link.label else "kind",
                namespace_path=link.namespace_path or _written(link.row.namespace, link.path),
                is_explicit=link.explicit_namespace,
            )
    for need in kind.needs:
        if need.selects or need.labels:
            continue
        for path, entry in found(data, need.path):
            if isinstance(entry, Mapping) and isinstance(entry.get(need.name), str):
                yield _needed(need, path, entry, namespace)


def _needed(need: Need, path: FieldPath, entry: Mapping[str, Any], own: str) -> _Named:
    explicit = entry.get(need.namespace_key) if need.namespace_key else None
    group = (entry.get(need.group_key) if need.group_key else None) or need.group
    kind = (entry.get(need.kind_key) if need.kind_key else None) or need.kind
    return _Named(
        ref=Ref(group, kind, explicit or own, entry[need.name]),
        path=path,
        name_path=(*path, need.name),
        group_key=need.group_key,
        kind_key=need.kind_key,
        namespace_path=(*path, need.namespace_key) if need.namespace_key else None,
        is_explicit=bool(explicit),
    )


def _written(rule: NamespaceRule, path: FieldPath) -> FieldPath | None:
    return (*path, "namespace") if rule is NamespaceRule.ANY else None


def _target(named: _Named, source: Ref, known: Known) -> Ref | None:
    """The object that is meant: of the workspace before the hub, cluster-scoped ones as well."""
    wide = Ref(named.ref.group, named.ref.kind, "", named.ref.name)
    for place in (known.landed, known.hub):
        for candidate in (named.ref, wide):
            if candidate in place and candidate != source:
                return candidate
    return None


def _stay(named: _Named, target: Ref, ref: Ref, changes: Edits) -> Iterator[Fault]:
    """A shared object of the hub stays what is meant, also where the copy has moved away."""
    if named.is_explicit or not target.namespace or target.namespace == ref.namespace:
        return
    if named.namespace_path is None:
        message = f"{target} is shared, but the copy lands in namespace {ref.namespace}"
        yield Fault(UNSAYABLE, message, "let copies land beside it", named.path)
        return
    changes[named.namespace_path] = target.namespace


def _follow(named: _Named, target: Ref, landed: Ref, ref: Ref, changes: Edits) -> Iterator[Fault]:
    if landed.name != target.name:
        changes[named.name_path] = landed.name
    for key, old, new in (
        (named.group_key, target.group, landed.group),
        (named.kind_key, target.kind, landed.kind),
    ):
        if old == new:
            continue
        if not key:
            message = f"{target} becomes {landed}, and the reference has no field for that"
            yield Fault(UNSAYABLE, message, "publish it under its own kind", named.path)
        else:
            changes[(*named.path, key)] = new
    if not landed.namespace or landed.namespace == (
        target.namespace if named.is_explicit else ref.namespace
    ):
        return
    if named.namespace_path is None:
        message = f"{target} lands in namespace {landed.namespace}, and {shown(named.path)}"
        message += " has no field to say so"
        yield Fault(UNSAYABLE, message, "let both land in one namespace", named.path)
        return
    changes[named.namespace_path] = landed.namespace
