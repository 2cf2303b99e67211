"""The table of kinds: one row per kind that anything special is known of.

A new kind, or a quirk of one, is one row in the vendor's module; a new vendor is one module
and one line here.
"""

from __future__ import annotations

from render.kinds.kind import Kind
from render.kinds.table import (
    clouds,
    envoy_gateway,
    gateway_api,
    istio,
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
    *clouds.KINDS,
    *neighbours.KINDS,
    *kubernetes.KINDS,
)

_CLUSTER_SCOPED = frozenset((kind.group, kind.kind) for kind in TABLE if not kind.namespaced)


def is_cluster_scoped(group: str, kind: str) -> bool:
    """Whether objects of the kind are in no namespace, as far as the table knows."""
    return (group, kind) in _CLUSTER_SCOPED
