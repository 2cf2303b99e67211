"""A security policy of which nothing is in force: all below it is of other kinds or protocols."""

from spokerender.kinds.kind import Kind
from tests.judging.advice.spokes import advised
from tests.judging.advice.test_failing import FROM_ALL
from tests.review.guard.test_applying import KINDS, name_of, policy
from tests.support import each, manifest

ROUTES = {"HTTP": "HTTPRoute", "TCP": "TCPRoute", "UDP": "UDPRoute"}
LIMITED = [row for row in KINDS if row.security and (row.routes or row.reach.protocols)]


def told(kind: Kind, protocol: str, text: str) -> list[str]:
    """What is told of a policy on a Gateway with one listener and one route."""
    name = (kind.controller.names or ("example.com/own",))[0]
    listener = f"{{name: any, port: 80, protocol: {protocol}, {FROM_ALL}}}"
    return advised(
        "SR2206",
        manifest("GatewayClass own", f"controllerName: {name}"),
        manifest("Gateway shop/public", f"gatewayClassName: own, listeners: [{listener}]"),
        manifest(
            f"{ROUTES[protocol]} shop/cart",
            "parentRefs: [{name: public}], rules: [{backendRefs: [{name: s, port: 80}]}]",
            api="gateway.networking.k8s.io/v1",
        ),
        text,
    )


@each(*LIMITED, ids=name_of)
def test_a_policy_above_routes_that_its_kind_is_not_for(kind: Kind) -> None:
    for protocol, route in ROUTES.items():
        is_for = not kind.routes or route in (*kind.routes, *kind.reach.from_above)
        is_for &= not kind.reach.protocols or protocol in kind.reach.protocols
        lines = told(kind, protocol, policy(kind))
        # Some of what it says may not be carried out there, either.
        assert lines or is_for, protocol
        # It asks for certificates of clients, who have none to show without TLS.
        assert protocol != "HTTP" or bool(lines) is (kind.kind == "ClientTrafficPolicy")
        assert all(f" SR2206 {kind.kind} shop/p " in line for line in lines)


def test_what_restricts_nothing_on_routes_is_no_news() -> None:
    """What agentgateway does for connections, it does for those of TCP as well."""
    (kind,) = (row for row in LIMITED if row.kind == "AgentgatewayPolicy")
    text = policy(kind, traffic=None, frontend={"tls": {"minProtocolVersion": "1.3"}})
    assert told(kind, "TCP", text) == []
