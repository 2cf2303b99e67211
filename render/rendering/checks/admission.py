"""Routes and ListenerSets that their parent admitted on the hub and no longer does.

`allowedRoutes` and `allowedListeners` speak of the parent's own namespace (`from: Same`), so
their meaning changes when the gateway moves and its routes stay (GEP-1324, GEP-1713).
"""

from __future__ import annotations

from collections.abc import Iterator

from render.findings.codes.spoke import NOT_ADMITTED
from render.findings.results import Result
from render.kinds import Reference, Role
from render.model import shown
from render.rendering.checks.context import SpokeContext
from render.topology import Admission, Node, Topology, listeners_meant

_OPEN = (
    "let its listeners allow routes from all namespaces or by selector, or keep the gateway in the "
    "hub's namespace"
)
_DECLARE = "declare its listeners, with the `allowedRoutes` they have, in the rule's `as.listeners`"


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every parent reference that lost its admission.

    Which ListenerSets a gateway admits that the spoke has of its own is in no file.
    """
    existing = {place.ref for place in context.placed if place.existing}
    for node in context.shipped:
        for link, hub_link in context.links(node):
            if link.rule.role is not Role.PARENT:
                continue
            if node.listeners and link.ref.whole in existing:
                continue
            if not _is_admitted(context.hub, context.hub_node(node), hub_link):
                continue
            if _is_admitted(context.spoke, node, link, context.hub):
                continue
            yield context.result(
                NOT_ADMITTED,
                node,
                f"{link.ref.whole} admitted it on the hub and does not on the spoke, where the "
                f"gateway is in namespace {link.ref.namespace}",
                _DECLARE if link.ref.whole in existing else _OPEN,
                shown(link.path),
            )


def _is_admitted(
    topology: Topology, node: Node, link: Reference, labels: Topology | None = None
) -> bool:
    """Whether one of the listeners that the reference means admits the object's namespace."""
    parent = topology.nodes.get(link.ref.whole)
    if parent is None:
        return True
    own = (labels or topology).labels_of_namespace(node.ref.namespace)
    return any(
        admission.admits(parent.ref.namespace, node.ref.namespace, own)
        for admission in _admissions(parent, node, link)
    )


def _admissions(parent: Node, node: Node, link: Reference) -> tuple[Admission, ...]:
    if node.listeners:
        return (parent.admits_listener_sets,)
    return tuple(listener.routes for listener in listeners_meant(parent, link))
