"""ReferenceGrants follow the gateways that they are given to, and are never invented."""

from typing import Any

from spokerender.rendering.values.rendered import Rendered
from tests.support import cases, each, manifest, rows_of
from tests.support.stages import (
    CLASS,
    EVERYWHERE,
    GATEWAY,
    auth,
    everywhere,
    gateway,
    objects,
    render,
    told,
)

GATEWAYS = "{group: gateway.networking.k8s.io, kind: Gateway, namespace: infra}"
SECRETS = '{group: "", kind: Secret}'
MOVED = everywhere("{name: edge, namespace: gw}")


def grant(from_: str, to: str = SECRETS, namespace: str = "certs") -> str:
    place = f", namespace: {namespace}" if namespace else ""
    return manifest(f"ReferenceGrant g{place}", f"from: [{from_}], to: [{to}]")


def made(found: Rendered, name: str = "certs/g", spoke: str = "eu") -> Any:
    return objects(found, spoke)[f"ReferenceGrant {name}"]["spec"]


def reason(found: Rendered) -> list[str]:
    return [r.message for r in found.results if r.code == "SR1501" and r.resource
            and r.resource.kind == "ReferenceGrant"]  # fmt: skip


def test_who_may_refer_follows_the_gateway() -> None:
    found = render([CLASS, GATEWAY, grant(GATEWAYS)], MOVED)
    assert told(found.results) == []
    assert made(found) == {
        "from": [{"group": "gateway.networking.k8s.io", "kind": "Gateway", "namespace": "gw"}],
        "to": [{"group": "", "kind": "Secret"}],
    }


def test_where_nothing_moves_nothing_changes() -> None:
    found = render([CLASS, GATEWAY, grant(GATEWAYS)], EVERYWHERE)
    (source,) = (m for m in found.hub.manifests if m.ref.kind == "ReferenceGrant")
    assert objects(found)["ReferenceGrant certs/g"] == source.object


def test_gateways_of_one_namespace_that_land_in_two_are_two_entries() -> None:
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {namespace: '{{ "
        "spoke.values.ns }}'}}\n"
        "- {gateways: {names: [infra/api]}, spokes: {all: true}, as: {namespace: apis}}\n"
    )
    found = render([CLASS, GATEWAY, gateway("api"), grant(GATEWAYS)], rules)
    for spoke in ("eu", "us"):
        entries = made(found, spoke=spoke)["from"]
        assert [each["namespace"] for each in entries] == ["apis", f"edge-{spoke}"]


def test_a_policy_kind_that_may_refer_is_followed_too() -> None:
    found = render(
        [
            CLASS,
            GATEWAY,
            auth("p", "kind: Gateway, name: web"),
            grant("{group: kuadrant.io, kind: AuthPolicy, namespace: infra}"),
        ],
        MOVED,
    )
    assert made(found)["from"] == [
        {"group": "kuadrant.io", "kind": "AuthPolicy", "namespace": "gw"}
    ]


def test_a_policy_that_does_not_ship_is_given_nothing() -> None:
    found = render(
        [
            CLASS,
            GATEWAY,
            auth("p", "kind: Gateway, name: web", kind="TLSPolicy"),
            grant("{group: kuadrant.io, kind: TLSPolicy, namespace: infra}"),
        ],
        EVERYWHERE,
    )
    assert reason(found) == ["not shipped: it grants nothing to what ships"]


def test_entries_for_those_who_are_not_in_the_hub_stay() -> None:
    stranger = "{group: example.com, kind: Stranger, namespace: infra}"
    found = render([CLASS, GATEWAY, grant(f"{stranger}, {GATEWAYS}")], MOVED)
    assert [each["namespace"] for each in made(found)["from"]] == ["infra", "gw"]


@each(*rows_of(__file__, "a_grant_that_is_given_to_nobody_who_ships_does_not_ship"))
def test_a_grant_that_is_given_to_nobody_who_ships_does_not_ship(from_: str) -> None:
    found = render([CLASS, GATEWAY, grant(from_)], EVERYWHERE)
    assert not [name for name in objects(found) if name.startswith("ReferenceGrant")]
    assert reason(found) == ["not shipped: it grants nothing to what ships"]


