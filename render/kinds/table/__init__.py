"""The table of kinds: one row per kind that anything special is known of.

A new kind, or a quirk of one, is one row in the vendor's module; a new vendor is one module
and one line here.
"""

from __future__ import annotations

from render.kinds.controllers import ANY, Controller
from render.kinds.kind import Kind
from render.kinds.table import (
    aws,
    azure,
    envoy_gateway,
    gateway_api,
    google,
    istio,
    kcp,
    kgateway,
    kuadrant,
    kubernetes,
    neighbours,
    nginx,
)

TABLE: tuple[Kind, ...] = (
    *gateway_api.KINDS,
    *kuadrant.KINDS,
    *envoy_gateway.KINDS,
    *istio.KINDS,
    *nginx.KINDS,
    *kgateway.KINDS,
    *aws.KINDS,
    *azure.KINDS,
    *google.KINDS,
    *neighbours.KINDS,
    *kcp.KINDS,
    *kubernetes.KINDS,
)

CONTROLLERS: tuple[Controller, ...] = (
    kuadrant.KUADRANT,
    envoy_gateway.ENVOY_GATEWAY,
    istio.ISTIO,
    nginx.NGINX,
    kgateway.KGATEWAY,
    kgateway.AGENTGATEWAY,
    kgateway.GLOO,
    aws.LATTICE,
    aws.LOAD_BALANCER,
    azure.ALB,
    google.GOOGLE,
    neighbours.APACHE,
    neighbours.LINKERD_POLICY,
)

_BY_NAME = {name: each for each in CONTROLLERS for name in each.names}
_BY_CLASS = {name: each for each in CONTROLLERS for name in each.classes}


def controller(name: str, gateway_class: str = "") -> Controller:
    """The controller of a name, or of a GatewayClass that it makes itself; ANY if unknown."""
    return _BY_NAME.get(name) or (ANY if name else _BY_CLASS.get(gateway_class, ANY))


_CLUSTER_SCOPED = frozenset((kind.group, kind.kind) for kind in TABLE if not kind.namespaced)


def is_cluster_scoped(group: str, kind: str) -> bool:
    """Whether objects of the kind are in no namespace, as far as the table knows."""
    return (group, kind) in _CLUSTER_SCOPED
