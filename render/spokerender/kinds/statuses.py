"""The status conditions that controllers set when an object is in force."""

from msgspec import Struct

from spokerender.kinds.kind import Kind, Reports
from spokerender.model.refs import GATEWAY_API

_ANCESTORS = frozenset({Reports.ENVOY_GATEWAY, Reports.KGATEWAY, Reports.AGENTGATEWAY})


class Reported(Struct, frozen=True):
    """The conditions that are True if an object is in force.

    They are in `status.conditions`, or with `in_ancestors` in every item of `status.ancestors`.
    `settled` are conditions that are False for a final reason, such as Enforced and Overridden.
    """

    conditions: tuple[str, ...]
    in_ancestors: bool = False
    settled: tuple[tuple[str, str], ...] = ()


_GATEWAY = Reported(("Accepted", "Programmed"))
"""Gateway API, GatewayConditionType."""
_KUADRANT = Reported(("Accepted", "Enforced"), settled=(("Enforced", "Overridden"),))
"""kuadrant-operator ae69881, internal/kuadrant/conditions.go: no ancestors (its CRDs' `status`)."""
_POLICY = Reported(("Accepted",), in_ancestors=True)
"""GEP-713, PolicyStatus."""


def find_reported(kind: Kind) -> Reported | None:
    """Return the conditions that a kind's controller writes, or None if they are unknown."""
    if (kind.group, kind.kind) == (GATEWAY_API, "Gateway"):
        return _GATEWAY
    if not kind.is_policy:
        return None
    if kind.controller.reports is Reports.KUADRANT:
        return _KUADRANT
    # Of other controllers nobody has read that they write it for each policy: Istio, for one, is
    # silent about ingress gateways.
    if kind.group == GATEWAY_API or kind.controller.reports in _ANCESTORS:
        return _POLICY
    return None
