"""Listeners that conflict: they share a port and have different protocols or equal hostnames.

Gateway API, `Gateway.spec.listeners`: if listeners of one Gateway conflict, none of them wins.
GEP-1713: the listeners of the Gateway precede those of its ListenerSets, and an older ListenerSet
precedes a younger one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from spokerender.kinds.columns import PortSharing
from spokerender.kinds.kind import Role
from spokerender.kinds.merging import Names, Precedence
from spokerender.model import GATEWAY, SECRET
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.authorities import AuthorityFault, find_authority_fault
from spokerender.topology.graph import (
    Topology,
    find_class_controller,
    find_merged_gateways,
    is_merged,
)
from spokerender.topology.node import Listener, Node, is_kind_allowed
from spokerender.topology.precedence import find_orders
from spokerender.topology.taken import (
    NAMELESS,
    PROTOCOL_CONFLICT,
    Contender,
    ListenerConflict,
    MergedPort,
    TakenPort,
    count_crossed,
    find_conflict,
    gather,
    group_by_parent,
    group_by_port,
    list_others,
    refuse_doubles,
    refuse_protocols,
)

_HTTPS = "HTTPS"
CERTIFICATE_KEYS = frozenset({"tls.crt", "tls.key"})
"""The keys of a Secret of type kubernetes.io/tls."""


def find_admitting_gateways(topology: Topology, parent: Node) -> Iterator[Node]:
    """Yield `parent`, if a Gateway, or Gateways that admit it; without `topology.dead` Gateways."""
    if parent.is_gateway and parent.ref not in topology.dead:
        yield parent
    labels = topology.around.labels_of_namespace(parent.ref.namespace)
    for link in parent.references:
        gateway = topology.nodes.get(link.ref.whole)
        is_parent = link.row.role is Role.PARENT and link.ref.whole not in topology.dead
        if gateway is None or not gateway.is_gateway or not is_parent:
            continue
        if gateway.admits_listener_sets.admits(gateway.ref.namespace, parent.ref.namespace, labels):
            yield gateway


@memoised
def find_gateway_listeners(topology: Topology) -> Mapping[Ref, tuple[Contender, ...]]:
    """Return each Gateway's listeners: its own, then those of the ListenerSets that it admits."""
    listeners: dict[Ref, list[Contender]] = {
        ref: [(topology.nodes[ref], listener) for listener in topology.nodes[ref].listeners]
        for ref in topology.gateways
    }
    for node in topology.nodes.values():
        if node.listeners and not node.is_gateway:
            for gateway in find_admitting_gateways(topology, node):
                listeners[gateway.ref] += ((node, listener) for listener in node.listeners)
    return {ref: () if ref in topology.dead else tuple(own) for ref, own in listeners.items()}


@memoised
def find_closed_listeners(topology: Topology) -> frozenset[Ref]:
    """Return the listeners, as sections, that stay closed because of a fault that files show.

    Routes and policies attach to a closed listener, but no request reaches them. The faults
    (Gateway API, `ListenerConditionResolvedRefs`): no ReferenceGrant permits the reference to a
    certificate, no Secret has a certificate, the controller refuses unreadable CA certificates for
    clients, or all allowed kinds of routes are for other protocols (InvalidRouteKinds).
    """
    faults = _find_authority_faults(topology).items()
    refused = {section for section, fault in faults if fault.refuses and fault.is_certain}
    return frozenset(refused).union(
        parent.ref.section(listener.name)
        for gateway, listeners in find_gateway_listeners(topology).items()
        for parent, listener in listeners
        if _lacks_grant(topology, parent, listener)
        or _lacks_certificate(topology, parent, listener)
        or _takes_nothing(topology, topology.nodes[gateway].gateway_class, listener)
    )


@memoised
def find_silent_listeners(topology: Topology) -> frozenset[Ref]:
    """Return the listeners, as sections, that serve no request.

    They are closed, or can't check their clients' certificates (`GatewayTLSConfig.frontend`).
    """
    faults = _find_authority_faults(topology)
    return find_closed_listeners(topology) | {
        section for section, fault in faults.items() if fault.is_certain and not fault.is_partial
    }


