"""Removes, reports or sets labels and annotations that clusters and delivery engines write.

Sources: the API server's own fields (ObjectMeta), kubectl's annotation, the marks of delivery
engines (`kinds.marks`; each engine declares its own), and those that Kuadrant's multi-cluster
controllers left on hub objects.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.findings.codes.shipping import MARKED, NOT_APPLIED
from spokerender.findings.results import Result
from spokerender.kinds.marks import OF_A_SERVER, Marked, Marks
from spokerender.model import NAMESPACE, Edit, Manifest, shown
from spokerender.model.slots import consult
from spokerender.rendering.values.bundles import How
from spokerender.rendering.values.placement import Override
from spokerender.topology.hub import Hub

# It describes the hub; no apply sets it (a subresource), but tools would always see a difference.
_TOP_LEVEL = {"status"}
# kubectl's holds the object under its hub name. The others are notes of MGC
# (multicluster-gateway-controller ffb4c740, gateway_controller.go) and of Kuadrant's RFC 0007 on
# hub objects: which clusters have them.
_ANNOTATIONS = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        "kuadrant.io/gateway-clusters",
        "kuadrant.io/policies-synced",
    }
)
# Of MGC's syncer of 2023 (a1a16a6, pkg/syncer), under its first and its later name: the clusters to
# sync to, and a JSON Patch for each.
_ANNOTATION_PREFIXES = ("mctc-syncer-", "mctc-sync-agent/", "mgc-syncer-", "mgc-sync-agent/")
# MGC, reconcileClusterLabels: attributes of ManagedClusters, copied to hub Gateways.
_LABEL_PREFIXES = ("clusters.kuadrant.io/", "mctc-sync-agent/", "mgc-sync-agent/")
_AFFECTED = r".*PolicyAffected|.+/[A-Z]\w*Affected"
"""`<domain>/PolicyAffected` (GEP-2648), `<domain>/<Kind>Affected` (GEP-713)."""


def clean(manifest: Manifest, marks: Marks) -> Manifest:
    """Return a hub object without its status and other parts that a cluster or a tool wrote."""
    edit = Edit(How.CLUSTER_OWNED, manifest.object)
    return manifest.edited(manifest.ref, cleaned(manifest.object, marks), edit)


def cleaned(data: dict[str, Any], marks: Marks) -> dict[str, Any]:
    """Return an object without fields, labels and annotations that its cluster or an engine wrote.

    `marks` are the labels and annotations of delivery engines. Returns `data` itself if it has
    none.
    """
    metadata = {key: value for key, value in data["metadata"].items() if key not in OF_A_SERVER}
    _remove(metadata, "annotations", _ANNOTATIONS | marks.annotations, _ANNOTATION_PREFIXES)
    _remove(metadata, "labels", marks.labels, _LABEL_PREFIXES)
    # The same object, so that an object that is clean already counts as unedited and is shared.
    if metadata == data["metadata"] and _TOP_LEVEL.isdisjoint(data):
        return data
    return {
        key: metadata if key == "metadata" else value
        for key, value in data.items()
        if key not in _TOP_LEVEL
    }


def _remove(
    metadata: dict[str, Any], field: str, names: frozenset[str], prefixes: tuple[str, ...]
) -> None:
    """Remove from the labels or annotations (`field`) all with these names or prefixes."""
    pairs = metadata.get(field)
    if not isinstance(pairs, Mapping):
        return
    others = {
        key: value
        for key, value in pairs.items()
        if key not in names and not key.startswith(prefixes) and not re.fullmatch(_AFFECTED, key)
    }
    # An empty mapping that a user wrote remains.
    if others or not pairs:
        metadata[field] = others
    else:
        del metadata[field]


def namespace_object(name: str, hub: dict[str, Any] | None, marks: Marks) -> dict[str, Any]:
    """Return a Namespace with the labels and annotations of `hub` (the hub's Namespace), if any.

    Annotations tell all delivery engines to keep it: deleting it deletes everything in it.
    """
    metadata = (hub or {}).get("metadata", {})
    result: dict[str, Any] = {"name": name}
    if metadata.get("labels"):
        result["labels"] = metadata["labels"]
    result["annotations"] = marks.protect(metadata.get("annotations") or {})
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": result}


def marks_of(data: Mapping[str, Any], marks: Marks) -> frozenset[Marked]:
    """Return the labels and annotations of an object that a delivery engine obeys (marks)."""
    metadata = data.get("metadata")
    if not isinstance(metadata, Mapping):
        return frozenset()
    return frozenset(marks.obeyed_in(metadata, consult))


def mark_results(manifest: Manifest, marks: Mapping[Marked, Override | None]) -> tuple[Result, ...]:
    """Return findings about labels and annotations (marks) that a delivery engine obeys.

    `marks` has the override that set each mark, None if the hub, a rule or a stage set it. A mark
    is refused if the engine would not apply the object, or would under another name: the spoke
    would differ from the tree. Other effects are warnings. An object that a stage created is named
    as on the spoke.
    """
    # The marks come from a set, and findings must not vary.
    in_order = sorted(marks, key=lambda marked: (marked.field, marked.key, marked.mark.effect))
    return tuple(_mark_result(manifest, marked, marks[marked]) for marked in in_order)


def _mark_result(manifest: Manifest, marked: Marked, override: Override | None) -> Result:
    if marked.mark.is_refused:
        kind, cure = NOT_APPLIED, "take it out, or the object out of the hub"
    else:
        kind = MARKED
        cure = "take it out; or accept it under spec.suppressions of fleet.yaml, if it is meant"
    place = shown(("metadata", marked.field, marked.key))
    effect = marked.mark.effect
    return kind.result(
        effect if override is None else f"{place}: {effect}",
        cure=cure,
        resource=manifest.ref,
        field=place if override is None else override.field,
        origin=manifest.origin if override is None else override.origin,
    )


def check_namespaces(hub: Hub) -> Iterator[Result]:
    """Yield findings about marks of the hub's Namespaces that must not be copied to spokes."""
    for manifest in hub.manifests:
        if (manifest.ref.group, manifest.ref.kind) == NAMESPACE:
            marks = marks_of(manifest.object, hub.catalogue.marks)
            refused = (marked for marked in marks if marked.mark.is_refused)
            yield from mark_results(manifest, dict.fromkeys(refused))
