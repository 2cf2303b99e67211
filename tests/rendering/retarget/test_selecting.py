"""A policy that selects its targets moves with what moves, and stays with what stays."""

from tests.rendering.retarget.moving import GW, policy
from tests.support import cases, each, manifest, text_of
from tests.support.stages import CLASS, gateway, objects, render, route, told, values

MOVED = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {namespace: gw}}\n"
STAYS = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}\n"
WEB = gateway(
    "web", metadata="labels: {tier: gold}", spec="allowedListeners: {namespaces: {from: All}}"
)
PARENT = "[{name: web, namespace: infra}]"
CART = route("cart", PARENT).replace("shop}", "shop, labels: {tier: gold}}")
BESIDE = CART.replace("namespace: shop", "namespace: infra")
SET = manifest(
    "ListenerSet shop/more",
    "parentRef: {name: web, namespace: infra}, listeners: [{name: x, port: 81, protocol: HTTP}]",
    metadata="labels: {tier: gold}",
)
KINDS = [
    ("gateway.envoyproxy.io/v1alpha1", "SecurityPolicy"),
    ("gateway.kgateway.dev/v1alpha1", "TrafficPolicy"),
    ("agentgateway.dev/v1alpha1", "AgentgatewayPolicy"),
    ("example.com/v1", "Unheard"),
]
ROUTES = [("gateway.networking.k8s.io/v1", kind) for kind in ("HTTPRoute", "ListenerSet")]


def fleet(*kinds: tuple[str, str]) -> str:
    entries = ", ".join(
        f"{{group: {api.partition('/')[0]}, kind: {kind}}}" for api, kind in (*kinds, *ROUTES)
    )
    return f"policiesToSync: [{entries}]"


FLEET = fleet(KINDS[0])


def selecting(*kinds: str, api: str = KINDS[0][0], kind: str = KINDS[0][1], place: str = "shop",
              more: str = "") -> str:  # fmt: skip
    entries = ", ".join(
        f"{{group: gateway.networking.k8s.io, kind: {each}, matchLabels: {{tier: gold}}}}"
        for each in kinds
    )
    return (
        f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: p, namespace: {place}}}\n"
        f"spec: {{targetSelectors: [{entries}]{more}}}\n"
    )


@cases(*KINDS)
@cases(("HTTPRoute", CART), ("ListenerSet", SET))
@each(STAYS, MOVED)
def test_it_stays_with_routes_and_listener_sets(
    rules: str, selected: str, text: str, api: str, kind: str
) -> None:
    policy = selecting(selected, api=api, kind=kind)
    found = render([WEB, text, policy], rules, settings=fleet((api, kind)))
    assert told(found.results, "SR1505", "SR1506", "SR1706") == []
    assert objects(found)[f"{kind} shop/p"]["spec"] == values(policy)[0]["spec"]


def test_a_policy_from_a_crd_of_the_hub_stays_with_its_routes() -> None:
    crd = text_of(__file__, "unheards.yaml")
    found = render(
        [WEB, CART, crd, selecting("HTTPRoute", api="example.com/v1", kind="Unheard")],
        MOVED,
        settings=fleet(KINDS[-1]),
    )
    assert "Unheard shop/p" in objects(found)


def test_a_grant_still_names_the_namespace_that_it_stays_in() -> None:
    grant = manifest(
        "ReferenceGrant auth/g",
        "from: [{group: gateway.envoyproxy.io, kind: SecurityPolicy, namespace: shop}], "
        "to: [{group: '', kind: Service}]",
    )
    found = render([WEB, CART, selecting("HTTPRoute"), grant], MOVED, settings=FLEET)
    assert objects(found)["ReferenceGrant auth/g"]["spec"] == values(grant)[0]["spec"]


def test_selectors_of_a_gateway_that_moves_and_of_routes_that_stay_are_apart() -> None:
    text = selecting("Gateway", "HTTPRoute", place="infra")
    found = render([WEB, BESIDE, text], MOVED, settings=FLEET)
    assert told(found.results, "SR1505") == [
        (
            "SR1505 SecurityPolicy infra/p: a SecurityPolicy can only target what is in its own "
            "namespace, but on the spoke its targets are apart: Gateway web in gw, HTTPRoute cart "
            "in infra (write one policy per target) [eu]"
        )
    ]
    assert told(render([WEB, BESIDE, text], STAYS, settings=FLEET).results) == []


@each(STAYS, MOVED)
def test_a_route_may_be_named_and_selected(rules: str) -> None:
    named = ", targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}]"
    found = render([WEB, CART, selecting("HTTPRoute", more=named)], rules, settings=FLEET)
    assert told(found.results) == []
    assert "SecurityPolicy shop/p" in objects(found)


def test_what_is_selected_and_is_not_on_the_spoke_holds_no_policy() -> None:
    """The route below `api` is not there, so the policy is the moved gateway's alone."""
    other = route("other", "[{name: api, namespace: infra}]", "infra").replace(
        "infra}", "infra, labels: {tier: gold}}", 1
    )
    text = selecting("Gateway", "HTTPRoute", place="infra")
    found = render([WEB, gateway("api"), other, text], MOVED, settings=FLEET)
    assert told(found.results, "SR1505", "SR1506") == []
    assert "SecurityPolicy gw/p" in objects(found)


def test_a_policy_for_a_gateway_by_name_and_label_moves_with_it() -> None:
    text = policy(
        "gateway.envoyproxy.io",
        "SecurityPolicy",
        f"targetRefs: [{{{GW}, name: web}}], "
        "targetSelectors: [{kind: Gateway, matchLabels: {tier: gold}}]",
    )
    found = render([CLASS, WEB, text], MOVED)
    assert told(found.results) == []
    assert "SecurityPolicy gw/p" in objects(found)
