"""Checks of a spoke's topology, after retargeting and overrides.

To add a check, write a function that takes the context and yields results, and add it to `CHECKS`.
"""

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import asdict

from spokerender.findings.results import Result
from spokerender.model import Manifest, PlacedGateway, Ref
from spokerender.model.spokes import LabelsByNamespace
from spokerender.rendering.checks import references
from spokerender.rendering.checks.attached import check_attachments
from spokerender.rendering.checks.collisions import check_gateways, check_identities
from spokerender.rendering.checks.context import HubSide, SpokeContext
from spokerender.rendering.checks.served import check_served
from spokerender.topology.node import Node
from spokerender.topology.reading import build_spoke_topology

_Check = Callable[[SpokeContext], Iterable[Result]]

CHECKS: tuple[_Check, ...] = (
    check_attachments,
    references.check_backends,
    references.check_classes,
    references.check_targets,
    check_gateways,
    references.check_duplicates,
    references.check_grants,
    references.check_shared_grants,
    check_identities,
    references.check_sections,
    check_served,
)


def check_spoke(  # noqa: PLR0913  (what a spoke's checks depend on)
    shipped: tuple[Node, ...],
    sources: Mapping[Ref, Manifest],
    placed: tuple[PlacedGateway, ...],
    side: HubSide,
    retargeted: Mapping[Ref, Node],
    *,
    labels: LabelsByNamespace,
) -> tuple[Result, ...]:
    """Return the findings of all checks of one spoke with the rendered nodes `shipped`.

    `sources` has the hub object of each node; `retargeted` has the nodes before overrides. `labels`
    are the declared labels of the spoke's namespaces; others are assumed to have the hub's labels.
    """
    # Objects that spokes have already are known from the hub, except those declared for spokes.
    around = side.hub.with_labels(labels) if labels else side.hub
    spoke = build_spoke_topology(shipped, placed, side.catalogue, around)
    context = SpokeContext(
        **asdict(side),
        shipped=shipped,
        spoke=spoke,
        placed=placed,
        sources=sources,
        retargeted=retargeted,
    )
    return tuple(result for check in CHECKS for result in check(context))
