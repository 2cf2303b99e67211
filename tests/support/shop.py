"""A small shop: policies on the gateway, a listener, a route and one of its rules."""

from spokerender.judging.fleet.judged import Aspect, JudgedFleet
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from tests.judging.advice.spokes import auth, listener, policy
from tests.support import stages, text_of

CART = stages.route(
    "cart",
    "[{name: web, namespace: infra}]",
    spec="hostnames: [a.shop.example], rules: [{name: all}, {name: buy}]",
)
LISTENERS = ", ".join(
    (listener("http", "*.shop.example"), listener("tcp", "", "port: 81, protocol: HTTP"))
)
HUB = (
    stages.CLASS,
    stages.gateway("web", listeners=f"[{LISTENERS}]"),
    stages.gateway("own"),
    stages.route("own", "[{name: own, namespace: infra}]", spec="rules: [{name: all}]"),
    CART,
    auth("guard", "Gateway/web", "defaults: {rules: {authorization: {deny: {opa: {rego: x}}}}}"),
    auth("own", "Gateway/own", "rules: {authentication: {key: {apiKey: {}}}}"),
    auth("buy", "HTTPRoute/cart/buy", "rules: {authentication: {key: {apiKey: {}}}}", "shop"),
    policy(
        "DNSPolicy",
        "dns",
        "Gateway/web/http",
        "loadBalancing: {weight: 1, geo: EU, defaultGeo: true}",
    ),
)
SPOKES = """\
- {name: ap, values: {ns: edge, domain: ap.example, geo: AP}}
- {name: eu, values: {ns: edge, domain: eu.example, geo: EU}}
- {name: us, values: {ns: west, domain: us.example, geo: US}}
"""
RULES = text_of(__file__, "shop_rules.yaml")
OVERRIDES = """\
- target: {kind: DNSPolicy}
  spokes: {names: [ap, us]}
  merge: {spec: {loadBalancing: {geo: "{{ spoke.values.geo }}"}}}
"""


def shop(*more: str, overrides: str = OVERRIDES) -> Rendered:
    """The fleet, perhaps with more documents."""
    return stages.render([*HUB, *more], RULES, spokes=SPOKES, overrides=overrides)


def judged(found: Rendered) -> JudgedFleet:
    """Its policies judged."""
    return judge(found, (), Aspect.POLICIES)
