"""Labels and annotations that change, and that a controller of gateways or routes may read."""

from collections.abc import Iterator

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import INFO
from spokerender.kinds.owned import ANNOTATION_PREFIXES, ANNOTATIONS, DESCRIBING, LABELS
from spokerender.kinds.table import CONTROLLER_NAMES, GROUPS
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.model.shapes import as_mapping
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SharedViews, SpokeView
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.values import Topic
from spokerender.topology.node import GATEWAY_CLASS

_READ = frozenset({("", "Namespace"), GATEWAY_CLASS})
"""The kinds of which labels and annotations are read, beside gateways and routes."""
_CLUSTER_OWNERS = ("kubernetes.io", "k8s.io", "k8s.aws", "konghq.com", "projectcontour.io")
"""Owners of annotations of Gateways and routes, beside those of APIs that rows know."""


def find_labelled(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield the objects of which a controller may read something else.

    Labels and annotations of gateways are copied to what serves them, such as the Service of a load
    balancer. One that names what an object needs is compared with that.
    """
    old, new = successors.old, successors.new
    for ref, earlier in sorted(objects.altered.items()):
        node = new.nodes.get(ref)
        is_of_requests = node is not None and (node.is_route or bool(node.listeners))
        is_read = (ref.group, ref.kind) in _READ or new.kind((ref.group, ref.kind)).security
        if not is_of_requests and not is_read:
            continue
        needed = {str(link.path[-1]) for link in node.needs} if node is not None else set()
        keys = sorted(_list_changed(old, earlier, new, ref) - needed)
        if keys:
            owners = _list_owners(new.shared)
            is_owned = any(_read_owner(key.partition("/")[0]) in owners for key in keys)
            yield Draft(
                kind=codes.EFFECT_NOT_KNOWN,
                topic=Topic.OBJECTS,
                message=f"{ref}: {listed(keys)} changes; what that does to requests is not known",
                cause=objects.of_changed(ref, ("metadata",)),
                cure="read the change: its controller may read labels and annotations of this "
                "domain",
                severity=None if is_owned else INFO,
            )


def _list_changed(old: SpokeView, earlier: Ref, new: SpokeView, ref: Ref) -> set[str]:
    sides = old.object_of(earlier), new.object_of(ref)
    keys: set[str] = set()
    for field in ("labels", "annotations"):
        was, now = (as_mapping(as_mapping(side.get("metadata")).get(field)) for side in sides)
        keys |= {key for key in (*was, *now) if was.get(key) != now.get(key)}
    return set(filter(_may_be_read, keys))


def _may_be_read(key: str) -> bool:
    """Tell whether a controller of gateways or routes may read a label or annotation.

    Kubernetes reserves keys without a domain for users ("Labels and Selectors", syntax).
    """
    domain, slash, _ = key.partition("/")
    is_owned = key in ANNOTATIONS or key in LABELS or key.startswith(ANNOTATION_PREFIXES)
    return bool(slash) and domain not in DESCRIBING and not is_owned


@memoised
def _list_owners(shared: SharedViews) -> frozenset[str]:
    """Return who owns the APIs of the hub and of the table, and their controllers."""
    classes = (shared.hub[ref] for ref in shared.hub if (ref.group, ref.kind) == GATEWAY_CLASS)
    own = (str(as_mapping(item.get("spec")).get("controllerName")) for item in classes)
    controllers = (name.partition("/")[0] for name in (*CONTROLLER_NAMES, *own))
    groups = (ref.group for ref in shared.hub)
    return frozenset(map(_read_owner, (*GROUPS, *groups, *controllers, *_CLUSTER_OWNERS)))


def _read_owner(domain: str) -> str:
    """Return the part of a domain that somebody owns: its last two labels."""
    return ".".join(domain.split(".")[-2:])
