"""A NetworkPolicy isolates the pods of its own selector; its peers are whom it lets through."""

from tests.rendering.retarget.moving import BOTH, MOVED, RENAMED, policy
from tests.support import cases
from tests.support.stages import CLASS, GATEWAY, gateway, objects, render, told, values

NAME = "gateway.networking.k8s.io/gateway-name"
NAMESPACE = "kubernetes.io/metadata.name"


def placed(as_: str) -> str:
    return f"- {{gateways: {{names: [infra/web]}}, spokes: {{names: [eu]}}, as: {as_}}}\n"


def isolating(peer: str, place: str = "infra", own: str = "{matchLabels: {app: cart}}") -> str:
    spec = f"podSelector: {own}, ingress: [{{from: [{peer}]}}]"
    return policy("networking.k8s.io", "NetworkPolicy", spec, place)


def pods(name: str, more: str = "") -> str:
    return f"{{podSelector: {{matchLabels: {{{NAME}: {name}}}}}{more}}}"


def within(namespace: str) -> str:
    return f", namespaceSelector: {{matchLabels: {{{NAMESPACE}: {namespace}}}}}"


@cases(
    # In its own namespace a peer says none; where the gateway leaves it, it has to.
    ("infra", MOVED, pods("web"), pods("web", within("gw"))),
    ("infra", BOTH, pods("web"), pods("edge", within("gw"))),
    ("infra", RENAMED, pods("web"), pods("edge")),
    ("shop", BOTH, pods("web", within("infra")), pods("edge", within("gw"))),
    ("infra", BOTH, pods("web", within("infra")), pods("edge", within("gw"))),
)
def test_it_stays_with_its_own_pods_and_names_the_gateway_where_that_is(
    place: str, as_: str, before: str, after: str
) -> None:
    found = render([CLASS, GATEWAY, isolating(before, place)], placed(as_))
    assert told(found.results) == []
    assert objects(found)[f"NetworkPolicy {place}/p"] == values(isolating(after, place))[0]


def test_a_policy_for_the_pods_of_a_gateway_moves_with_them() -> None:
    text = isolating(pods("web"), own=f"{{matchLabels: {{{NAME}: web}}}}")
    found = render([CLASS, GATEWAY, text], placed(MOVED))
    assert objects(found)["NetworkPolicy gw/p"]["spec"] == values(text)[0]["spec"]


def test_peers_of_one_selector_that_land_apart_are_an_error() -> None:
    values_of = f"{{key: {NAME}, operator: In, values: [web, api]}}"
    both = f"{{podSelector: {{matchExpressions: [{values_of}]}}}}"
    rules = placed(MOVED) + placed("{}").replace("web", "api")
    found = render([CLASS, GATEWAY, gateway("api"), isolating(both)], rules)
    assert told(found.results, "SR1506") == [
        (
            "SR1506 NetworkPolicy infra/p spec.ingress[0].from[0].podSelector.matchExpressions[0]"
            ".values[0]: its target lands in another namespace, and its selector, which has "
            "one field for a namespace, has targets in other ones (write one selector for each "
            "gateway that moves) [eu]"
        )
    ]
    together = rules.replace("as: {}", f"as: {MOVED}")
    found = render([CLASS, GATEWAY, gateway("api"), isolating(both)], together)
    (peer,) = objects(found)["NetworkPolicy infra/p"]["spec"]["ingress"][0]["from"]
    assert peer["namespaceSelector"] == {"matchLabels": {NAMESPACE: "gw"}}
