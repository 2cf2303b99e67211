"""The typed graph Gateway > ListenerSet > route > rule, with policies on their targets.

The same builder serves the hub and each spoke: a spoke is a smaller hub. It takes nodes,
not manifests: a node is what the graph needs to know of an object and nothing else, it is
compared by value, and two objects that hang together alike have equal nodes.
"""

from __future__ import annotations

from spokerender.topology.doors import KeptOut, doors, kept_out, parents_of, why_detached
from spokerender.topology.equals import equal_routes
from spokerender.topology.gateways import (
    Refused,
    controller_of,
    gateways_of,
    has_a_say,
    listeners_meant,
    listeners_of,
    listening,
    refused_listeners,
)
from spokerender.topology.graph import Topology
from spokerender.topology.guards import Attached, Guards, Obstacle, guards, obstacle
from spokerender.topology.hostnames import intersects, is_within
from spokerender.topology.node import (
    GATEWAY,
    GATEWAY_CLASS,
    PARENTS,
    Admission,
    Listener,
    Node,
    rule_sections,
)
from spokerender.topology.paths import RequestPath
from spokerender.topology.reading import node, spoke_topology
from spokerender.topology.requests import backend_paths, filters_of, listener_paths, rule_paths

__all__ = [
    "GATEWAY",
    "GATEWAY_CLASS",
    "PARENTS",
    "Admission",
    "Attached",
    "Guards",
    "KeptOut",
    "Listener",
    "Node",
    "Obstacle",
    "Refused",
    "RequestPath",
    "Topology",
    "backend_paths",
    "controller_of",
    "doors",
    "equal_routes",
    "filters_of",
    "gateways_of",
    "guards",
    "has_a_say",
    "intersects",
    "is_within",
    "kept_out",
    "listener_paths",
    "listeners_meant",
    "listeners_of",
    "listening",
    "node",
    "obstacle",
    "parents_of",
    "refused_listeners",
    "rule_paths",
    "rule_sections",
    "spoke_topology",
    "why_detached",
]
