"""Which kinds of the table decide who may call."""

from spokerender.kinds.table import all_rows, is_cluster_scoped
from tests.support import rows_of

TABLE = tuple(all_rows().values())

BY_ANY_RULE = {
    ("extensions.kuadrant.io", "OIDCPolicy"),
    ("application-networking.k8s.aws", "IAMAuthPolicy"),
    ("networking.gke.io", "GCPAuthzPolicy"),
}
"""Kinds that are about nothing else."""
BY_FIELDS = rows_of(__file__, "by_fields")


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
    assert {" ".join(identity): sorted(fields) for identity, fields in found.items()} == BY_FIELDS


def test_a_guard_is_a_security_kind_that_a_path_to_a_route_can_have() -> None:
    for row in TABLE:
        if row.traits.guards:
            assert row.security
            assert "Gateway" in row.targets or row.routes
