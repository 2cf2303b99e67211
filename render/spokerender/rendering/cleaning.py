"""What a live export carries and a cluster owns: never copied to a spoke.

Sources: the API server's own fields (ObjectMeta), kubectl's annotation, the marks of GitOps
engines (which each engine's module has), and those that Kuadrant's multi-cluster controllers
left on hub objects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from spokerender.kinds.marks import Marks
from spokerender.model import Edit, Manifest
from spokerender.rendering.values.bundles import How

_TOP_LEVEL = {"status"}
OF_A_SERVER = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generation",
        "managedFields",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
"""What the API server itself sets in an object's metadata (ObjectMeta)."""
_ANNOTATIONS = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        "kuadrant.io/gateway-clusters",
        "kuadrant.io/policies-synced",
    }
)
_ANNOTATION_PREFIXES = ("mctc-syncer-", "mctc-sync-agent/", "mgc-syncer-", "mgc-sync-agent/")
_LABEL_PREFIXES = ("clusters.kuadrant.io/", "mctc-sync-agent/", "mgc-sync-agent/")
_AFFECTED = re.compile(r".*PolicyAffected|.+/[A-Z]\w*Affected")
"""`<domain>/PolicyAffected` (GEP-2648), `<domain>/<Kind>Affected` (GEP-713)."""


def clean(manifest: Manifest, marks: Marks) -> Manifest:
    """Return what of a hub object may be copied; every stage after this one begins with it."""
    edit = Edit(How.CLUSTER_OWNED, manifest.object)
    return manifest.edited(manifest.ref, cleaned(manifest.object, marks), edit)


def cleaned(data: dict[str, Any], marks: Marks) -> dict[str, Any]:
    """Return the object without what its cluster owns: itself, or a copy that shares the rest.

    `marks` are those of the engines that deliver.
    """
    metadata = {key: value for key, value in data["metadata"].items() if key not in OF_A_SERVER}
    _filter(metadata, "annotations", _ANNOTATIONS | marks.annotations, _ANNOTATION_PREFIXES)
    _filter(metadata, "labels", marks.labels, _LABEL_PREFIXES)
    if metadata == data["metadata"] and _TOP_LEVEL.isdisjoint(data):
        return data
    return {
        key: metadata if key == "metadata" else value
        for key, value in data.items()
        if key not in _TOP_LEVEL
    }


def _filter(
    metadata: dict[str, Any], field: str, names: frozenset[str], prefixes: tuple[str, ...]
) -> None:
    """Take out the marks; a mapping that had nothing else goes with them."""
    marks = metadata.get(field)
    if not isinstance(marks, Mapping):
        return
    kept = {
        key: value
        for key, value in marks.items()
        if key not in names and not key.startswith(prefixes) and not _AFFECTED.fullmatch(key)
    }
    if kept or not marks:
        metadata[field] = kept
    else:
        del metadata[field]
