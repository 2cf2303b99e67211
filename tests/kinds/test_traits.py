"""Which kinds of the table decide who may call."""

from __future__ import annotations

from render.kinds.table import TABLE

BY_ANY_RULE = {
    ("kuadrant.io", "AuthPolicy"),
    ("extensions.kuadrant.io", "OIDCPolicy"),
    ("security.istio.io", "AuthorizationPolicy"),
    ("application-networking.k8s.aws", "IAMAuthPolicy"),
    ("networking.gke.io", "GCPAuthzPolicy"),
}
"""Kinds that are about nothing else."""


def test_the_guards() -> None:
    guards = {(row.group, row.kind): row.traits.guarding for row in TABLE if row.traits.guards}
    # Envoy Gateway, SecurityPolicySpec: all of its fields but the targets, mergeType and cors.
    fields = {"apiKeyAuth", "authorization", "basicAuth", "extAuth", "jwt", "oidc"}
    assert set(guards.pop(("gateway.envoyproxy.io", "SecurityPolicy"))) == fields
    assert guards == dict.fromkeys(BY_ANY_RULE, ())


def test_a_guard_is_a_security_kind_that_a_path_to_a_route_can_have() -> None:
    for row in TABLE:
        if row.traits.guards:
            assert row.security
            assert "Gateway" in row.targets
