"""Checks of a spoke's topology, after retargeting and overriding; one file a check.

To add a check, write one module beside these, with a function that takes the context and
yields results, and add its row to `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from spokerender.findings.results import Result
from spokerender.model import Manifest, PlacedGateway, Ref
from spokerender.rendering.checks import (
    attached,
    classes,
    closure,
    collapse,
    duplicates,
    grants,
    identity,
    sections,
)
from spokerender.rendering.checks.context import HubSide, SpokeContext
from spokerender.topology import Node, spoke_topology

Check = Callable[[SpokeContext], Iterable[Result]]

CHECKS: tuple[Check, ...] = (
    attached.check,
    classes.check,
    closure.check,
    collapse.check,
    duplicates.check,
    grants.check,
    identity.check,
    sections.check,
)


def spoke_results(
    shipped: Iterable[Node],
    sources: Mapping[Ref, Manifest],
    placed: tuple[PlacedGateway, ...],
    hub: HubSide,
    retargeted: Iterable[Node],
) -> tuple[Result, ...]:
    """Run every check on one spoke: its rendered nodes and its placed gateways.

    `retargeted` are the same objects' nodes, before overrides.
    """
    nodes = tuple(shipped)
    context = SpokeContext(
        shipped=nodes,
        spoke=spoke_topology(nodes, placed, hub.catalogue, hub.topology),
        hub=hub.topology,
        placed=placed,
        sources=sources,
        own_classes=hub.own_classes,
        origins=hub.origins,
        catalogue=hub.catalogue,
        retargeted={node.ref: node for node in retargeted},
    )
    return tuple(result for check in CHECKS for result in check(context))


__all__ = ["CHECKS", "Check", "HubSide", "spoke_results"]
