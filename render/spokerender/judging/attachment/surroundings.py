"""What is around policies: gateways, what requests reach through them, and what else may be."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from msgspec import Struct, field

from spokerender.judging.attachment.definitions import Definition
from spokerender.kinds.controllers import Controller
from spokerender.kinds.kind import Kind
from spokerender.kinds.table import find_row
from spokerender.model import Ref
from spokerender.topology.classes import controller_of, has_a_say
from spokerender.topology.graph import Topology
from spokerender.topology.node import PARENTS


class Elsewhere(Struct, frozen=True):
    """What a cluster may have though no file tells of it: everything but gateways and routes.

    Gateways, ListenerSets and routes that are not among the objects are not there, unless they
    are declared to be (`external`). Labels of external ones are in no file either.
    """

    external: frozenset[Ref] = frozenset()

    def __contains__(self, ref: object) -> bool:
        """Whether an object that is not among the files may be there all the same."""
        if not isinstance(ref, Ref):
            return False
        if ref.whole in self.external:
            return True
        row = find_row(ref.group, ref.kind)
        return (ref.group, ref.kind) not in PARENTS and not (row is not None and row.is_route)


class Surroundings(Struct, frozen=True, eq=False):
    """All that is around the policies of one topology.

    `reach` tells which gateways requests to a target come through. `objects` are those whose
    content is looked at: Services, for their ports, and ConfigMaps. `unseen` has what may be there
    though it is not in the topology. `defined` are the CRDs that are known. `namespaces` is the
    topology that has the Namespaces, and perhaps GatewayClasses, if it is another one. `existing`
    are the gateways that the cluster has of its own: their labels are in no file.
    """

    topology: Topology
    reach: Mapping[Ref, frozenset[Ref]]
    objects: Mapping[Ref, Mapping[str, Any]]
    unseen: Container[Ref]
    defined: Mapping[tuple[str, str], Definition]
    namespaces: Topology | None = None
    existing: frozenset[Ref] = frozenset()
    _why_foreign: dict[tuple[str, str, Ref], str] = field(default_factory=dict)

    def controller(self, gateway: Ref) -> Controller:
        """The controller of a Gateway, as far as files tell."""
        return controller_of(self.topology, self._class_of(gateway), self.namespaces)

    def looks_at(self, kind: Kind, gateway: Ref) -> bool:
        """Whether the controller of a kind has a say in what a Gateway does."""
        gateway_class = self._class_of(gateway)
        return has_a_say(kind.controller, self.topology, gateway_class, self.namespaces)

    def _class_of(self, gateway: Ref) -> str:
        node = self.topology.nodes.get(gateway)
        return node.gateway_class if node is not None else ""

    def reached(self, ref: Ref) -> frozenset[Ref]:
        """The Gateways of a target; those of the whole where a section is a port."""
        return self.reach.get(ref, self.reach.get(ref.whole, frozenset()))

    def foreign(self, kind: Kind, ref: Ref) -> str:
        """Why the controller of a kind does not look at a target; empty where it does, or may."""
        key = kind.group, kind.kind, ref
        if key not in self._why_foreign:
            self._why_foreign[key] = self._foreign(kind, ref)
        return self._why_foreign[key]

    def _foreign(self, kind: Kind, ref: Ref) -> str:
        gateways = sorted(self.reached(ref))
        if not gateways or any(self.looks_at(kind, gateway) for gateway in gateways):
            return ""
        gateway, own = gateways[0], kind.controller.id
        return f"{gateway} is {self.controller(gateway).id}'s, and {own} looks at its own alone"

    @property
    def unlabelled(self) -> frozenset[Ref]:
        """What is or may be there with labels that nobody can tell of."""
        external = self.unseen.external if isinstance(self.unseen, Elsewhere) else frozenset()
        return self.existing | (external - self.topology.nodes.keys())
