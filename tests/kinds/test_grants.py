"""ReferenceGrants (GEP-709)."""

from spokerender.kinds.reference import read_grant
from spokerender.model import GATEWAY_API, Ref

GATEWAY = Ref(GATEWAY_API, "Gateway", "infra", "web")
SECRET = Ref("", "Secret", "certs", "web-tls")
FROM = {"group": GATEWAY_API, "kind": "Gateway", "namespace": "infra"}
TO = {"group": "", "kind": "Secret"}


def permits(sources: object, targets: object, referrer: Ref, referent: Ref) -> bool:
    return read_grant({"spec": {"from": sources, "to": targets}}, "certs").permits(
        referrer, referent
    )


def test_any_of_from_and_any_of_to() -> None:
    other = {"group": "example.com", "kind": "Other", "namespace": "infra"}
    assert permits([other, FROM], [{"group": "", "kind": "ConfigMap"}, TO], GATEWAY, SECRET)
    assert not permits([other], [TO], GATEWAY, SECRET)
    assert not permits([FROM], [], GATEWAY, SECRET)


def test_group_kind_and_namespace_have_to_match() -> None:
    assert not permits([{**FROM, "namespace": "edge"}], [TO], GATEWAY, SECRET)
    assert not permits([{**FROM, "kind": "HTTPRoute"}], [TO], GATEWAY, SECRET)
    assert not permits([FROM], [{**TO, "group": "example.com"}], GATEWAY, SECRET)
    assert not permits([FROM], [TO], GATEWAY, Ref("", "Secret", "infra", "web-tls"))


def test_a_name_narrows_and_an_empty_one_does_not() -> None:
    assert permits([FROM], [{**TO, "name": "web-tls"}], GATEWAY, SECRET)
    assert permits([FROM], [{**TO, "name": ""}], GATEWAY, SECRET)
    assert not permits([FROM], [{**TO, "name": "other"}], GATEWAY, SECRET)


def test_odd_entries_grant_nothing() -> None:
    assert not permits([5, {"group": [], "kind": "Gateway"}], [TO], GATEWAY, SECRET)
    assert not permits("all", {"kind": "Secret"}, GATEWAY, SECRET)
