"""Read the inventory of a hub for the sources of decisions, and check the hub's objects.

Values that the CRDs and webhooks of OCM refuse are errors. Source: open-cluster-management-io/api
1845fd8032e4, the CRDs of `cluster/`, which a test compares with the schemas in `admission.json`.
The schemas are for objects as people write them: of a status, they check only the fields that
decisions depend on. The rule for a binding's name is from OCM `pkg/registration/webhook`. A
negative number of clusters passes the CRD, but crashes the scheduler.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes.attachment import UNKNOWN_FIELD
from spokerender.findings.codes.placement import LIVENESS_TAINT, REFUSED_BY_CRD
from spokerender.findings.phrasing import listed, on_spokes
from spokerender.findings.results import Fault, Result, Severity
from spokerender.judging.validation.crds import CRD, Schemas
from spokerender.judging.validation.objects import validate
from spokerender.model import Manifest, Origin, Ref, identity
from spokerender.model.memo import memoised
from spokerender.model.refs import OCM
from spokerender.model.shapes import as_mapping
from spokerender.rendering.placement.asking import HubObjects, HubQuestion
from spokerender.rendering.values.decisions import HubCluster
from spokerender.topology.places import hub_line
from spokerender.wings.hubs.ocm.inventory import (
    KINDS,
    HubObject,
    Inventory,
    read_inventory,
)
from spokerender.wings.hubs.ocm.objects import FieldPlace

VERSIONS = {
    "Placement": "v1beta1",
    "ManagedCluster": "v1",
    "ManagedClusterSet": "v1beta2",
    "ManagedClusterSetBinding": "v1beta2",
    "PlacementDecision": "v1beta1",
    "AddOnPlacementScore": "v1alpha1",
}
"""The only version of each kind that its CRD serves."""
_CURE = "correct the field: no hub has such an object"
_CLUSTER_SCOPED = ("ManagedCluster", "ManagedClusterSet")


@cache
def read_admission_schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return the OpenAPI schema of each kind of OCM that we read, by kind, as in its CRD."""
    text = resources.files(__package__).joinpath("admission.json").read_text(encoding="utf-8")
    schemas: dict[str, dict[str, Any]] = json.loads(text)
    return schemas


@cache
def _admission() -> Schemas:
    return Schemas(
        {
            (OCM, kind): (
                CRD(
                    OCM, kind, "", "", kind not in _CLUSTER_SCOPED, {VERSIONS[kind]: it}, Origin("")
                ),
            )
            for kind, it in read_admission_schemas().items()
        }
    )


def find_refused(kind: str, data: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield the faults for which an API server would refuse an object of OCM of this kind."""
    ref = identity(data)
    if ref is not None and kind in VERSIONS:
        yield from validate(dict(data), ref, _admission())
    if kind in _CHECKS:
        yield from _CHECKS[kind](data)


def _check_placement(data: Mapping[str, Any]) -> Iterator[Fault]:
    number = as_mapping(data.get("spec")).get("numberOfClusters")
    # Not of the CRD: it has no minimum, and the scheduler slices a list with the number.
    if isinstance(number, int) and number < 0:
        message = f"{number} is negative: OCM's scheduler would end"
        yield Fault(REFUSED_BY_CRD, message, _CURE, ("spec", "numberOfClusters"))


def _check_binding(data: Mapping[str, Any]) -> Iterator[Fault]:
    name = as_mapping(data.get("metadata")).get("name")
    named = as_mapping(data.get("spec")).get("clusterSet")
    # pkg/registration/webhook; the scheduler itself reads the name alone.
    if named != name:
        message = f'"{named}" must be the name of the binding, {name}'
        yield Fault(REFUSED_BY_CRD, message, _CURE, ("spec", "clusterSet"))


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Fault]]] = {
    "Placement": _check_placement,
    "ManagedClusterSetBinding": _check_binding,
}


_STEP = re.compile(r"([^.\[\]]+)(?=[.\[]|$)|\[([0-9]+)\]")
"""A key or an index in a field such as `spec.tolerations[0].key`."""


@memoised
def inventory_of(hub: HubObjects) -> Inventory:
    """Read the objects of OCM in a hub."""
    objects = (HubObject(item.object, written_at(item)) for item in _manifests(hub))
    return read_inventory(objects, honours_liveness=hub.honours_liveness)


def _manifests(hub: HubObjects) -> Iterator[Manifest]:
    for manifest in hub.manifests:
        if (manifest.ref.group, manifest.ref.kind) in KINDS:
            yield manifest


def written_at(manifest: Manifest) -> FieldPlace:
    """Return a function that finds the file and line of an object or of a field in it."""

    def find(field: str = "", *below: str) -> Origin:
        steps = (int(number) if number else key for key, number in _STEP.findall(field))
        return hub_line(manifest, (*steps, *below))

    return find


def clusters_of(inventory: Inventory) -> dict[str, HubCluster]:
    """Return the clusters of a hub as expressions and selectors see them.

    OCM's own labels are left out: the hub sets them for its sets and for add-ons that come and go,
    and each change of them would change the files for delivery engines.
    """
    clusters = {}
    for name, cluster in inventory.clusters.items():
        labels = {
            key: value
            for key, value in cluster.labels.items()
            if not key.partition("/")[0].endswith("open-cluster-management.io")
        }
        clusters[name] = HubCluster(name, labels, cluster.claims, cluster.place)
    return clusters


def check_objects(question: HubQuestion) -> Iterator[Result]:
    """Yield findings about objects that API servers refuse; only warnings for unused Placements."""
    unused, refused = {"Placement": Severity.WARNING}, set[Ref]()
    for manifest in _manifests(question.objects):
        ref = manifest.ref
        is_used = f"{ref.namespace}/{ref.name}" in question.used
        # Clusters, sets and bindings count for all Placements, used or not.
        severity = None if is_used else unused.get(ref.kind)
        for fault in find_refused(ref.kind, manifest.object):
            refused.add(ref)
            finding = UNKNOWN_FIELD if fault.finding is UNKNOWN_FIELD else REFUSED_BY_CRD
            result = replace(fault, finding=finding).result(ref, hub_line(manifest, fault.field))
            yield result if severity is None else replace(result, severity=severity)
    for item in inventory_of(question.objects).misread:
        about = identity(item.data)
        if about not in refused:  # nobody knows of such an object
            cure = "write its fields as the CRD of its kind has them"
            yield REFUSED_BY_CRD.result(
                "it can't be read", cure=cure, resource=about, origin=item.place()
            )


def report_liveness(question: HubQuestion) -> Iterator[Result]:
    """Yield a finding if clusters have taints in `LIVENESS` that do not count."""
    clusters = [it for it in inventory_of(question.objects).clusters.values() if it.dropped]
    if not clusters:
        return
    keys = sorted({key for cluster in clusters for key in cluster.dropped})
    names = tuple(cluster.name for cluster in clusters)
    yield LIVENESS_TAINT.result(
        f"the taint {listed(keys)} does not count {on_spokes(names)}: the hub sets it by itself",
        cure="set spec.ocm.livenessTaints: honour in fleet.yaml if it is to count",
        origin=clusters[0].place(),
        spokes=names,
    )
