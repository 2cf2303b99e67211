"""What a policy selects on a spoke: judged where labels are known, and left open where not."""

from spokerender.judging.attachment.statuses import Truth
from spokerender.pipeline import judge
from tests.support import manifest
from tests.support.stages import CLASS, gateway, render, route, told

WEB = gateway("web", metadata="labels: {tier: gold}")
CART = route("cart").replace("shop}", "shop, labels: {tier: gold}}")
UNLABELLED = """\
- target: {kind: HTTPRoute}
  spokes: {names: [us]}
  merge: {metadata: {labels: {tier: null}}}
"""


def selecting(kind: str, namespace: str) -> str:
    entry = f"{{kind: {kind}, matchLabels: {{tier: gold}}}}"
    return manifest(f"SecurityPolicy {namespace}/p", f"targetSelectors: [{entry}]")


def states(*documents: str, **given: str) -> dict[str, Truth]:
    """Whether the policy is accepted, by spoke."""
    judged = judge(render([CLASS, *documents], **given)).judged
    return {
        spoke: attachment.accepted.status
        for spoke, found in judged.items()
        for attachment in found.judgement.attachments.values()
    }


def test_a_route_that_ships_is_selected_by_the_labels_that_it_has_there() -> None:
    documents = (WEB, CART, selecting("HTTPRoute", "shop"))
    assert states(*documents) == {"eu": Truth.TRUE, "us": Truth.TRUE}
    assert states(*documents, overrides=UNLABELLED) == {"eu": Truth.TRUE, "us": Truth.FALSE}


def test_a_route_that_does_not_ship_may_be_on_the_spoke_with_any_labels() -> None:
    settings = (
        "policiesToSync: [{group: gateway.envoyproxy.io, kind: SecurityPolicy}, "
        "{group: gateway.networking.k8s.io, kind: GRPCRoute}]"
    )
    plain = WEB.replace("gatewayClassName: hub", "gatewayClassName: istio")
    found = render([plain, CART, selecting("HTTPRoute", "shop")], settings=settings)
    (judged, _) = judge(found).judged.values()
    assert [item.accepted.status for item in judged.judgement.attachments.values()] == [
        Truth.UNKNOWN
    ]


def test_the_labels_of_a_gateway_that_the_spoke_has_of_its_own_are_in_no_file() -> None:
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, mode: existing, "
        "as: {listeners: [{name: http, allowedRoutes: {namespaces: {from: All}}}]}}\n"
    )
    found = render([CLASS, WEB, CART, selecting("Gateway", "infra")], rules)
    judged = judge(found)
    assert told(judged.results, "SR2102") == []
    states = [item.accepted.status for item in judged.judged["eu"].judgement.attachments.values()]
    assert states == [Truth.UNKNOWN]


def test_labels_of_namespaces_are_those_of_the_hub() -> None:
    namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}\n"
    text = selecting("HTTPRoute", "policies").replace(
        "matchLabels:",
        "namespaces: {from: Selector, selector: {matchLabels: {team: a}}}, matchLabels:",
    )
    grant = manifest(
        "ReferenceGrant shop/g",
        "from: [{group: gateway.envoyproxy.io, kind: SecurityPolicy, namespace: policies}], "
        "to: [{group: gateway.networking.k8s.io, kind: HTTPRoute}]",
    )
    assert states(WEB, CART, namespace, text, grant) == {"eu": Truth.TRUE, "us": Truth.TRUE}