def test_a_grant_for_a_gateway_that_is_not_placed_does_not_ship() -> None:
    rules = "- {gateways: {names: [infra/web]}, spokes: {names: [us]}}"
    found = render([CLASS, GATEWAY, grant(GATEWAYS)], rules)
    assert "ReferenceGrant certs/g" not in objects(found, "eu")
    assert "ReferenceGrant certs/g" in objects(found, "us")


def test_a_grant_that_names_no_namespace_says_default_on_the_spoke() -> None:
    found = render([CLASS, GATEWAY, grant(GATEWAYS, namespace="")], EVERYWHERE)
    assert objects(found)["ReferenceGrant default/g"]["metadata"] == {
        "name": "g",
        "namespace": "default",
    }


POLICIES = "{group: gateway.envoyproxy.io, kind: SecurityPolicy, namespace: shop}"
SELECTING = manifest(
    "SecurityPolicy shop/p",
    "targetSelectors: [{group: gateway.networking.k8s.io, kind: Gateway, "
    "namespaces: {from: All}, matchLabels: {a: b}}]",
)
LABELLED = GATEWAY.replace("namespace: infra}", "namespace: infra, labels: {a: b}}")


def to_gateway(name: str = "") -> str:
    more = f", name: {name}" if name else ""
    return f"{{group: gateway.networking.k8s.io, kind: Gateway{more}}}"


@cases(
    (to_gateway("web"), [("Gateway", "edge")]),
    (to_gateway(), [("Gateway", None)]),
    (f"{to_gateway('web')}, {to_gateway('api')}", [("Gateway", "edge")]),
)
def test_a_grant_for_a_gateway_follows_it(to: str, expected: list[tuple[str, str | None]]) -> None:
    documents = [CLASS, LABELLED, gateway("api"), SELECTING, grant(POLICIES, to, "infra")]
    found = render(documents, MOVED)
    assert told(found.results, "SR1505") == []
    entries = made(found, "gw/g")["to"]
    assert [(each["kind"], each.get("name")) for each in entries] == expected


def test_a_grant_for_a_gateway_that_is_not_placed_grants_nothing() -> None:
    documents = [CLASS, LABELLED, gateway("api"), SELECTING]
    found = render([*documents, grant(POLICIES, to_gateway("api"), "infra")], MOVED)
    assert reason(found) == ["not shipped: it grants nothing to what ships"]


def test_a_grant_for_a_gateway_of_no_hub_stays_as_it_is() -> None:
    text = grant(POLICIES, to_gateway("stranger"), "infra")
    found = render([CLASS, LABELLED, SELECTING, text], MOVED)
    assert made(found, "infra/g")["to"] == [
        {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "stranger"}
    ]


def test_a_grant_whose_referents_are_apart_is_an_error() -> None:
    text = grant(POLICIES, f"{to_gateway('web')}, {SECRETS}", "infra")
    found = render([CLASS, LABELLED, SELECTING, text], MOVED)
    assert told(found.results, "SR1505") == [
        (
            "SR1505 ReferenceGrant infra/g spec.to: a ReferenceGrant is about its own namespace "
            "only, but on the spoke its referents are in several: gw, infra (write one "
            "ReferenceGrant per Gateway that moves) [eu us]"
        )
    ]


@each("null", "{}", "{from: a, to: b}", "{from: [a, null], to: [5]}", "{from: {}, to: {}}")
def test_a_grant_of_an_odd_shape_is_no_crash(spec: str) -> None:
    text = (
        "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: ReferenceGrant\n"
        f"metadata: {{name: g, namespace: certs}}\nspec: {spec}\n"
    )
    assert reason(render([CLASS, GATEWAY, text])) == [
        "not shipped: it grants nothing to what ships"
    ]
