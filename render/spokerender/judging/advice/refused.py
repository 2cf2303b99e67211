"""What a Gateway does not take: routes on none of its listeners, and listeners that are refused."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.words import some
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.topology import (
    Node,
    Topology,
    kept_out,
    refused_listeners,
    rule_paths,
    why_detached,
)


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each of them."""
    yield from _listeners(view)
    yield from _kept_out(view)
    yield from _detached(view)


def _listeners(view: SpokeView) -> Iterator[Result]:
    """GEP-1713: of listeners that are not distinct the first is opened."""
    for refused in refused_listeners(view.topology, view.hub_topology):
        yield view.result(
            codes.REFUSED_LISTENER,
            refused.parent,
            f"listener {refused.listener} is refused ({refused.reason}): {refused.by} comes first "
            f"and has one with its {_SAME[refused.reason]}. No route is on it, nor any policy in "
            "force",
            "give it another port or hostname, or remove it",
            field="spec.listeners",
        )


_SAME = {"ProtocolConflict": "port", "HostnameConflict": "protocol and hostname"}
"""What two listeners have in common, by the reason that the later one is refused for."""


def _kept_out(view: SpokeView) -> Iterator[Result]:
    """Gateway API: a hostname of a listener is for HTTPRoutes or for GRPCRoutes, not for both."""
    for kept in kept_out(view.topology, view.hub_topology):
        parent, listener = kept.listener
        when = f"That is {kept.by}"
        if not kept.is_certain:
            when = f"Made in one apply that is {kept.by}, the first by name; files can't tell"
        yield view.result(
            codes.KEPT_OUT,
            kept.route,
            f"{kept.by} is for {kept.hostname} on {parent.section(listener)} as well, and of an "
            f"HTTPRoute and a GRPCRoute the older is accepted there. {when}",
            "give them different hostnames, or listeners of their own",
            field="spec.hostnames",
        )


def _detached(view: SpokeView) -> Iterator[Result]:
    """Routes on no listener, on the hub neither: what is lost on a spoke is told elsewhere."""
    on_hub: set[Ref | None] = set()
    for route in _off_all(view.topology, view.hub_topology):
        on_hub = on_hub or {path.route for path in rule_paths(view.hub_topology)}
        reasons = tuple(dict.fromkeys(_reasons(view, route)))
        if reasons and view.hub(route.ref) not in on_hub:
            yield view.result(
                codes.DETACHED,
                route.ref,
                f"it is on no listener: {some(reasons)}. It gets no requests, and no policy on it "
                "is in force",
                "let a listener take it, or correct its parentRefs",
                field="spec.parentRefs",
            )


@memoised
def _off_all(topology: Topology, namespaces: Topology) -> tuple[Node, ...]:
    """The routes that no listener takes; several views may share a topology."""
    taken = {path.route for path in rule_paths(topology, namespaces)}
    taken |= {each.route for each in kept_out(topology, namespaces)}
    routes = (node for node in topology.nodes.values() if node.is_route)
    detached = (node for node in routes if node.ref not in taken)
    return tuple(sorted(detached, key=lambda node: node.ref))


def _reasons(view: SpokeView, route: Node) -> Iterator[str]:
    for parent, why in why_detached(view.topology, route, view.hub_topology):
        if parent in view.topology.nodes and view.topology.nodes[parent].listeners:
            yield why
