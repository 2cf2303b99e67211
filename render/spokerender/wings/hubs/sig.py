"""The source of SIG-Multicluster's PlacementDecisions, which any scheduler may write.

Source: kubernetes-sigs/cluster-inventory-api ed3a9fefae18, `apis/v1alpha1`. The objects have no
spec and no status. A label joins the slices of a decision; another label may number them.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from spokerender.findings.codes.placement import BAD_DECISION
from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.findings.results import Result
from spokerender.model import FieldPath, Manifest, shown
from spokerender.model.shapes import as_list, as_mapping, as_mappings, as_text
from spokerender.model.spokes import DecisionGroup
from spokerender.rendering.placement.asking import HubAnswer, HubQuestion
from spokerender.rendering.values.decisions import DecidedPlacement, HubCluster
from spokerender.topology.places import hub_line

_GROUP = "multicluster.x-k8s.io"
_KEY, _INDEX = f"{_GROUP}/decision-key", f"{_GROUP}/decision-index"
_MOST = 100
"""The most clusters in one slice."""
_CURE = "take the decisions from their scheduler anew, with the ClusterProfiles"
_Profiles = Mapping[str, Mapping[str, Manifest]]
"""ClusterProfiles by name, then by namespace."""


class _Reference(Struct, frozen=True):
    """A cluster that a slice names; `namespace` is the namespace of its ClusterProfile."""

    slice: Manifest
    path: FieldPath
    name: str
    namespace: str


def import_sig_decisions(question: HubQuestion) -> HubAnswer:
    """Return the hub's decisions; PlacementDecisions with the same key label are one decision."""
    slices: dict[str, list[Manifest]] = {}
    profiles: dict[str, dict[str, Manifest]] = {}
    for manifest in question.objects.manifests:
        ref = manifest.ref
        if (ref.group, ref.kind) == (_GROUP, "PlacementDecision"):
            # A decision of a single slice needs no key to join it by.
            name = _label(manifest, _KEY) or ref.name
            slices.setdefault(f"{ref.namespace}/{name}", []).append(manifest)
        elif (ref.group, ref.kind) == (_GROUP, "ClusterProfile"):
            profiles.setdefault(ref.name, {})[ref.namespace] = manifest
    references = {
        key: [reference for item in items for reference in _references(item)]
        for key, items in slices.items()
    }
    used = sorted(slices.keys() & question.used)
    chosen = {one.name: one.namespace for key in used for one in references[key]}
    results = [
        *(result for key in used for item in slices[key] for result in _check_fields(item)),
        *(result for key in used for result in _check_indices(slices[key])),
        *(result for key in used for result in _check(references[key], profiles, question.spokes)),
    ]
    return HubAnswer(
        {key: _placement(key, items, references[key]) for key, items in slices.items()},
        {name: _cluster(places, chosen.get(name, "")) for name, places in profiles.items()},
        tuple(results),
    )


def _label(manifest: Manifest, key: str) -> str:
    return as_text(as_mapping(manifest.object["metadata"].get("labels")).get(key))


def _cluster(places: Mapping[str, Manifest], namespace: str) -> HubCluster:
    """Return the cluster that a ClusterProfile describes: that of `namespace`, or the first one."""
    # Where no decision names one, any will do, but always the same.
    profile = places.get(namespace) or places[min(places)]
    labels = as_mapping(profile.object["metadata"].get("labels"))
    properties = as_mappings(as_mapping(profile.object.get("status")).get("properties"))
    claims = {as_text(one.get("name")): as_text(one.get("value")) for one in properties}
    return HubCluster(
        profile.ref.name, dict(labels), claims, lambda *steps: hub_line(profile, steps)
    )


def _placement(
    key: str, slices: Sequence[Manifest], references: Sequence[_Reference]
) -> DecidedPlacement:
    # A cluster without a name, or named twice, has a finding (`_check`).
    group = DecisionGroup("", 0, tuple(sorted({one.name for one in references if one.name})))
    return DecidedPlacement(key, (group,), lambda: slices[0].origin)


def _references(manifest: Manifest) -> Iterator[_Reference]:
    for number, decision in enumerate(as_list(manifest.object.get("decisions"))):
        ref = as_mapping(as_mapping(decision).get("clusterProfileRef"))
        path = ("decisions", number, "clusterProfileRef", "name")
        namespace = as_text(ref.get("namespace")) or manifest.ref.namespace
        yield _Reference(manifest, path, as_text(ref.get("name")), namespace)


def _check_fields(manifest: Manifest) -> Iterator[Result]:
    """Yield a finding if the CRD would refuse the `decisions` of a slice."""
    decisions = manifest.object.get("decisions")
    if not isinstance(decisions, list):
        keys = manifest.object.keys() - {"apiVersion", "kind", "metadata", "schedulerName"}
        message = f"it must be a list, but is {describe(decisions)}"
        if "decisions" not in manifest.object:
            message = "the decisions are missing"
            message += f"; {hint}" if (hint := did_you_mean("decisions", keys, "there is")) else ""
        yield _refuse(manifest, message, ("decisions",))
    elif len(decisions) > _MOST:
        message = f"there are {len(decisions)} items, and at most {_MOST} may be"
        yield _refuse(manifest, message, ("decisions",))


def _check_indices(slices: Sequence[Manifest]) -> Iterator[Result]:
    """Yield a finding if the slices of a decision have index labels that do not count from 0."""
    indices = sorted(_label(manifest, _INDEX) for manifest in slices)
    if not any(indices) or indices == sorted(str(number) for number in range(len(slices))):
        return
    there = ", ".join(sorted(index or "none" for index in indices))
    message = f"its slices have the indices {there}, which do not count from 0"
    yield _refuse(slices[0], message, ("metadata", "labels", _INDEX))


def _check(
    references: Sequence[_Reference], profiles: _Profiles, declared: frozenset[str]
) -> Iterator[Result]:
    """Yield findings about the clusters that a decision names; `declared` has the spokes' names."""
    seen: dict[str, _Reference] = {}
    for one in references:
        places, other = profiles.get(one.name, {}), seen.setdefault(one.name, one)
        message = ""
        if not one.name:
            message = "it names no cluster"
        elif other is not one and other.namespace != one.namespace:
            message = f'ClusterProfiles of two namespaces are called "{one.name}", and one spoke'
            message += f" has that name ({other.namespace}, {one.namespace})"
        elif other is not one:
            by = f", also by {other.slice.ref.name}" * (other.slice is not one.slice)
            message = f'the cluster "{one.name}" is named twice{by}'
        elif one.namespace not in places and one.name not in declared:
            message = f'no ClusterProfile "{one.namespace}/{one.name}", and no spoke'
            message += f' called "{one.name}"'
        if message:
            yield _refuse(one.slice, message, one.path)


def _refuse(manifest: Manifest, message: str, path: FieldPath) -> Result:
    return BAD_DECISION.result(
        message,
        cure=_CURE,
        resource=manifest.ref,
        field=shown(path),
        origin=hub_line(manifest, path),
    )
