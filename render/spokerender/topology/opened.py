"""Listeners that are not opened for a fault of their own: no request comes through them.

A route is attached to such a listener all the same, and policies are accepted there.
"""

from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.admission import is_kind_allowed
from spokerender.topology.conflicts import find_gateway_listeners
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.node import Listener, Node


@memoised
def find_closed_listeners(topology: Topology) -> frozenset[Ref]:
    """Return the listeners, as sections, that files show not to be opened.

    One of their certificates is in a namespace that no ReferenceGrant opens to them
    (RefNotPermitted), or all kinds of routes that they allow are for other protocols
    (InvalidRouteKinds; Gateway API, `ListenerConditionResolvedRefs`).
    """
    return frozenset(
        parent.ref.section(listener.name)
        for gateway, listeners in find_gateway_listeners(topology).items()
        for parent, listener in listeners
        if _lacks_grant(topology, parent, listener)
        or _takes_nothing(topology, topology.nodes[gateway].gateway_class, listener)
    )


def _lacks_grant(topology: Topology, parent: Node, listener: Listener) -> bool:
    place = f"spec.listeners[{listener.index}]."
    return any(
        field.startswith(place) and not topology.permits(parent.ref, referent)
        for referent, field in parent.crossing
    )


def _takes_nothing(topology: Topology, gateway_class: str, listener: Listener) -> bool:
    controller = find_class_controller(topology, gateway_class)
    return bool(listener.kinds) and not any(
        is_kind_allowed(listener, group, kind, controller) for group, kind in listener.kinds
    )
