"""Listeners: which of them there are at all, and which routes each of them takes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from spokerender.kinds.controllers import ANY, Controller
from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import find_row, gateway_api_rows
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import Listening
from spokerender.topology.node import Listener, Node
from spokerender.topology.precedence import orders

_TLS = "TLS"
_TOGETHER = {"HTTPS": "TLS"}
"""Protocols of which listeners of one port may be, by what they are told apart as (SNI)."""
_DATAGRAMS = "UDP"


@cache
def _protocols() -> frozenset[str]:
    """Return the protocols that the Gateway API defines routes for (`ProtocolType`)."""
    return frozenset(protocol for kind in gateway_api_rows() for protocol in kind.protocols)


def gateways_of(topology: Topology, parent: Node, namespaces: Topology) -> Iterator[Node]:
    """The gateway itself, or the one that admits the ListenerSet (GEP-1713)."""
    if parent.is_gateway:
        yield parent
        return
    labels = namespaces.labels_of_namespace(parent.ref.namespace)
    for link in parent.references:
        gateway = topology.nodes.get(link.ref.whole)
        if gateway is None or not gateway.is_gateway or link.row.role is not Role.PARENT:
            continue
        if gateway.admits_listener_sets.admits(gateway.ref.namespace, parent.ref.namespace, labels):
            yield gateway


class Refused(Struct, frozen=True):
    """A listener of a ListenerSet that is refused because another one is there before it."""

    parent: Ref
    listener: str
    by: Ref
    reason: str


@memoised
def refused_listeners(topology: Topology, namespaces: Topology) -> tuple[Refused, ...]:
    """The listeners of ListenerSets that are not distinct from those before them (GEP-1713).

    The Gateway's own come first, then those of the oldest ListenerSet. One that has the port of
    another with another protocol (ProtocolConflict), or with its protocol and hostname
    (HostnameConflict), is Conflicted: its port is not opened for it.
    """
    sets: dict[Ref, list[Node]] = {}
    for node in topology.nodes.values():
        if node.listeners and not node.is_gateway:
            for gateway in gateways_of(topology, node, namespaces):
                sets.setdefault(gateway.ref, []).append(node)
    refused = (each for ref, own in sets.items() for each in _refused(topology, ref, own))
    return tuple(sorted(refused, key=lambda each: (each.parent, each.listener)))


def _refused(topology: Topology, gateway: Ref, sets: list[Node]) -> Iterator[Refused]:
    held = [(gateway, listener) for listener in topology.nodes[gateway].listeners]
    for ref in orders((node.ref for node in sets), topology.ages).likely:
        for listener in topology.nodes[ref].listeners:
            rival = next(((by, why) for by, one in held if (why := _clash(one, listener))), None)
            if rival is None:
                held.append((ref, listener))
            else:
                yield Refused(ref, listener.name, *rival)


def _clash(one: Listener, other: Listener) -> str:
    """Why two listeners of one Gateway can't both be; a port that nobody declared may be any."""
    if one.port != other.port or one.port == "":
        return ""
    protocols = {_TOGETHER.get(each.protocol, each.protocol) for each in (one, other)}
    if len(protocols) > 1:
        return "" if _DATAGRAMS in protocols else "ProtocolConflict"
    return "HostnameConflict" if one.hostname == other.hostname else ""


def listeners_of(topology: Topology, parent: Node, namespaces: Topology) -> Iterator[Listener]:
    """The listeners of a Gateway or ListenerSet that are opened."""
    refused = {
        each.listener
        for each in refused_listeners(topology, namespaces)
        if each.parent == parent.ref
    }
    yield from (listener for listener in parent.listeners if listener.name not in refused)


@memoised
def listening(topology: Topology, parent: Ref) -> Listening:
    """The hostnames of a parent's listeners, to be looked up by those of routes."""
    return Listening(listener.hostname for listener in topology.nodes[parent].listeners)


def listeners_meant(parent: Node, link: Reference) -> Iterator[Listener]:
    """The listeners that a parent reference means (Gateway API, `sectionName` and `port`).

    A listener without a port is one that a placement declares; it may be on any.
    """
    for listener in parent.listeners:
        has_name = not link.sections or listener.name in link.sections
        if has_name and (link.port is None or listener.port in ("", link.port)):
            yield listener


def admits(parent: Node, listener: Listener, route: Node, namespaces: Topology) -> bool:
    """Whether a listener takes routes of that namespace (`allowedRoutes`)."""
    labels = namespaces.labels_of_namespace(route.ref.namespace)
    return listener.routes.admits(parent.ref.namespace, route.ref.namespace, labels)


def takes(listener: Listener, group: str, kind: str, controller: Controller = ANY) -> bool:
    """Whether a listener takes a kind: one that its protocol allows, of those that it lists.

    What is allowed under a protocol, or for a kind, of which the Gateway API says nothing is the
    implementation's affair; so is which routes a TLS listener takes in which mode.
    """
    if listener.kinds and (group, kind) not in listener.kinds:
        return False
    row = find_row(group, kind)
    if row is None or not row.protocols or listener.protocol not in _protocols():
        return True
    if listener.protocol not in row.protocols:
        return False
    modes = dict(controller.tls_listener) if listener.protocol == _TLS else {}
    return kind in modes.get(listener.tls_mode, (kind,))
