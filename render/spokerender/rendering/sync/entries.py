"""One entry of a sync list: a GVK or a GVR, as the RFC's draft and its final text have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.findings.codes.sync import BAD_PARAMETERS, UNKNOWN_KIND
from spokerender.findings.suggest import did_you_mean
from spokerender.kinds import Catalogue, Kind
from spokerender.rendering.sync.faults import Faults
from spokerender.rendering.values.sync import GroupKind

ENTRY_KEYS = ("group", "version", "kind", "resource")


def group_kind(
    entry: Any,  # noqa: ANN401  (JSON of any shape)
    catalogue: Catalogue,
    present: frozenset[GroupKind],
    faults: Faults,
    where: str,
) -> GroupKind | None:
    """The group and kind that an entry means; the version is no part of an identity.

    A kind is known if the table or a CRD of the hub has it, or if the hub has an object of
    it (`present`): then its references are found by structure.
    """
    if isinstance(entry, str):  # a bare kind, which might be of any group
        entry = {"resource" if entry.islower() else "kind": entry}
    if not isinstance(entry, Mapping) or not all(isinstance(v, str) for v in entry.values()):
        faults.add(
            BAD_PARAMETERS,
            "an entry names group, version and kind (or resource), all of them texts",
            'write, e.g., {"group": "kuadrant.io", "version": "v1", "kind": "AuthPolicy"}',
            where,
        )
        return None
    for key in entry:
        if key not in ENTRY_KEYS:
            faults.add(
                BAD_PARAMETERS,
                f'unknown key "{key}"',
                did_you_mean(key, ENTRY_KEYS, "known keys are"),
                f"{where}.{key}",
            )
    group, kind, resource = (str(entry.get(key) or "") for key in ("group", "kind", "resource"))
    if bool(kind) == bool(resource):
        faults.add(
            BAD_PARAMETERS,
            "exactly one of kind and resource is needed",
            "name the kind, as in AuthPolicy, or the resource, as in authpolicies",
            where,
        )
        return None
    if kind and (catalogue.known(group, kind) or (group, kind) in present):
        return group, kind
    of_resource = catalogue.by_resource(group, resource) if resource else None
    if of_resource is not None:
        return of_resource.group, of_resource.kind
    message, cure = _unknown(group, kind, resource, catalogue, present)
    faults.add(UNKNOWN_KIND, message, cure, where)
    return None


def _unknown(
    group: str, kind: str, resource: str, catalogue: Catalogue, present: frozenset[GroupKind]
) -> tuple[str, str]:
    """What is wrong with an entry that nobody knows, and what to write instead."""
    name = kind or resource
    meant = [] if group else _groups(kind, resource, catalogue, present)
    if not meant:
        message = f'nobody knows {"kind" if kind else "resource"} "{name}" of group "{group}"'
        cure = catalogue.suggest(group, name)
        return message, cure or "add its CustomResourceDefinition to the hub folder"
    first, *others = [_written(each, kind, resource) for each in meant]
    if not others:
        return f'{name} is of group "{meant[0]}", and no group is named', f"write {first}"
    cure = f"write the one that is meant: {' or '.join((first, *others))}"
    return f"{name} may be of {len(meant)} groups, and no group is named", cure


def _groups(
    kind: str, resource: str, catalogue: Catalogue, present: frozenset[GroupKind]
) -> list[str]:
    """The groups that have a kind or resource: those of the hub's objects, else all known."""

    def is_meant(each: Kind) -> bool:
        return each.kind == kind if kind else each.plural == resource

    in_hub = {group for group, name in present if is_meant(catalogue.kind(group, name))}
    return sorted(in_hub - {""} or {k.group for k in catalogue.all_kinds().values() if is_meant(k)})


def _written(group: str, kind: str, resource: str) -> str:
    named = f"kind: {kind}" if kind else f"resource: {resource}"
    return f"{{group: {group}, {named}}}"
