"""Entries of `targetRefs` and `parentRefs`: dropped, kept, or torn apart."""

from tests.support import cases
from tests.support.nearby import (
    BOTH,
    LISTENER_SET,
    MOVED,
    NEARBY,
    ONE,
    policy,
    reason,
    shipped,
    target,
)
from tests.support.stages import CLASS, GATEWAY, auth, gateway, objects, render, route, told


def test_entries_for_a_gateway_that_is_not_there_are_dropped_with_a_result() -> None:
    documents = [
        *NEARBY,
        policy(f"{target('Gateway', 'api')}, {target('Gateway', 'web')}"),
        route(
            "two",
            "[{name: web, namespace: infra}, {name: api, namespace: infra, sectionName: http}]",
        ),
    ]
    found = render(documents, ONE)
    assert objects(found)["SecurityPolicy infra/p"]["spec"]["targetRefs"] == [
        {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "web"}
    ]
    assert objects(found)["HTTPRoute shop/two"]["spec"]["parentRefs"] == [
        {"name": "web", "namespace": "infra"}
    ]
    assert told(found.results, "SR1503") == [
        (
            "SR1503 SecurityPolicy infra/p spec.targetRefs[0]: the entry for Gateway infra/api is "
            "dropped: gateway infra/api is not on the spoke [eu]"
        ),
        (
            "SR1503 HTTPRoute shop/two spec.parentRefs[1]: the entry for Gateway infra/api is "
            "dropped: gateway infra/api is not on the spoke [eu]"
        ),
    ]
    whole = render(documents, BOTH)
    assert told(whole.results, "SR1503") == []
    assert len(objects(whole)["SecurityPolicy infra/p"]["spec"]["targetRefs"]) == 2


@cases(("ListenerSet", "less", "infra"), ("HTTPRoute", "orders", "shop"))
def test_entries_for_what_hangs_on_an_absent_gateway_are_dropped_too(
    kind: str, name: str, namespace: str
) -> None:
    documents = [
        *NEARBY,
        LISTENER_SET.replace("more", "less").replace("web", "api"),
        route("orders", "[{name: api, namespace: infra}]"),
        policy(
            f"{target(kind, name)}, {target('Gateway', 'web')}, {target('HTTPRoute', 'cart')}",
            namespace,
        ),
    ]
    found = render(documents, ONE)
    targets = objects(found)[f"SecurityPolicy {namespace}/p"]["spec"]["targetRefs"]
    assert [(each["kind"], each["name"]) for each in targets] == [
        ("Gateway", "web"),
        ("HTTPRoute", "cart"),
    ]
    assert told(found.results, "SR1503") == [
        (
            f"SR1503 SecurityPolicy {namespace}/p spec.targetRefs[0]: the entry for {kind} "
            f"{namespace}/{name} is dropped: gateway infra/api is not on the spoke [eu]"
        )
    ]


def test_with_no_entry_left_nothing_ships() -> None:
    documents = [
        *NEARBY,
        policy(target("Gateway", "api")),
        auth("p", "kind: Gateway, name: api"),
        route("r", "[{name: api, namespace: infra}]"),
    ]
    found = render(documents, ONE)
    for name in ("SecurityPolicy infra/p", "AuthPolicy infra/p", "HTTPRoute shop/r"):
        assert shipped(found, name) == []
        assert reason(found, name) == [
            "not shipped: the gateway that it hangs on is not placed there"
        ]
    assert told(found.results, "SR1503") == []


def test_entries_that_name_nothing_of_the_hub_stay() -> None:
    """A Service is the spoke's own, as is whatever another implementation calls a Gateway."""
    service, istio = target("Service", "svc", ""), target("Gateway", "web", "networking.istio.io")
    documents = [
        *NEARBY,
        policy(f"{service}, {target('Gateway', 'web')}, {istio}"),
        route("r", '[{name: web, namespace: infra}, {group: "", kind: Service, name: svc}]'),
    ]
    found = render(documents, ONE)
    assert objects(found)["SecurityPolicy infra/p"]["spec"]["targetRefs"] == [
        {"group": "", "kind": "Service", "name": "svc"},
        {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "web"},
        {"group": "networking.istio.io", "kind": "Gateway", "name": "web"},
    ]
    assert objects(found)["HTTPRoute shop/r"]["spec"]["parentRefs"] == [
        {"name": "web", "namespace": "infra"},
        {"group": "", "kind": "Service", "name": "svc"},
    ]


def test_a_policy_that_targets_a_moved_gateway_and_what_stayed_is_an_error() -> None:
    text = policy(f"{target('Gateway', 'web')}, {target('Service', 'svc', '')}")
    found = render([CLASS, GATEWAY, text], MOVED)
    assert told(found.results, "SR1505", "SR1506") == [
        (
            "SR1505 SecurityPolicy infra/p: a SecurityPolicy can only target what is in its own "
            "namespace, but on the spoke its targets are apart: Gateway web in gw, Service svc in "
            "infra (write one policy per target) [eu]"
        ),
        (
            "SR1506 SecurityPolicy infra/p spec.targetRefs[0]: its target lands in another "
            "namespace, and a SecurityPolicy has no field for its namespace (keep the gateway in "
            "the hub's namespace, or move the policy's other targets with it) [eu]"
        ),
    ]
    renamed = MOVED.replace(", namespace: gw", "")
    assert told(render([CLASS, GATEWAY, text], renamed).results, "SR1505", "SR1506") == []


def test_a_policy_whose_gateways_land_in_two_namespaces_is_an_error() -> None:
    text = policy(f"{target('Gateway', 'web')}, {target('Gateway', 'api')}")
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {namespace: a}}\n"
        "- {gateways: {names: [infra/api]}, spokes: {names: [eu]}, as: {namespace: b}}\n"
    )
    found = render([CLASS, GATEWAY, gateway("api"), text], rules)
    assert [r.code for r in found.results if r.severity == "error"] == [
        "SR1505",
        "SR1506",
        "SR1506",
    ]
    together = render([CLASS, GATEWAY, gateway("api"), text], rules.replace("b}", "a}"))
    assert told(together.results) == []
    assert "SecurityPolicy a/p" in objects(together)