@memoised
def find_doubtful_listeners(topology: Topology) -> frozenset[Ref]:
    """Return the listeners that are closed if the spoke lacks CA certificates that no file has."""
    faults = _find_authority_faults(topology).items()
    return frozenset(section for section, fault in faults if not fault.is_certain)


@memoised
def _find_authority_faults(topology: Topology) -> Mapping[Ref, AuthorityFault]:
    """Return the faults in CA certificates for clients of HTTPS listeners, by section."""

    def presence(ref: Ref) -> bool | None:
        return False if topology.is_absent(ref) else topology.find(ref) is not None or None

    faults = {}
    for ref, listeners in find_gateway_listeners(topology).items():
        gateway = topology.nodes[ref]
        controller = find_class_controller(topology, gateway.gateway_class)
        for parent, listener in listeners if gateway.clients else ():
            holders = gateway, parent
            fault = find_authority_fault(topology, controller, holders, listener, presence)
            if fault is not None and listener.protocol == _HTTPS:
                faults[parent.ref.section(listener.name)] = fault
    return faults


def _lacks_grant(topology: Topology, parent: Node, listener: Listener) -> bool:
    place = f"spec.listeners[{listener.index}]."
    return any(
        field.startswith(place) and not topology.permits(parent.ref, referent)
        for referent, field in parent.crossing
    )


def _lacks_certificate(topology: Topology, parent: Node, listener: Listener) -> bool:
    """Return whether none of a listener's Secrets can have the keys of a certificate."""
    return bool(listener.certificates) and all(
        _is_no_certificate(topology, secret) for secret in find_secrets(parent, listener)
    )


def find_secrets(parent: Node, listener: Listener) -> Iterator[Ref]:
    """Yield the Secrets in which a listener has its certificates."""
    for namespace, name in listener.certificates:
        yield Ref(*SECRET, namespace or parent.ref.namespace, name)


def _is_no_certificate(topology: Topology, secret: Ref) -> bool:
    node = topology.find(secret)
    if node is None:
        return topology.is_absent(secret)
    lacks_key = bool(node.keys) and not CERTIFICATE_KEYS.issubset(node.keys)
    return lacks_key or node.is_garbled


def _takes_nothing(topology: Topology, gateway_class: str, listener: Listener) -> bool:
    controller = find_class_controller(topology, gateway_class)
    return bool(listener.kinds) and not any(
        is_kind_allowed(listener, group, kind, controller) for group, kind in listener.kinds
    )


def find_conflicts(topology: Topology) -> tuple[ListenerConflict, ...]:
    """Return the listeners that are or may be refused because of other listeners on their port."""
    closed = find_closed_listeners(topology)
    return find_conflicts_among_sound(
        topology, frozenset((section.whole, section.section_name) for section in closed)
    )


@memoised
def find_refused_listeners(topology: Topology) -> frozenset[tuple[Ref, str]]:
    """Return the listeners that lose a conflict whatever the spoke has, by parent and name.

    A listener whose certificate is in no file may stay closed on the spoke. So it does not win a
    conflict for certain, and loses only to listeners that are certainly opened.
    """
    refused = {_name(item): item for item in find_conflicts(topology) if item.is_certain}
    faults = _find_authority_faults(topology).items()
    open_ones = {section for section, fault in faults if fault.refuses and not fault.is_certain}
    doubtful = {
        (parent.ref, listener.name)
        for listeners in find_gateway_listeners(topology).values()
        if refused
        for parent, listener in listeners
        if parent.ref.section(listener.name) in open_ones
        or _may_lack_certificate(topology, parent, listener)
    }
    if not doubtful:
        return frozenset(refused)
    closed = {(one.whole, one.section_name) for one in find_closed_listeners(topology)}
    rest = find_conflicts_among_sound(topology, frozenset(closed | doubtful))
    still = {_name(item) for item in rest if item.is_certain}
    return frozenset(
        key
        for key, item in refused.items()
        if key in still
        or (
            key in doubtful
            and any((one.whole, one.section_name) not in doubtful for one in item.by)
        )
    )


def _name(conflict: ListenerConflict) -> tuple[Ref, str]:
    return conflict.parent, conflict.listener


