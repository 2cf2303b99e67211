"""Routes of a controller that asks all listeners of a parent for some things (Cilium v1.20.2)."""

from spokerender.judging.attachment.statuses import Condition
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import make_false
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import find_row
from spokerender.topology.admission import find_named_listeners
from spokerender.topology.hostnames import intersects
from spokerender.topology.node import Listener, Node

_WITHOUT_HOSTNAMES = ("TCPRoute", "UDPRoute")


def may_be_read(scene: Scene, parent: Node) -> bool:
    """Return whether a route is judged on a parent that is not admitted, if it has others."""
    above = (scene.topology.nodes.get(link.ref.whole) for link in parent.references)
    nodes = (parent,) if parent.is_gateway else above
    rules = (scene.rules(node) for node in nodes if node is not None)
    return any(each is not None and each.staged for each in rules)


def refuse_in_stages(scene: Scene, parent: Node, route: Node, link: Reference) -> Condition | None:
    """Return `Accepted` of a route that Cilium refuses (routechecks/gateway_checks.go)."""
    every, named = parent.listeners, (*find_named_listeners(parent, link),)
    row = find_row(route.ref.group, route.ref.kind)
    protocols = {*(row.protocols if row is not None else ())}
    protocols -= {"TLS"} if route.ref.kind != "TLSRoute" else set()
    kind, names = (route.ref.group, route.ref.kind), route.hostnames
    labels = scene.topology.around.labels_of_namespace(route.ref.namespace)
    serving = [one for one in named if _serves(one, route)]
    admitting = [
        one
        for one in serving
        if one.routes.admits(parent.ref.namespace, route.ref.namespace, labels)
    ]
    has_kind = not named or any(not one.kinds or kind in one.kinds for one in named)
    has_port = link.port is None or any(one.port == link.port for one in every)
    has_section = not link.sections or any(one.name in link.sections for one in every)
    stages = (
        (any(one.protocol in protocols for one in every) and has_kind, "NotAllowedByListeners"),
        (has_port, "NoMatchingParent"),
        (any(_serves(one, route) for one in every), "NoMatchingListenerHostname"),
        (has_section, "NoMatchingParent"),
        (admitting or not serving, "NotAllowedByListeners"),
    )
    reason = next((reason for is_met, reason in stages if not is_met), None)
    why = f"{parent.ref} refuses it" if not names else f"{parent.ref} refuses {', '.join(names)}"
    return make_false("Accepted", reason, why) if reason is not None else None


def _serves(listener: Listener, route: Node) -> bool:
    names = () if route.ref.kind in _WITHOUT_HOSTNAMES else route.hostnames
    return not names or any(intersects(listener.hostname, name) for name in names)
