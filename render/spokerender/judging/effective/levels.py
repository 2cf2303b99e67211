"""The levels of a path: what of them is above all routes, and what stands for a whole namespace."""

from __future__ import annotations

from spokerender.model import Ref
from spokerender.topology.node import PARENTS

NAMESPACE = ("", "Namespace")


def is_above_routes(target: Ref) -> bool:
    """Whether a level is one of gateways and their listeners, or of a namespace of them."""
    return (target.group, target.kind) in PARENTS or target.kind in ("GatewayClass", "Namespace")
