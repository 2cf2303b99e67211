"""What requests come through on their way: the Gateways of everything that a policy may hang on."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from spokerender.kinds.references import ROOT_NAMESPACE
from spokerender.model import Ref
from spokerender.topology.graph import Topology
from spokerender.topology.requests import backend_paths, filters_of, listener_paths, rule_paths


def reach(topology: Topology, namespaces: Topology | None) -> dict[Ref, frozenset[Ref]]:
    """For everything that a policy may hang on, the Gateways that requests to it come through.

    Only what is admitted counts: `allowedRoutes`, `allowedListeners` and hostnames decide
    (`spokerender.topology.rule_paths`). A Gateway reaches itself though it has no listener.
    """
    gateways: dict[Ref, set[Ref]] = {ref: {ref} for ref in topology.gateways}
    for ref in topology.gateways:
        for name in (ref.namespace, ROOT_NAMESPACE):
            gateways.setdefault(Ref("", "Namespace", "", name), set()).add(ref)
    for gateway, levels in _levels(topology, namespaces):
        for level in levels:
            gateways.setdefault(level, set()).add(gateway)
    return {ref: frozenset(gateways_of) for ref, gateways_of in gateways.items()}


def _levels(
    topology: Topology, namespaces: Topology | None
) -> Iterator[tuple[Ref, Collection[Ref]]]:
    """What is on the paths of each Gateway; paths share their levels, so each is looked at once."""
    of_gateway: dict[int, tuple[Ref, dict[int, Ref]]] = {}
    filters: dict[tuple[int, str], tuple[Ref, ...]] = {}
    for path in (
        *listener_paths(topology, namespaces),
        *rule_paths(topology, namespaces),
        *backend_paths(topology, namespaces),
    ):
        rule = id(path.route), path.rule
        if rule not in filters:
            filters[rule] = filters_of(topology, path)
        levels = (*path.levels, *filters[rule])
        known = of_gateway.setdefault(id(path.gateway), (path.gateway, {}))
        known[1].update(zip(map(id, levels), levels, strict=True))
    return ((gateway, known.values()) for gateway, known in of_gateway.values())
