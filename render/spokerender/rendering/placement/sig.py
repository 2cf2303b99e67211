"""The source of SIG-Multicluster's PlacementDecisions, which any scheduler may write.

Source: kubernetes-sigs/cluster-inventory-api ed3a9fefae18, `apis/v1alpha1`: data only, no spec and
no status; slices of at most 100 are joined by a label, in the order of another.
"""

from collections.abc import Iterator

from spokerender.findings.codes.placement import BAD_DECISION
from spokerender.findings.results import Result
from spokerender.model import Manifest
from spokerender.model.shapes import as_list, as_mapping, as_text
from spokerender.rendering.placement.asking import HubAnswer, HubQuestion
from spokerender.rendering.values.decisions import DecidedPlacement, DecisionGroup, HubCluster

_GROUP = "multicluster.x-k8s.io"
_KEY, _INDEX = f"{_GROUP}/decision-key", f"{_GROUP}/decision-index"


def import_sig_decisions(question: HubQuestion) -> HubAnswer:
    """Return the decisions by namespace and key; their slices are no groups."""
    slices: dict[str, list[Manifest]] = {}
    clusters: dict[str, HubCluster] = {}
    for manifest in question.objects.manifests:
        if manifest.ref.group != _GROUP:
            continue
        labels = as_mapping(manifest.object["metadata"].get("labels"))
        if manifest.ref.kind == "PlacementDecision":
            name = as_text(labels.get(_KEY)) or manifest.ref.name
            slices.setdefault(f"{manifest.ref.namespace}/{name}", []).append(manifest)
        elif manifest.ref.kind == "ClusterProfile":
            clusters[manifest.ref.name] = _profile(manifest)
    declared = question.spokes | clusters.keys()
    used = (items for key, items in slices.items() if key in question.used)
    return HubAnswer(
        {key: _placement(key, items) for key, items in slices.items()},
        clusters,
        tuple(result for items in used for result in _check(items, declared)),
    )


def _profile(manifest: Manifest) -> HubCluster:
    labels = as_mapping(manifest.object["metadata"].get("labels"))
    properties = as_list(as_mapping(manifest.object.get("status")).get("properties"))
    claims = {as_text(p.get("name")): as_text(p.get("value")) for p in map(as_mapping, properties)}
    return HubCluster(manifest.ref.name, dict(labels), claims, lambda: manifest.origin)


def _placement(key: str, slices: list[Manifest]) -> DecidedPlacement:
    names = {name for manifest in slices for name in _names(manifest)}
    group = DecisionGroup("", 0, tuple(sorted(names)))
    return DecidedPlacement(key, (group,), lambda: slices[0].origin)


def _names(manifest: Manifest) -> list[str]:
    entries = map(as_mapping, as_list(manifest.object.get("decisions")))
    return [as_text(as_mapping(entry.get("clusterProfileRef")).get("name")) for entry in entries]


def _check(slices: list[Manifest], declared: frozenset[str]) -> Iterator[Result]:
    seen: set[str] = set()
    indices = set()
    for manifest in slices:
        labels = as_mapping(manifest.object["metadata"].get("labels"))
        indices.add(as_text(labels.get(_INDEX)) or "0")
        for name in _names(manifest):
            if name in seen:
                yield _refuse(manifest, f'the cluster "{name}" is named twice')
            elif declared and name not in declared:
                yield _refuse(manifest, f'no ClusterProfile and no spoke is called "{name}"')
            seen.add(name)
    expected = {str(number) for number in range(len(slices))}
    if indices != expected:
        there = ", ".join(sorted(indices))
        yield _refuse(slices[0], f"its slices have the indices {there}, which do not count from 0")


def _refuse(manifest: Manifest, message: str) -> Result:
    cure = "take the decisions from their scheduler anew, with the ClusterProfiles"
    return BAD_DECISION.result(message, cure=cure, resource=manifest.ref, origin=manifest.origin)
