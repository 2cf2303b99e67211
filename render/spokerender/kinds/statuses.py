"""The status conditions that controllers set on an object that is effective."""

from msgspec import Struct

from spokerender.kinds.kind import Kind, Reports
from spokerender.model import GATEWAY
from spokerender.model.refs import GATEWAY_API

_ANCESTORS = frozenset({Reports.ENVOY_GATEWAY, Reports.KGATEWAY, Reports.AGENTGATEWAY})


class Reported(Struct, frozen=True):
    """The conditions that are True if an object is effective.

    They are in `status.conditions`, or if `in_ancestors` in every item of `status.ancestors`.
    `settled` are pairs of condition and reason for which the value False is final.
    """

    conditions: tuple[str, ...]
    in_ancestors: bool = False
    settled: tuple[tuple[str, str], ...] = ()


_GATEWAY = Reported(("Accepted", "Programmed"))
"""Source: Gateway API, GatewayConditionType."""
_KUADRANT = Reported(("Accepted", "Enforced"), settled=(("Enforced", "Overridden"),))
"""kuadrant-operator ae69881, internal/kuadrant/conditions.go: no ancestors (its CRDs' `status`)."""
_POLICY = Reported(("Accepted",), in_ancestors=True)
"""Source: GEP-713, PolicyStatus."""


def find_reported(kind: Kind) -> Reported | None:
    """Return the conditions that a kind's controller writes; None if they are unknown."""
    if (kind.group, kind.kind) == GATEWAY:
        return _GATEWAY
    if not kind.is_policy:
        return None
    if kind.controller.reports is Reports.KUADRANT:
        return _KUADRANT
    # Nobody knows whether other controllers write conditions for each policy: Istio, for example,
    # writes none for ingress gateways.
    if kind.group == GATEWAY_API or kind.controller.reports in _ANCESTORS:
        return _POLICY
    return None
