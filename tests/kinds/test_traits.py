"""Which kinds of the table decide who may call."""

from spokerender.kinds.table import all_rows, is_cluster_scoped

TABLE = tuple(all_rows().values())

BY_ANY_RULE = {
    ("extensions.kuadrant.io", "OIDCPolicy"),
    ("application-networking.k8s.aws", "IAMAuthPolicy"),
    ("networking.gke.io", "GCPAuthzPolicy"),
}
"""Kinds that are about nothing else."""
OPTIONS = {
    f"options.{name}" for name in ("extauth", "jwt", "jwtProvidersStaged", "jwtStaged", "rbac")
}
"""Gloo's (projects/gloo/api/v1/options.proto)."""
BY_FIELDS = {
    ("agentgateway.dev", "AgentgatewayPolicy"): {
        "backend.mcp.authentication",
        "backend.mcp.authorization",
        "traffic.apiKeyAuthentication",
        "traffic.authorization",
        "traffic.basicAuthentication",
        "traffic.extAuth",
        "traffic.jwtAuthentication",
    },
    # All of its fields but the targets, mergeType and cors (SecurityPolicySpec).
    ("gateway.envoyproxy.io", "SecurityPolicy"): {
        "apiKeyAuth",
        "authorization",
        "basicAuth",
        "extAuth",
        "jwt",
        "oidc",
    },
    ("gateway.kgateway.dev", "TrafficPolicy"): {
        "acl",
        "apiKeyAuth",
        "basicAuth",
        "extAuth",
        "httpACL",
        "jwt",
        "jwtAuth",
        "oauth2",
        "oidc",
        "rbac",
    },
    # Its three ways to authenticate (AuthType).
    ("gateway.nginx.org", "AuthenticationFilter"): {"basic", "jwt", "oidc"},
    ("traefik.io", "Middleware"): {
        "basicAuth",
        "digestAuth",
        "forwardAuth",
        "ipAllowList",
        "ipWhiteList",
    },
    ("gateway.k8s.aws", "ListenerRuleConfiguration"): {
        "actions.authenticate-cognito",
        "actions.authenticate-oidc",
        "actions.jwt-validation",
    },
    ("gateway.solo.io", "RouteOption"): OPTIONS,
    ("gateway.solo.io", "VirtualHostOption"): OPTIONS,
    ("kuadrant.io", "AuthPolicy"): {"rules.authentication", "rules.authorization"},
    ("microgateway.airlock.com", "AccessControlPolicy"): {"policies"},
    ("security.istio.io", "AuthorizationPolicy"): {"*", "rules"},
}


def test_the_guards() -> None:
    guards = {(row.group, row.kind): row.traits.guarding for row in TABLE if row.traits.guards}
    assert {identity for identity, parts in guards.items() if not parts} == BY_ANY_RULE
    found = {
        identity: {part.field for part in parts} for identity, parts in guards.items() if parts
    }
    plugins = found.pop(("apisix.apache.org", "PluginConfig"))
    assert plugins >= {f"plugins.{name}" for name in ("key-auth", "openid-connect", "opa")}
    for kind in ("KongPlugin", "KongClusterPlugin"):
        plugins = found.pop(("configuration.konghq.com", kind))
        assert plugins >= {"key-auth", "openid-connect", "acl"}
        assert is_cluster_scoped("configuration.konghq.com", kind) is (kind == "KongClusterPlugin")
    assert found == BY_FIELDS


def test_a_guard_is_a_security_kind_that_a_path_to_a_route_can_have() -> None:
    for row in TABLE:
        if row.traits.guards:
            assert row.security
            assert "Gateway" in row.targets or row.routes
