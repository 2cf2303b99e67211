"""References of copies: what names an object of the workspace names its copy instead.

The table of kinds says where objects of a kind name others. A reference is rewritten if it resolves
to an object of the same workspace; a reference to an object of the hub stays.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import UNPUBLISHED_REFERENCE, UNSAYABLE
from spokerender.findings.results import Fault
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import Edits, apply_edits
from spokerender.kinds.kind import Kind, NamespaceRule
from spokerender.kinds.needs import list_needed_objects
from spokerender.kinds.references import read_references
from spokerender.model import FieldPath, Ref, shown


class WorkspaceTargets(Struct, frozen=True, eq=False):
    """The objects that references of one workspace may name.

    `copies` has the workspace's objects with their copies, None for an object without one; `hub`
    has the hub's own objects.
    """

    copies: Mapping[Ref, Ref | None]
    hub: frozenset[Ref]


class _WrittenReference(Struct, frozen=True):
    """A reference in an object: what it names, and where each part of it is written."""

    ref: Ref
    path: FieldPath
    name_path: FieldPath
    group_key: str
    kind_key: str
    namespace_path: FieldPath | None
    is_explicit: bool


def rewrite_references(
    data: dict[str, Any], ref: Ref, source: Ref, targets: WorkspaceTargets, catalogue: Catalogue
) -> tuple[dict[str, Any], tuple[Fault, ...]]:
    """Rewrite the references of the copy `ref`; return it with the faults of the others.

    `source` is the object in its workspace: references without a namespace mean its own.
    """
    kind = catalogue.kind(ref.group, ref.kind)
    edits: Edits = {}
    faults: list[Fault] = []
    for reference in _list_references(kind, data, source.namespace):
        target = _resolve_target(reference, source, targets)
        if target is None:
            continue
        if target not in targets.copies:
            faults += _keep_hub_target(reference, target, ref, edits)
            continue
        copy = targets.copies[target]
        if copy is None:
            message = f"{target} is an object of the workspace without a copy"
            cure = "publish its kind, or relate it"
            faults.append(Fault(UNPUBLISHED_REFERENCE, message, cure, reference.path))
            continue
        faults += _name_copy(reference, target, copy, ref, edits)
    return apply_edits(data, edits), tuple(faults)


def _list_references(
    kind: Kind, data: Mapping[str, Any], namespace: str
) -> Iterator[_WrittenReference]:
    for link in read_references(kind, data, namespace):
        if link.name_path is not None and link.selector is None:
            takes_namespace = link.row.namespace is NamespaceRule.ANY
            default_path = (*link.path, "namespace") if takes_namespace else None
            yield _WrittenReference(
                ref=link.ref.whole,
                path=link.path,
                name_path=link.name_path,
                group_key="" if link.label else "group",
                kind_key="" if link.label else "kind",
                namespace_path=link.namespace_path or default_path,
                is_explicit=link.explicit_namespace,
            )
    for item in list_needed_objects(kind.needs, data, namespace):
        if item.selector is None:
            path, key = item.path, item.row.namespace_key
            yield _WrittenReference(
                ref=item.ref,
                path=path,
                name_path=(*path, item.row.name),
                group_key=item.row.group_key,
                kind_key=item.row.kind_key,
                namespace_path=(*path, key) if key else None,
                is_explicit=item.explicit_namespace,
            )


def _resolve_target(
    reference: _WrittenReference, source: Ref, targets: WorkspaceTargets
) -> Ref | None:
    """Resolve a reference: the workspace goes before the hub, a namespace before the cluster."""
    cluster_scoped = Ref(reference.ref.group, reference.ref.kind, "", reference.ref.name)
    for objects in (targets.copies, targets.hub):
        for candidate in (reference.ref, cluster_scoped):
            if candidate in objects and candidate != source:
                return candidate
    return None


def _keep_hub_target(
    reference: _WrittenReference, target: Ref, ref: Ref, edits: Edits
) -> Iterator[Fault]:
    """Write the namespace of an object of the hub out, if the copy is in another one."""
    if reference.is_explicit or not target.namespace or target.namespace == ref.namespace:
        return
    if reference.namespace_path is None:
        message = f"{target} is an object of the hub, but the copy is in namespace {ref.namespace}"
        cure = "let the copy be in the namespace of its target"
        yield Fault(UNSAYABLE, message, cure, reference.path)
        return
    edits[reference.namespace_path] = target.namespace


def _name_copy(
    reference: _WrittenReference, target: Ref, copy: Ref, ref: Ref, edits: Edits
) -> Iterator[Fault]:
    if copy.name != target.name:
        edits[reference.name_path] = copy.name
    for key, old, new in (
        (reference.group_key, target.group, copy.group),
        (reference.kind_key, target.kind, copy.kind),
    ):
        if old == new:
            continue
        if not key:
            message = f"the copy of {target} is {copy}, and the reference can't name its kind"
            cure = "publish the target under its own kind"
            yield Fault(UNSAYABLE, message, cure, reference.path)
        else:
            edits[(*reference.path, key)] = new
    current = target.namespace if reference.is_explicit else ref.namespace
    if not copy.namespace or copy.namespace == current:
        return
    if reference.namespace_path is None:
        message = f"the copy of {target} is in namespace {copy.namespace}, and "
        message += f"{shown(reference.path)} can't name a namespace"
        cure = "let both copies be in one namespace"
        yield Fault(UNSAYABLE, message, cure, reference.path)
        return
    edits[reference.namespace_path] = copy.namespace
