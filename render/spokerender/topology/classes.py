"""GatewayClasses whose controller is named in no file, or behaves in an unknown way."""

from typing import Protocol

from spokerender.kinds.kind import Controller
from spokerender.kinds.table import find_controller
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.node import GATEWAY_CLASS, Node


class ClassFinder(Protocol):
    """The method of a topology that this module needs."""

    def find(self, ref: Ref) -> Node | None:
        """Return an object of the files; None if no file has it."""


@memoised
def explain_unknown_class(topology: ClassFinder, own: Controller, gateway_class: str) -> str:
    """Return why it is unknown whether policies of `own` affect Gateways of a class; else empty.

    A vendor's controller may run under a name that an administrator gave it.
    """
    node = topology.find(Ref(*GATEWAY_CLASS, "", gateway_class))
    name = node.controller if node is not None else ""
    # A class without a file exists only on the spokes, such as most `downstreamClass`es: the
    # gateway is assumed to be of the controller whose policies follow it.
    if not name or not own.names or find_controller(name).id:
        return ""
    return (
        f"GatewayClass {gateway_class} is of the controller {name}, and whether that carries out "
        f"policies of {own.id} is not known"
    )
