"""What ships to a spoke, and why not."""

from typing import Any

from spokerender.findings.results import Severity
from spokerender.rendering.values.rendered import Rendered
from tests.support import cases, each, manifest, rows_of
from tests.support.nearby import (
    BACKEND_POLICY,
    BOTH,
    MOVED,
    NEARBY,
    ONE,
    policy,
    reason,
    shipped,
    target,
)
from tests.support.stages import (
    CLASS,
    GATEWAY,
    auth,
    everywhere,
    gateway,
    objects,
    render,
    route,
    told,
    values,
)


@cases(*rows_of(__file__, "a_policy_ships_to_every_spoke_where_its_gateway_is_placed"))
def test_a_policy_ships_to_every_spoke_where_its_gateway_is_placed(text: str, name: str) -> None:
    found = render([*NEARBY, text], ONE)
    assert [r for r in found.results if r.severity == "error"] == []
    assert shipped(found, name) == ["eu"]
    everywhere = render([*NEARBY, text], ONE.replace("{names: [eu]}", "{all: true}"))
    assert shipped(everywhere, name) == ["eu", "us"]


KINDS = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute", "ListenerSet"]


@each(*KINDS)
@each(True, False)
def test_routes_ship_when_their_kind_is_listed(listed: bool, kind: str) -> None:
    parents = (
        "parentRef: {name: web, namespace: infra}"
        if kind == "ListenerSet"
        else "parentRefs: [{name: web, namespace: infra}]"
    )
    text = manifest(f"{kind} shop/r", parents, api="gateway.networking.k8s.io/v1")
    entry = f"{{group: gateway.networking.k8s.io, kind: {kind if listed else 'Gateway'}}}"
    found = render([GATEWAY, text], settings=f"policiesToSync: [{entry}]")
    assert [r for r in found.results if r.severity == "error"] == []
    assert shipped(found, f"{kind} shop/r") == (["eu", "us"] if listed else [])
    if not listed:
        assert told(found.results) == []
        assert reason(found, f"{kind} shop/r") == ["not shipped: its kind is not listed"]


@cases(*rows_of(__file__, "shipping_follows_references_and_not_attachment"))
def test_shipping_follows_references_and_not_attachment(listeners: str, spec: str) -> None:
    """What the listeners would not take on the hub either ships nevertheless, with a warning."""
    found = render([CLASS, gateway("web", listeners=listeners), route("r", spec=spec)])
    assert [r.code for r in found.results if r.severity is not Severity.INFO] == ["SR2234"]
    assert shipped(found, "HTTPRoute shop/r") == ["eu", "us"]


def test_a_policy_whose_kind_is_not_listed_is_a_warning_that_names_the_gateway() -> None:
    documents = [
        *NEARBY,
        auth("p", "kind: Gateway, name: web", kind="TLSPolicy"),
        auth("below", "kind: HTTPRoute, name: cart", "shop", kind="RateLimitPolicy"),
        auth("absent", "kind: Gateway, name: api", kind="TLSPolicy"),
    ]
    found = render(documents, ONE)
    cure = (
        "(list the kind in the GatewayClass's parameters or in fleet.yaml, or take the policy out "
        "of the hub) [eu]"
    )
    assert told(found.results, "SR1502") == [
        (
            "SR1502 RateLimitPolicy shop/below: not shipped: RateLimitPolicy.kuadrant.io is not "
            f"listed to sync, so gateway infra/web is without it {cure}"
        ),
        (
            "SR1502 TLSPolicy infra/p: not shipped: TLSPolicy.kuadrant.io is not listed to sync, "
            f"so gateway infra/web is without it {cure}"
        ),
    ]
    assert {r.severity for r in found.results if r.code == "SR1502"} == {"warning"}
    assert reason(found, "TLSPolicy infra/p") == []
    assert reason(found, "TLSPolicy infra/absent") == [
        "not shipped: the gateway that it hangs on is not placed there"
    ]


@cases(*rows_of(__file__, "never_rendered"))
def test_never_rendered(text: str, name: str, why: str) -> None:
    found = render([*NEARBY, text], ONE)
    assert shipped(found, name) == []
    assert reason(found, name) == [f"not shipped: {why}"]


def test_a_secret_is_not_rendered_even_where_its_kind_is_listed() -> None:
    documents = [
        GATEWAY,
        (
            "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: infra}, "
            "spec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}}}\n"
        ),
    ]
    found = render(documents, settings='policiesToSync: [{group: "", kind: Secret}]')
    assert sorted(objects(found)) == ["Gateway infra/web"]


def test_an_existing_gateway_is_not_rendered_and_its_policies_are() -> None:
    rules = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, mode: existing, as: %s}"
    found = render(
        [CLASS, GATEWAY, auth("p", "kind: Gateway, name: web, sectionName: http")],
        rules % "{name: theirs, namespace: gw, listeners: [{name: http}]}",
    )
    assert told(found.results) == []
    assert objects(found) == {
        "AuthPolicy gw/p": values(
            manifest(
                "AuthPolicy gw/p",
                "targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: theirs, "
                "sectionName: http}",
                metadata='annotations: {kuadrant.io/policy-synced: "true"}',
            )
        )[0]
    }
    assert reason(found, "Gateway infra/web") == [
        "not shipped: the spoke has its own gateway; it is not placed there"
    ]


@cases(*rows_of(__file__, "the_class_is_the_placements_else_downstream_class_else_the_hubs"))
def test_the_class_is_the_placements_else_downstream_class_else_the_hubs(
    as_: str, downstream: str, expected: str
) -> None:
    if downstream:
        documents = [CLASS, GATEWAY]
        settings = ""
    else:
        documents = [GATEWAY.replace("gatewayClassName: hub", "gatewayClassName: own")]
        settings = "policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]"
    found = render(documents, everywhere(as_), settings=settings)
    assert objects(found)["Gateway infra/web"]["spec"]["gatewayClassName"] == expected
    assert told(found.results) == []


def test_a_class_with_sync_parameters_that_lands_on_a_spoke_unchanged_is_an_error() -> None:
    found = render([CLASS, GATEWAY], everywhere("{gatewayClassName: hub}"))
    assert [r.code for r in found.results if r.severity == "error"] == ["SR1306"]


def conserved(found: Rendered) -> set[str]:
    """Hub objects that ship nowhere and that no result names."""
    shipped_refs = {
        variant.manifest.ref
        for bundle in found.bundles.values()
        for variant in bundle.blueprint.variants
    }
    named = {result.resource for result in found.results}
    return {str(m.ref) for m in found.hub.manifests} - {str(ref) for ref in shipped_refs | named}


@each("", ONE, BOTH, MOVED)
def test_every_object_ships_or_is_named(rules: str) -> None:
    documents: list[Any] = [
        *NEARBY,
        policy(target("Gateway", "api")),
        auth("t", "kind: Gateway, name: web", kind="TLSPolicy"),
        BACKEND_POLICY,
        "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: infra}}\n",
    ]
    assert conserved(render(documents, rules)) == set()