def _may_lack_certificate(topology: Topology, parent: Node, listener: Listener) -> bool:
    """Return whether it is uncertain that any of a listener's Secrets has a certificate."""
    return bool(listener.certificates) and not any(
        (topology.find(secret) is not None or secret in topology.around.external)
        and not _is_no_certificate(topology, secret)
        for secret in find_secrets(parent, listener)
    )


def find_sharing(topology: Topology, gateway: Ref) -> PortSharing:
    """Return the rule by which listeners of a Gateway share ports."""
    return find_class_controller(topology, topology.nodes[gateway].gateway_class).sharing


@memoised
def find_conflicts_among_sound(
    topology: Topology, unsound: frozenset[tuple[Ref, str]]
) -> tuple[ListenerConflict, ...]:
    """Return the conflicts between listeners, ignoring `unsound` listeners.

    An unsound listener (parent and name) is refused for a fault of its own. It conflicts with no
    other listener, unless its controller opens the first of several listeners on a port.
    """
    merged = [*_list_merged_ports(topology, unsound)]
    by_listener = {
        (item.parent, item.listener): item for item in _refuse_protocols(topology, merged, unsound)
    }
    out = unsound | by_listener.keys()  # validate.go, protocolConflicted
    for ref, listeners in find_gateway_listeners(topology).items():
        sharing = find_sharing(topology, ref)
        resolve = _resolve_in_order if sharing.first_wins else _resolve
        for on_port in group_by_port(listeners, () if sharing.first_wins else out):
            conflicts = resolve(topology, sharing, ref, on_port)
            by_listener |= {(item.parent, item.listener): item for item in conflicts}
    for port in merged:
        for item in refuse_doubles(port):
            key = item.parent, item.listener
            before, is_gateway = by_listener.get(key), (key[0].group, key[0].kind) == GATEWAY
            if before is None or before.is_nameless:
                by_listener[key] = item
            elif is_gateway or before.reason == PROTOCOL_CONFLICT:
                by_listener[key] = replace(item, earlier=before.reason)
    return tuple(by_listener[key] for key in sorted(by_listener))


def _list_merged_ports(
    topology: Topology, unsound: Collection[tuple[Ref, str]]
) -> Iterator[MergedPort]:
    """Yield the ports on which merged Gateways have several listeners, with the listeners in order.

    Older Gateways come first; of each Gateway, its own listeners come before those of its
    ListenerSets, the older sets first.
    """
    listeners = find_gateway_listeners(topology)
    groups = {
        frozenset(find_merged_gateways(topology, ref))
        for ref in topology.gateways
        if is_merged(topology, ref)
    }
    for gateways in sorted(groups, key=sorted):
        orders = [find_orders(gateways, topology.ages, Precedence(names=Names.PAIR))]
        together: list[Contender] = []
        for ref in orders[0].likely:
            sets = find_orders({node.ref for node, _ in listeners[ref]} - {ref}, topology.ages)
            places = {one: place for place, one in enumerate((ref, *sets.likely))}
            together += sorted(listeners[ref], key=lambda item: places[item[0].ref])
            orders.append(sets)
        equals = [group for each in orders for group in each.groups]
        for on_port in group_by_port(together, unsound):
            own = {node.ref for node, _ in on_port}
            own |= {ref for ref in gateways if own.intersection(n.ref for n, _ in listeners[ref])}
            is_certain = all(len(own.intersection(group)) <= 1 for group in equals)
            yield MergedPort(orders[0].likely, tuple(on_port), is_certain)


def _refuse_protocols(
    topology: Topology, merged: Iterable[MergedPort], unsound: Collection[tuple[Ref, str]]
) -> Iterator[ListenerConflict]:
    """Yield listeners of merged Gateways that are refused because of another listener's protocol.

    The listeners of each Gateway are compared first, then all of them (Envoy Gateway, validate.go).
    """
    listeners = find_gateway_listeners(topology)
    for gateway in sorted({ref for port in merged for ref in port.gateways}):
        for on_port in group_by_port(listeners[gateway], unsound):
            for item in _resolve(topology, find_sharing(topology, gateway), gateway, on_port):
                if item.reason == PROTOCOL_CONFLICT:
                    yield item
    for port in merged:
        yield from refuse_protocols(port, find_sharing(topology, port.gateways[0]))


