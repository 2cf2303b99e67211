"""A policy on a backend ships with the routes that name it, if they ship."""

from tests.support import cases
from tests.support.nearby import BACKEND_POLICY, listing, reason, shipped
from tests.support.stages import GATEWAY, gateway, objects, render, route, told

TO_SVC = "rules: [{backendRefs: [{name: svc, port: 80}]}]"


def test_a_policy_on_a_backend_ships_with_the_routes_to_it_and_the_backend_is_not_missed() -> None:
    sends = route("sends", spec=TO_SVC)
    found = render(
        [GATEWAY, sends, BACKEND_POLICY], settings=listing("HTTPRoute", "BackendTLSPolicy")
    )
    assert told(found.results) == []
    assert sorted(objects(found)) == [
        "BackendTLSPolicy shop/tls",
        "Gateway infra/web",
        "HTTPRoute shop/sends",
    ]


@cases(
    ((), "it hangs on no gateway of the hub"),
    ((route("other"),), "it hangs on no gateway of the hub"),
    ((route("sends", "[{name: api, namespace: infra}]", spec=TO_SVC),),
     "the gateway that it hangs on is not placed there"),
    ((route("sends", namespace="far", spec=TO_SVC),), "it hangs on no gateway of the hub"),
)  # fmt: skip
def test_a_policy_on_a_backend_that_no_shipped_route_names_stays(
    routes: tuple[str, ...], why: str
) -> None:
    found = render(
        [GATEWAY, gateway("api"), *routes, BACKEND_POLICY],
        settings=listing("HTTPRoute", "BackendTLSPolicy"),
    )
    assert shipped(found, "BackendTLSPolicy shop/tls") == []
    assert reason(found, "BackendTLSPolicy shop/tls") == [f"not shipped: {why}"]


def test_a_policy_on_a_backend_stays_where_the_routes_to_it_are_not_listed() -> None:
    sends = route("sends", spec=TO_SVC)
    found = render([GATEWAY, sends, BACKEND_POLICY], settings=listing("BackendTLSPolicy"))
    assert sorted(objects(found)) == ["Gateway infra/web"]
    assert reason(found, "BackendTLSPolicy shop/tls") == [
        "not shipped: nothing that names its target ships"
    ]


def test_a_policy_on_a_backend_follows_the_routes_that_ship_and_no_others() -> None:
    """A TCPRoute hangs on both gateways, but only the HTTPRoute below `web` is listed."""
    documents = [
        GATEWAY,
        gateway("api"),
        route("sends", spec=TO_SVC),
        route("quiet", "[{name: api, namespace: infra}]", spec=TO_SVC).replace("HTTPR", "TCPR"),
        BACKEND_POLICY,
    ]
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}\n"
        "- {gateways: {names: [infra/api]}, spokes: {names: [us]}}\n"
    )
    found = render(documents, rules, settings=listing("HTTPRoute", "BackendTLSPolicy"))
    assert shipped(found, "BackendTLSPolicy shop/tls") == ["eu"]
