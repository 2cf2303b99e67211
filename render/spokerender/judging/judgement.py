"""The result of judging a cluster, as values: attachments and effective policies."""

from collections.abc import Callable, Mapping
from functools import cached_property

from msgspec import Struct

from spokerender.judging.attachment.statuses import Attachment, StatusEntry
from spokerender.judging.cluster import ClusterObject
from spokerender.judging.effective.outcomes import AttachedPolicy, EffectivePolicy, Programmed
from spokerender.judging.effective.programmed import (
    CountedPaths,
    ReportedCondition,
    find_controller_conditions,
    find_programmed_by_gateway,
)
from spokerender.judging.routing.values import RoutingFaults
from spokerender.kinds.kind import Kind
from spokerender.model import Ref
from spokerender.topology.graph import Topology

Objects = Mapping[Ref, ClusterObject]
Conditions = Mapping[tuple[Ref, Ref], Programmed]
_Reports = Mapping[tuple[Ref, Ref], tuple[ReportedCondition, ...]]


class KindInForce(Struct, frozen=True, eq=False, dict=True):
    """The effective policies of one kind, and the conditions that result from them."""

    policies: tuple[AttachedPolicy, ...]
    effective: tuple[EffectivePolicy, ...]

    @property
    def row(self) -> Kind:
        """The row of the kind under which the policies are merged."""
        return self.policies[0].row

    @cached_property
    def programmed(self) -> Conditions:
        """The condition `Programmed`, by policy and Gateway."""
        return find_programmed_by_gateway(self.policies, self.effective)

    def report(self, counted: CountedPaths | None) -> _Reports:
        """Return the controller's own conditions, by policy and Gateway.

        `counted` are the effective policies on the paths that matter for them; None: on all paths.
        """
        return find_controller_conditions(self.policies, self.effective, self.programmed, counted)


class Judgement(Struct, frozen=True, eq=False, dict=True):
    """A judged cluster: its objects, attachments of policies, and effective policies by kind."""

    topology: Topology
    objects: Objects
    attachments: Mapping[Ref, Attachment]
    in_force: tuple[KindInForce, ...]
    write_entries: Callable[[], Mapping[Ref, tuple[StatusEntry, ...]]]
    find_faults: Callable[[], RoutingFaults]
    count: Callable[[], Mapping[Kind, CountedPaths]]

    @cached_property
    def entries(self) -> Mapping[Ref, tuple[StatusEntry, ...]]:
        """The status entries of policies whose controller judges each target separately."""
        return self.write_entries()

    @cached_property
    def faults(self) -> RoutingFaults:
        """The parts of route rules that certainly fail, and the listeners with a fault."""
        return self.find_faults()

    @cached_property
    def effective(self) -> tuple[EffectivePolicy, ...]:
        """The effective policies, sorted by path, then by kind."""
        policies = [item for kind in self.in_force for item in kind.effective]
        return tuple(sorted(policies, key=lambda item: (item.path.order, item.group, item.kind)))

    @cached_property
    def programmed(self) -> Conditions:
        """The condition `Programmed`, by policy and Gateway."""
        return {key: item for kind in self.in_force for key, item in kind.programmed.items()}

    @cached_property
    def counted(self) -> Mapping[Kind, CountedPaths]:
        """The effective policies on the paths in the conditions of Kuadrant's operator, by kind."""
        return self.count()

    @cached_property
    def reported(self) -> _Reports:
        """The controllers' own conditions, by policy and Gateway."""
        return {
            key: item
            for kind in self.in_force
            for key, item in kind.report(self.counted.get(kind.row)).items()
        }
