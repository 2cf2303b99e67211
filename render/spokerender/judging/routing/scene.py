"""The input for judging routes and listeners: the objects that a cluster has or may have."""

from collections.abc import Container, Mapping
from typing import Any

from msgspec import Struct

from spokerender.judging.attachment.statuses import Attachment, Elsewhere, HoldsRule, Truth
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Controller
from spokerender.kinds.routing import RoutingRules
from spokerender.model import Ref
from spokerender.model.refs import DataByRef
from spokerender.model.shapes import as_mapping
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.node import Node


class Scene(Struct, frozen=True, eq=False, dict=True):
    """A cluster whose routes and listeners are judged.

    `objects` are the objects in the cluster's files. `hub` are the hub's objects: the cluster needs
    some that are not rendered. `unseen` contains the objects that may exist though no file has
    them. `holds` evaluates CEL rules. `catalogue` has the kinds and the declared controllers.
    """

    topology: Topology
    objects: DataByRef
    hub: DataByRef
    unseen: Container[Ref]
    attachments: Mapping[Ref, Attachment]
    holds: HoldsRule
    catalogue: Catalogue

    def read(self, ref: Ref) -> Mapping[str, Any]:
        """Return an object in the cluster's or the hub's files; empty if no file has it."""
        return self.objects.get(ref) or self.hub.get(ref) or {}

    def spec(self, ref: Ref) -> Mapping[str, Any]:
        """Return the `spec` of an object in files; empty if no file has the object."""
        return as_mapping(self.read(ref).get("spec"))

    def presence(self, ref: Ref) -> Truth:
        """Return whether an object exists in the files of the cluster or of the hub."""
        is_declared = isinstance(self.unseen, Elsewhere) and bool(self.unseen.entries_of(ref))
        if self.topology.find(ref) is not None or is_declared:
            return Truth.TRUE
        return Truth.UNKNOWN if ref in self.unseen else Truth.FALSE

    def is_there(self, ref: Ref) -> bool | None:
        """Return whether an object exists; None if files can't tell."""
        presence = self.presence(ref)
        return None if presence is Truth.UNKNOWN else presence is Truth.TRUE

    def controller(self, gateway: Node) -> Controller:
        """Return the controller of a Gateway; an unknown one if no file names it."""
        return find_class_controller(self.topology, gateway.gateway_class)

    def rules(self, gateway: Node) -> RoutingRules | None:
        """Return the rules of a Gateway's controller; None if they are not known."""
        return self.controller(gateway).routing
