"""Two hub gateways that became one on a spoke.

A gateway that we render can only be one of the two. A gateway that the spoke has may well
carry the policies of two hub gateways, but two policies of one kind on one target would
contend there (GEP-713, conflict resolution).
"""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes.shipping import GATEWAYS_COLLAPSE
from spokerender.findings.results import Result
from spokerender.kinds import Role
from spokerender.model import PlacedGateway, Ref
from spokerender.rendering.checks.context import SpokeContext
from spokerender.topology import Node


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield results for gateways that are one on the spoke where they must not be."""
    groups: dict[Ref, list[PlacedGateway]] = {}
    for place in context.placed:
        groups.setdefault(place.ref, []).append(place)
    for target, places in groups.items():
        if len(places) == 1:
            continue
        if all(place.existing for place in places):
            yield from _contradictions(context, target, places)
            yield from _equal_targets(context, target)
        else:
            created = context.sources[target]
            yield GATEWAYS_COLLAPSE.result(
                f"{' and '.join(str(place.hub) for place in places)} become {target}",
                cure="give one of them another name or namespace in its rule's `as`",
                resource=created.ref,
                origin=created.origin,
            )


def _contradictions(
    context: SpokeContext, target: Ref, places: list[PlacedGateway]
) -> Iterator[Result]:
    """What is declared of one gateway in two ways: it can have only one of them."""
    declared: dict[str, tuple[PlacedGateway, object]] = {}
    for place in places:
        for listener in place.listeners.entries:
            name = listener["name"]
            first, known = declared.setdefault(name, (place, listener))
            if known != listener:
                yield GATEWAYS_COLLAPSE.result(
                    f"{first.hub} and {place.hub} become {target}, and their rules say otherwise "
                    f'of its listener "{name}"',
                    cure="say the same in both rules' `as`, or place the gateways apart",
                    resource=place.hub,
                    origin=context.origins[place.hub],
                )


def _equal_targets(context: SpokeContext, target: Ref) -> Iterator[Result]:
    """Policies of one kind that end on the same target, coming from different gateways."""
    first: dict[tuple[str, str, tuple[str, ...]], tuple[Node, frozenset[Ref]]] = {}
    for node in context.shipped:
        hub_gateways = context.hub.ships_with(context.sources[node.ref].ref)
        for link in node.references:
            if link.row.role is not Role.TARGET or link.ref.whole != target:
                continue
            key = (node.ref.group, node.ref.kind, link.sections)
            other, other_gateways = first.setdefault(key, (node, hub_gateways))
            if other is not node and other_gateways != hub_gateways:
                yield context.result(
                    GATEWAYS_COLLAPSE,
                    node,
                    f"has the same target on the spoke as {other.ref}: two hub gateways became "
                    f"{target}",
                    "let one of the two policies target a section, or place the gateways apart",
                )
