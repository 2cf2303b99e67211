"""What is known of a cluster that was judged: what attaches on it, and what is in force there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from spokerender.judging.attachment.statuses import Attachment
from spokerender.judging.cluster import ClusterObject
from spokerender.judging.effective.outcomes import AttachedPolicy, EffectivePolicy, Programmed
from spokerender.judging.effective.programmed import (
    ReportedCondition,
    find_programmed_by_gateway,
    find_reported,
)
from spokerender.model import Ref
from spokerender.topology.graph import Topology

Objects = Mapping[Ref, ClusterObject]
Conditions = Mapping[tuple[Ref, Ref], Programmed]
Reports = Mapping[tuple[Ref, Ref], tuple[ReportedCondition, ...]]


class InForce(Struct, frozen=True, eq=False, dict=True):
    """What the policies of one kind come to, and what their statuses say of it."""

    policies: tuple[AttachedPolicy, ...]
    found: tuple[EffectivePolicy, ...]

    @cached_property
    def programmed(self) -> Conditions:
        """Whether they are in force, by policy and Gateway."""
        return find_programmed_by_gateway(self.policies, self.found)

    @cached_property
    def reported(self) -> Reports:
        """What the controller says besides, by policy and Gateway."""
        return find_reported(self.policies, self.found, self.programmed)


class Judgement(Struct, frozen=True, eq=False, dict=True):
    """What attaches on a cluster and what is in force there, kind by kind.

    `objects` are the cluster's, by what they are called there.
    """

    topology: Topology
    objects: Objects
    attachments: Mapping[Ref, Attachment]
    in_force: tuple[InForce, ...]

    @cached_property
    def effective(self) -> tuple[EffectivePolicy, ...]:
        """What is in force on each path, sorted by path, then by kind."""
        policies = [item for each in self.in_force for item in each.found]
        return tuple(sorted(policies, key=lambda item: (item.path.order, item.group, item.kind)))

    @cached_property
    def programmed(self) -> Conditions:
        """Whether each policy is in force, by policy and Gateway. Only a status asks."""
        return {key: of for each in self.in_force for key, of in each.programmed.items()}

    @cached_property
    def reported(self) -> Reports:
        """What the controllers say besides, by policy and Gateway."""
        return {key: of for each in self.in_force for key, of in each.reported.items()}
