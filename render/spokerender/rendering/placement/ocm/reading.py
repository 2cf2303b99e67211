"""The inventory of a hub for the sources of decisions, read once, and what is wrong with it."""

import re
from collections.abc import Iterator

from spokerender.findings.codes.placement import LIVENESS_TAINT, REFUSED_BY_CRD
from spokerender.findings.codes.validation import UNKNOWN_FIELD
from spokerender.findings.phrasing import listed, on_spokes
from spokerender.findings.results import Result, Severity
from spokerender.model import Manifest, Origin, Ref, identity
from spokerender.model.memo import memoised
from spokerender.model.refs import shown
from spokerender.rendering.placement.asking import HubObjects, HubQuestion
from spokerender.rendering.placement.ocm.admission import find_refused
from spokerender.rendering.placement.ocm.inventory import (
    KINDS,
    HubObject,
    Inventory,
    read_inventory,
)
from spokerender.rendering.placement.ocm.objects import FieldPlace
from spokerender.rendering.values.decisions import HubCluster
from spokerender.topology.places import hub_line

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
    """Return where an object and each of its fields is written."""

    def find(field: str = "", *below: str) -> Origin:
        steps = (int(number) if number else key for key, number in _STEP.findall(field))
        return hub_line(manifest, (*steps, *below))

    return find


def clusters_of(inventory: Inventory) -> dict[str, HubCluster]:
    """Return the clusters of a hub as expressions and selectors see them.

    Labels of OCM's own are left out: the hub sets them, for its sets and for add-ons that come and
    go, and delivery engines would get a change with each.
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
    """Yield what the API server would refuse; of a Placement that nobody uses it is a warning."""
    unused, refused = {"Placement": Severity.WARNING}, set[Ref]()
    for manifest in _manifests(question.objects):
        ref = manifest.ref
        is_used = f"{ref.namespace}/{ref.name}" in question.used
        # Clusters, sets and bindings count for all Placements, used or not.
        severity = None if is_used else unused.get(ref.kind)
        for fault in find_refused(ref.kind, manifest.object):
            refused.add(ref)
            kind = UNKNOWN_FIELD if fault.is_unknown else REFUSED_BY_CRD
            yield kind.result(
                fault.message,
                cure=fault.cure,
                resource=ref,
                field=shown(fault.path),
                origin=hub_line(manifest, fault.path),
                severity=severity,
            )
    for item in inventory_of(question.objects).misread:
        about = identity(item.data)
        if about not in refused:  # nobody knows of such an object
            cure = "write its fields as the CRD of its kind has them"
            yield REFUSED_BY_CRD.result(
                "it can't be read", cure=cure, resource=about, origin=item.place()
            )


def report_liveness(question: HubQuestion) -> Iterator[Result]:
    """Yield a finding where taints do not count that the hub sets and lifts by itself."""
    inventory = inventory_of(question.objects)
    if not inventory.dropped:
        return
    keys = sorted({key for keys in inventory.dropped.values() for key in keys})
    names = sorted(inventory.dropped)
    yield LIVENESS_TAINT.result(
        f"the taint {listed(keys)} does not count {on_spokes(names)}: the hub sets it by itself",
        cure="set spec.ocm.livenessTaints: honour in fleet.yaml if it is to count",
        origin=inventory.clusters[names[0]].place(),
        spokes=tuple(names),
    )
