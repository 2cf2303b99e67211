"""Checks of a spoke's topology, after retargeting and overriding; one file a check.

To add a check, write one module beside these, with a function that takes the context and
yields results, and add its row to `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from render.findings.results import Result
from render.model import Manifest, PlacedGateway, Ref
from render.rendering.checks import (
    attached,
    classes,
    closure,
    collapse,
    duplicates,
    grants,
    identity,
    sections,
)
from render.rendering.checks.context import HubSide, SpokeContext
from render.rendering.checks.unsettled import unsettled
from render.topology import Node, spoke_topology


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found, and the hostnames (a listener's, a route's) that only values can compare."""

    results: tuple[Result, ...]
    unsettled: tuple[tuple[str, str], ...]


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
) -> Checked:
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
    results = tuple(result for check in CHECKS for result in check(context))
    return Checked(results, unsettled(context))


__all__ = ["CHECKS", "Check", "Checked", "HubSide", "spoke_results"]
