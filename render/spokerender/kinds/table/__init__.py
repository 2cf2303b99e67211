"""The table of kinds: one row per kind that anything special is known of.

A new kind, or a quirk of one, is one row in the vendor's module; a new vendor is one module
and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.kinds.controllers import ANY, Controller
from spokerender.kinds.kind import Kind
from spokerender.kinds.table import (
    agentgateway,
    airlock,
    aws,
    azure,
    envoy_ai_gateway,
    envoy_gateway,
    gateway_api,
    gloo,
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
    *envoy_ai_gateway.KINDS,
    *istio.KINDS,
    *nginx.KINDS,
    *kgateway.KINDS,
    *agentgateway.KINDS,
    *gloo.KINDS,
    *airlock.KINDS,
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
    agentgateway.AGENTGATEWAY,
    gloo.GLOO,
    airlock.AIRLOCK,
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


ROWS: Mapping[tuple[str, str], Kind] = {(kind.group, kind.kind): kind for kind in TABLE}
"""The table by group and kind."""


def is_cluster_scoped(group: str, kind: str) -> bool:
    """Whether objects of the kind are in no namespace, as far as the table knows."""
    row = ROWS.get((group, kind))
    return row is not None and not row.namespaced


def list_maps(data: Any) -> Mapping[str, tuple[str, ...]]:  # noqa: ANN401  (JSON of any shape)
    """The lists of an object that are maps, by their places, and the keys of their items."""
    if not isinstance(data, Mapping):
        return {}
    group = str(data.get("apiVersion")).rpartition("/")[0]
    row = ROWS.get((group, str(data.get("kind"))))
    return dict(row.list_maps) if row is not None else {}