def _resolve_in_order(
    topology: Topology, sharing: PortSharing, gateway: Ref, on_port: list[Contender]
) -> Iterator[ListenerConflict]:
    """Yield the conflicts on one port, for controllers that open listeners one after another.

    Istio, ComputeGatewayListenerConflicts: the Gateway's listeners, then ListenerSets' by age.
    """
    by_parent = group_by_parent(on_port)
    sets = find_orders(by_parent.keys() - {gateway}, topology.ages)
    sure, unsure = TakenPort(sharing), TakenPort(sharing)
    pairs = count_crossed(sharing, on_port)
    topology.spend(pairs // 100, "comparing the listeners of a port", gateway)
    for group in ((gateway,), *sets.groups):
        opened: list[tuple[Ref, Listener, bool]] = []
        for ref in group:
            own, doubtful, others = (TakenPort(sharing) for _ in range(3))
            for item in sure.list_free(list_others(by_parent, group, ref)):
                others.take(*item)
            # The listeners of one object refuse one another.
            for item in sure.list_free(by_parent.get(ref, ())) if sharing.by_pairs else ():
                is_certain = find_conflict(*item, (unsure, others), ()) is None
                (own if is_certain else doubtful).take(*item)
            for section, listener in by_parent.get(ref, ()):
                conflict = find_conflict(section, listener, (sure, own), (unsure, others, doubtful))
                if conflict is None or not conflict.is_certain:
                    (own if conflict is None else doubtful).take(section, listener)
                    opened.append((section, listener, conflict is None))
                elif _blocks_refused(topology, gateway):
                    own.take(section, listener)
                if conflict is not None:
                    yield conflict
        for section, listener, is_certain in opened:
            (sure if is_certain else unsure).take(section, listener)


def _resolve(
    topology: Topology, sharing: PortSharing, gateway: Ref, on_port: list[Contender]
) -> Iterator[ListenerConflict]:
    """Yield the conflicts on one port: the Gateway takes precedence, then ListenerSets by age."""
    by_parent = group_by_parent(on_port)
    sets = find_orders(by_parent.keys() - {gateway}, topology.ages)
    of_gateway, sure, unsure = TakenPort(sharing), TakenPort(sharing), TakenPort(sharing)
    blocking = _list_doubled(topology, sharing, gateway, by_parent)
    for group in ((gateway,), *sets.groups):
        own, together = gather(sharing, group, by_parent, of_gateway, sure, blocking)
        settled = [
            (*item, find_conflict(*item, (sure, own[ref]), (unsure, together)))
            for ref in group
            for item in by_parent.get(ref, ())
        ]
        for section, listener, conflict in settled:
            # A Gateway's own listeners stay closed in a conflict, and close its ListenerSets'.
            if conflict is None or section.whole == gateway:
                sure.take(section, listener)
            elif not conflict.is_certain:
                unsure.take(section, listener)
            elif listener.protocol in NAMELESS and _blocks_refused(topology, gateway):
                blocking.append((section, listener))
            if conflict is not None:
                yield conflict
        for section, listener in by_parent.get(gateway, ()) if group == (gateway,) else ():
            of_gateway.take(section, listener)


def _blocks_refused(topology: Topology, gateway: Ref) -> bool:
    return find_class_controller(topology, topology.nodes[gateway].gateway_class).refused_block


def _list_doubled(
    topology: Topology,
    sharing: PortSharing,
    gateway: Ref,
    by_parent: Mapping[Ref, list[tuple[Ref, Listener]]],
) -> list[tuple[Ref, Listener]]:
    """Return listeners of one ListenerSet with equal hostnames, if refused ones block others."""
    doubled = []
    for ref, listeners in by_parent.items() if _blocks_refused(topology, gateway) else ():
        names = [(sharing.family(one.protocol), one.hostname) for _, one in listeners]
        doubled += [
            item
            for name, item in zip(names, listeners, strict=True)
            if ref != gateway and names.count(name) > 1
        ]
    return doubled
