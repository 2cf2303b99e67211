"""One entry of a sync list: a GVK or a GVR, as the RFC's draft and its final text have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from render.findings.codes.sync import BAD_PARAMETERS, UNKNOWN_KIND
from render.findings.suggest import did_you_mean
from render.kinds import Catalogue
from render.rendering.sync.faults import Faults
from render.rendering.values.sync import GroupKind

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
    faults.add(
        UNKNOWN_KIND,
        f'nobody knows {"kind" if kind else "resource"} "{kind or resource}" of group "{group}"',
        catalogue.suggest(group, kind or resource)
        or "add its CustomResourceDefinition to the hub folder",
        where,
    )
    return None
