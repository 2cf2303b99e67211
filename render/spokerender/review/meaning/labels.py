"""Changed labels and annotations that a controller of Gateways or routes may read."""

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import INFO
from spokerender.kinds.owned import ANNOTATION_PREFIXES, ANNOTATIONS, DESCRIBING, LABELS
from spokerender.kinds.table import CONTROLLER_NAMES, GROUPS
from spokerender.model import GATEWAY_CLASS, NAMESPACE, Ref
from spokerender.model.memo import memoised
from spokerender.model.shapes import as_mapping
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SharedViews
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.values import Topic
from spokerender.topology.graph import Topology, read_controller_name

_CLUSTER_OWNERS = ("kubernetes.io", "k8s.io", "k8s.aws", "konghq.com", "projectcontour.io")
"""Owners of annotations of Gateways and routes, besides the owners of known API groups."""


def find_labelled(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield the objects with changed labels or annotations that a controller may read.

    Controllers copy labels and annotations of Gateways to objects such as the Service of a load
    balancer. Annotations that refer to filters or issuers are compared elsewhere.
    """
    owners = _list_owners(successors.new.shared, successors.new.topology)
    for ref, sides in _list_read(successors, objects):
        kind = successors.new.kind((ref.group, ref.kind))
        compared = (need for need in kind.needs if need.separator or need.kind.endswith("Issuer"))
        names = ((need.name, need.group_key, need.kind_key) for need in compared)
        keys = sorted(_list_changed(*sides).difference(*names))
        if keys:
            is_owned = any(_read_owner(key.partition("/")[0]) in owners for key in keys)
            yield Draft(
                kind=codes.EFFECT_NOT_KNOWN,
                topic=Topic.OBJECTS,
                message=f"{ref} has other labels or annotations ({listed(keys)}); their effect on "
                "requests is not known",
                cause=objects.of_changed(ref, ("metadata",))
                if ref in objects.altered
                else objects.cause_of_needed(ref, ref),
                cure="read the change: the controller that owns this prefix may read them",
                severity=None if is_owned else INFO,
            )


def _list_read(
    successors: Successors, objects: ObjectChanges
) -> Iterator[tuple[Ref, tuple[Mapping[str, Any], ...]]]:
    """Yield the name of each object whose labels may be read, and the object in both states."""
    old, new = successors.old, successors.new
    for ref, earlier in sorted(objects.altered.items()):
        node, kind = new.nodes.get(ref), (ref.group, ref.kind)
        is_of_requests = node is not None and (node.is_route or bool(node.listeners))
        if is_of_requests or kind == GATEWAY_CLASS or new.kind(kind).security:
            yield ref, (old.object_of(earlier), new.object_of(ref))
    for name in sorted({ref.namespace for ref in new.variants}):
        ref = Ref(*NAMESPACE, "", name)
        labels = (view.topology.around.labels_of_namespace(name).values for view in (old, new))
        yield ref, tuple({"metadata": {"labels": each}} for each in labels)


def _list_changed(*sides: Mapping[str, Any]) -> set[str]:
    keys: set[str] = set()
    for field in ("labels", "annotations"):
        was, now = (as_mapping(as_mapping(side.get("metadata")).get(field)) for side in sides)
        keys |= {key for key in (*was, *now) if was.get(key) != now.get(key)}
    return set(filter(_may_be_read, keys))


def _may_be_read(key: str) -> bool:
    """Return whether a controller of Gateways or routes may read a label or annotation.

    Kubernetes reserves keys without a domain for users ("Labels and Selectors", syntax).
    """
    domain, slash, _ = key.partition("/")
    is_owned = key in ANNOTATIONS or key in LABELS or key.startswith(ANNOTATION_PREFIXES)
    return bool(slash) and domain not in DESCRIBING and not is_owned


@memoised
def _list_owners(shared: SharedViews, topology: Topology) -> frozenset[str]:
    """Return the owners of API groups (of hub and table) and of controllers of Gateways."""
    # The hub's own class has no controller; spokes get another class.
    used = {topology.nodes[ref].gateway_class for ref in topology.gateways}
    own = (read_controller_name(topology, name) for name in used)
    controllers = (name.partition("/")[0] for name in (*CONTROLLER_NAMES, *own))
    groups = (ref.group for ref in shared.hub)
    return frozenset(map(_read_owner, (*GROUPS, *groups, *controllers, *_CLUSTER_OWNERS)))


def _read_owner(domain: str) -> str:
    """Return the last two labels of a domain, which tell its owner."""
    return ".".join(domain.split(".")[-2:])
