"""Why a route is on no listener of a parent that it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.model import Ref
from spokerender.topology.classes import controller_of
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import intersects
from spokerender.topology.listening import admits, gateways_of, listeners_meant, listeners_of, takes
from spokerender.topology.node import Listener, Node


def why_detached(
    topology: Topology, route: Node, namespaces: Topology | None = None
) -> Iterator[tuple[Ref, str]]:
    """What keeps a route from its parents, each with the parent; none where nothing does.

    The reasons are the Gateway API's, in the order in which listeners drop out: NoMatchingParent,
    NotAllowedByListeners (by kind, then by namespace), NoMatchingListenerHostname. `namespaces` as
    for `rule_paths`.
    """
    around = namespaces or topology
    for link in route.references:
        if link.row.role is not Role.PARENT:
            continue
        parents = topology.parents(link)
        if not parents and link.selector is None:
            yield link.ref.whole, f"{link.ref.whole} is not there"
        for ref in parents:
            why = _why(topology, route, topology.nodes[ref], link, around)
            if why:
                yield ref, why


def _why(
    topology: Topology, route: Node, parent: Node, link: Reference, namespaces: Topology
) -> str:
    if not any(gateways_of(topology, parent, namespaces)):
        return f"no Gateway admits {parent.ref} (spec.allowedListeners)"
    stages = _stages(topology, route, parent, link, namespaces)
    return next((f"no listener of {parent.ref} {why}" for left, why in stages if not left), "")


def _stages(
    topology: Topology, route: Node, parent: Node, link: Reference, namespaces: Topology
) -> Iterator[tuple[Sequence[Listener], str]]:
    """The listeners that are left after each condition, and what the others lack."""
    gateway = next(gateways_of(topology, parent, namespaces))
    kind, namespace = route.ref.kind, route.ref.namespace
    left = [*listeners_meant(parent, link)]
    yield left, "has the sectionName or port that it names"
    opened = {each.name for each in listeners_of(topology, parent, namespaces)}
    left = [each for each in left if each.name in opened]
    yield left, "is distinct from those of its Gateway that come first"
    controller = controller_of(topology, gateway.gateway_class, namespaces)
    left = [each for each in left if takes(each, route.ref.group, kind, controller)]
    yield left, f"takes routes of kind {kind} (its protocol, tls.mode, or allowedRoutes.kinds)"
    left = [each for each in left if admits(parent, each, route, namespaces)]
    yield left, f"admits routes of namespace {namespace} (allowedRoutes.namespaces)"
    if route.hostnames:
        left = [
            each
            for each in left
            if any(intersects(each.hostname, name) for name in route.hostnames)
        ]
        yield left, f"has a hostname in common with {', '.join(route.hostnames)}"
