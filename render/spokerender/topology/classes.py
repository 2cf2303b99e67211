"""GatewayClasses whose controller no file names, or whose controller's behavior is not known."""

from typing import Protocol

from spokerender.kinds.kind import Controller
from spokerender.kinds.table import find_controller
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.node import GATEWAY_CLASS, Node


class ClassFinder(Protocol):
    """The question that this module asks a topology."""

    def find(self, ref: Ref) -> Node | None:
        """Return an object; None where no file has it."""


@memoised
def explain_unknown_class(topology: ClassFinder, own: Controller, gateway_class: str) -> str:
    """Return why it is not known whether a class's controller reads some policies; empty if known.

    A vendor's controller may run under a name that an administrator gave it.
    """
    node = topology.find(Ref(*GATEWAY_CLASS, "", gateway_class))
    name = node.controller if node is not None else ""
    # A class without a file is on the spokes alone, as a `downstreamClass` mostly is: a gateway is
    # placed with a class of the controller whose policies follow it.
    if not name or not own.names or find_controller(name).id:
        return ""
    return (
        f"GatewayClass {gateway_class} is of the controller {name}, and whether that carries out "
        f"policies of {own.id} is not known"
    )
