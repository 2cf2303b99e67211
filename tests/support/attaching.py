"""The attachment of policies on a topology, without a cluster around it."""

from collections.abc import Container, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from spokerender.judging.attachment.attach import Attacher, find_reach
from spokerender.judging.attachment.case import Surroundings
from spokerender.judging.attachment.crd_rules import index_definitions
from spokerender.judging.attachment.demands import holds_rule
from spokerender.judging.attachment.statuses import Attachment, Elsewhere, HoldsRule, Subject
from spokerender.model import Ref
from spokerender.topology.graph import Topology
from spokerender.topology.precedence import Ages

NOTHING: Mapping[Any, Any] = MappingProxyType({})


def attach(  # noqa: PLR0913  (as many things as an attachment depends on; all but two are named)
    topology: Topology,
    subjects: Iterable[Subject],
    *,
    ages: Ages = NOTHING,
    namespaces: Topology | None = None,
    refused: Mapping[Ref, str] = NOTHING,
    unseen: Container[Ref] = Elsewhere(),
    objects: Mapping[Ref, Mapping[str, Any]] = NOTHING,
    crds: Iterable[Mapping[str, Any]] = (),
    holds: HoldsRule = holds_rule,
) -> tuple[Attachment, ...]:
    """The attachment of every policy of one topology, sorted by policy."""
    if namespaces is not None:
        topology = Topology(topology.nodes.values(), namespaces)
    around = Surroundings(
        topology, find_reach(topology), objects, unseen, index_definitions(crds), holds
    )
    return Attacher(around).attach(subjects, ages, refused)
