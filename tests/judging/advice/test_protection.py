"""Something that anyone may call, while others of the fleet say who may.

Or where a policy is not in force: on some spokes, on a ListenerSet, beyond a hostname.
"""

from msgspec.structs import replace

from spokerender.findings.codes.advice import UNEVEN, UNGUARDED
from spokerender.findings.results import INFO
from spokerender.judging.advice.protection import fold_open_places
from spokerender.judging.advice.view import JudgedSpokeView
from spokerender.model import Ref
from tests.judging.advice.spokes import (
    CART,
    GATEWAY,
    HTTP,
    advised,
    advised_fleet,
    auth,
    gateway,
    limits,
    listener,
    policy,
    route,
    view,
)
from tests.support import case, cases, each, manifest, rows_of, stages

BACKENDS = "backendRefs: [{name: shop, port: 80}]"
LOGIN = 'rules: {authentication: {a: {jwt: {issuerUrl: "https://login.example:8443/realms/a"}}}}'
CURE = "(attach one to it or to what is above it; suppress this finding if it is open on purpose)"
OTHER = gateway(listener("http"), name="other")
CART_AUTH = auth("cart", "HTTPRoute/cart", "", "shop")


def found(
    resource: str, place: str, spokes: str, beneath: str = "", kind: str = "AuthPolicy"
) -> str:
    return (
        f"warning SR2210 {resource}: no {kind} is in force{place}{beneath}, while others of "
        f"the fleet have one: anybody may call it {CURE} [{spokes}]"
    )


OPEN_PAY = found("HTTPRoute shop/pay", "", "eu")


def unguarded(**spokes: JudgedSpokeView) -> list[str]:
    return advised_fleet("SR2210", **spokes)


def test_a_route_beside_one_with_a_policy() -> None:
    eu = view(GATEWAY, CART, route("pay"), CART_AUTH)
    assert unguarded(eu=eu) == [OPEN_PAY]


def test_a_rule_beside_one_with_a_policy() -> None:
    cart = route("cart", f"rules: [{{name: a, {BACKENDS}}}, {{name: b, {BACKENDS}}}]")
    eu = view(GATEWAY, cart, auth("a", "HTTPRoute/cart/a", "", "shop"))
    assert unguarded(eu=eu) == [found("HTTPRoute shop/cart", " on rule b", "eu")]


def test_a_listener_beside_one_with_a_policy() -> None:
    two = gateway(listener("http", "*.shop.example"), listener("api", "api.example"))
    routes = [
        route("cart", "hostnames: [a.shop.example]"),
        route("one", "hostnames: [api.example]"),
        route("two", "hostnames: [api.example]"),
    ]
    eu = view(two, *routes, auth("p", "Gateway/web/http"))
    assert unguarded(eu=eu) == [
        found(
            "Gateway infra/web",
            " on listener api",
            "eu",
            " for HTTPRoute shop/one, HTTPRoute shop/two",
        )
    ]


def test_a_gateway_beside_one_with_a_policy() -> None:
    pay = route("pay", f"rules: [{{name: a, {BACKENDS}}}, {{name: b}}]", "name: other")
    eu = view(GATEWAY, CART, OTHER, pay, auth("p", "Gateway/web"))
    assert unguarded(eu=eu) == [
        found("Gateway infra/other", " on Gateway infra/other", "eu", " for HTTPRoute shop/pay")
    ]


def test_a_spoke_beside_one_with_a_policy() -> None:
    bare, guarded = view(GATEWAY, CART), view(GATEWAY, CART, auth("p", "Gateway/web"))
    assert unguarded(eu=bare, us=guarded, ap=bare) == [
        found("Gateway infra/web", " on Gateway infra/web", "ap eu", " for HTTPRoute shop/cart")
    ]


def test_a_route_on_two_listeners_is_told_once() -> None:
    two = gateway(listener("http"), listener("more", more="port: 81, protocol: HTTP"))
    eu = view(two, CART, route("pay"), CART_AUTH)
    assert unguarded(eu=eu) == [OPEN_PAY]


def test_all_kinds_that_say_who_may_call_are_alike() -> None:
    oidc = policy("OIDCPolicy", "pay", "HTTPRoute/pay", "provider: {}", "shop")
    eu = view(GATEWAY, CART, route("pay"), CART_AUTH, oidc)
    assert unguarded(eu=eu) == []
    eu = view(GATEWAY, CART, route("pay"), route("new"), CART_AUTH, oidc)
    assert unguarded(eu=eu) == [
        found("HTTPRoute shop/new", "", "eu", kind="AuthPolicy or OIDCPolicy")
    ]


def test_a_route_that_is_not_rendered_is_told_by_its_name() -> None:
    eu = view(GATEWAY, CART, route("pay"), CART_AUTH)
    rendered = {ref: item for ref, item in eu.objects.items() if ref.name != "pay"}
    assert unguarded(eu=replace(eu, objects=rendered)) == [OPEN_PAY]


@each(*rows_of(__file__, "odd_rules_do_not_redirect"))
def test_odd_rules_do_not_redirect(rules: str) -> None:
    eu = view(GATEWAY, CART, CART_AUTH, route("pay", f"rules: {rules}"))
    assert unguarded(eu=eu) == [OPEN_PAY]


@each(
    case("nobody has one", [CART, route("pay")]),
    case("others have a policy of another sort",
         [CART, route("pay"), limits("cart", "HTTPRoute/cart", "", "shop")]),
    case("everybody has one", [CART, route("pay"), auth("p", "Gateway/web")]),
    case("a gateway without routes", [CART, OTHER, CART_AUTH]),
    case("a rule that only redirects",
         [CART, CART_AUTH,
          route("up", "rules: [{filters: [{type: RequestRedirect, requestRedirect: {}}]}]")]),
    case("rules without a backend",
         [CART, CART_AUTH, route("pay", "rules: [{backendRefs: []}, {name: b}]")]),
    case("the issuer of the tokens that a policy takes",
         [CART, policy("AuthPolicy", "cart", "HTTPRoute/cart", LOGIN, "shop"),
          route("login", f"hostnames: [login.example], rules: [{{{BACKENDS}}}]")]),
    case("the others' policy says nothing",
         [CART, auth("cart", "HTTPRoute/cart", "rules: {}", "shop"), route("pay")]),
)  # fmt: skip
def test_nothing_to_tell(documents: list[str]) -> None:
    assert unguarded(eu=view(GATEWAY, *documents)) == []


def test_what_keeps_a_policy_from_being_in_force_is_told_once() -> None:
    narrow = gateway(listener("http", "a.example"))
    routes = [route("cart", "hostnames: [a.example]"), route("wide", 'hostnames: ["*.example"]')]
    eu = view(narrow, *routes, auth("p", "Gateway/web"))
    assert unguarded(eu=eu) == []


def test_a_gateway_that_the_spoke_has_of_its_own() -> None:
    """It is told by its name on the spoke, unless that of the hub is known."""
    own = gateway(listener("http"), name="own")
    eu = view(GATEWAY, CART, own, route("pay", parent="name: own"), CART_AUTH)
    (ref,) = (ref for ref in eu.objects if ref.name == "own")
    item = replace(eu.objects[ref], object={}, hub=replace(ref, name="public"))
    unknown = {other: found for other, found in eu.objects.items() if other != ref}
    beneath = (" on Gateway infra/own", "eu", " for HTTPRoute shop/pay")
    for objects, resource in (
        ({**unknown, ref: item}, "Gateway infra/public"),
        (unknown, "Gateway infra/own"),
    ):
        found_there = unguarded(eu=replace(eu, objects=objects))
        assert found_there == [found(resource, *beneath)]


def security(name: str, target: str, spec: str) -> str:
    what, named = target.split("/")
    return manifest(
        f"SecurityPolicy {'infra' if what == 'Gateway' else 'shop'}/{name}",
        f"targetRefs: [{{group: gateway.networking.k8s.io, kind: {what}, name: {named}}}], {spec}",
    )


def istio(kind: str, name: str, spec: str, namespace: str = "infra") -> str:
    return manifest(f"{kind} {namespace}/{name}", spec, api="security.istio.io/v1")


ON_WEB = (
    "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], "
    "rules: [{from: [{source: {namespaces: [shop]}}]}]"
)


@each("cors: {allowOrigins: ['*']}", "mergeType: StrategicMerge")
def test_a_policy_about_other_things_guards_nothing(spec: str) -> None:
    tokens = security("tokens", "HTTPRoute/cart", "jwt: {providers: []}")
    eu = view(GATEWAY, CART, route("pay"), tokens, security("pay", "HTTPRoute/pay", spec))
    open_pay = found("HTTPRoute shop/pay", "", "eu", kind="SecurityPolicy")
    assert unguarded(eu=eu) == [open_pay]


def test_a_policy_about_other_things_makes_no_fleet_of_guards() -> None:
    cors = security("cors", "HTTPRoute/cart", "cors: {allowOrigins: ['*']}")
    assert unguarded(eu=view(GATEWAY, CART, route("pay"), cors)) == []


def test_what_only_authenticates_lets_requests_without_a_token_pass() -> None:
    pay = route("pay", parent="name: other")
    guarded = istio("AuthorizationPolicy", "callers", ON_WEB)
    tokens = istio("RequestAuthentication", "tokens", ON_WEB.replace("web", "other"))
    eu = view(GATEWAY, CART, OTHER, pay, guarded, tokens)
    assert unguarded(eu=eu) == [
        found(
            "Gateway infra/other",
            " on Gateway infra/other",
            "eu",
            " for HTTPRoute shop/pay",
            "AuthorizationPolicy",
        )
    ]


def test_a_gateway_whose_pods_a_policy_selects_is_guarded() -> None:
    pay = route("pay", parent="name: other")
    guarded = istio("AuthorizationPolicy", "callers", ON_WEB)
    label = "matchLabels: {gateway.networking.k8s.io/gateway-name: other}"
    selecting = istio(
        "AuthorizationPolicy",
        "pods",
        f"selector: {{{label}}}, rules: [{{from: [{{source: {{namespaces: [shop]}}}}]}}]",
    )
    assert unguarded(eu=view(GATEWAY, CART, OTHER, pay, guarded, selecting)) == []
    assert unguarded(eu=view(GATEWAY, CART, OTHER, pay, guarded)) != []


def test_an_auth_policy_that_only_shapes_responses_authenticates_nobody() -> None:
    shaping = auth("pay", "HTTPRoute/pay", "rules: {response: {unauthorized: {code: 403}}}", "shop")
    eu = view(GATEWAY, CART, route("pay"), CART_AUTH, shaping)
    assert unguarded(eu=eu) == [OPEN_PAY]


def test_what_a_policy_opens_in_so_many_words_is_open_on_purpose() -> None:
    anybody = auth("pay", "HTTPRoute/pay", "rules: {authentication: {a: {anonymous: {}}}}", "shop")
    assert unguarded(eu=view(GATEWAY, CART, route("pay"), CART_AUTH, anybody)) == []


def test_a_route_that_no_such_policy_can_attach_to_is_not_told() -> None:
    """AuthPolicies are for HTTPRoutes and GRPCRoutes."""
    tls = listener("tls", more="port: 443, protocol: TLS, tls: {mode: Passthrough}")
    through = route("pay").replace("HTTPRoute", "TLSRoute")
    eu = view(gateway(listener("http"), tls), CART, through, CART_AUTH)
    assert unguarded(eu=eu) == []


AGENT = manifest(
    "AgentgatewayPolicy shop/NAME",
    "targetRefs: [{group: '', kind: Service, name: NAME}], "
    "traffic: {jwtAuthentication: {mode: Strict}}",
    api="agentgateway.dev/v1alpha1",
)


def test_policies_on_all_backends_of_a_rule_guard_it() -> None:
    backends = "rules: [{name: all, backendRefs: [{name: a, port: 80}, {name: b, port: 80}]}]"
    policies = [AGENT.replace("NAME", name) for name in "ab"]
    eu = view(GATEWAY, route("cart", backends), *policies)
    assert unguarded(eu=eu) == []
    other = route("pay", backends.replace("name: b, port", "name: c, port"))
    assert unguarded(eu=view(GATEWAY, route("cart", backends), other, *policies)) == [
        found("HTTPRoute shop/pay", "", "eu", kind="AgentgatewayPolicy")
    ]


def test_open_places_of_a_gateway_are_one_finding_for_the_same_spokes() -> None:
    """What is suppressed for one of them stands alone."""
    a, b, c, d = (
        UNGUARDED.result(
            f"open {name}",
            resource=Ref("", "HTTPRoute", "shop", name),
            spokes=("eu",),
            causes=("what is open on Gateway infra/web",),
        )
        for name in "abcd"
    )
    suppressed, there = replace(c, severity=INFO), replace(d, spokes=("us",))
    other = replace(d, causes=("what is open on Gateway infra/other",))
    uneven = [replace(item, code=UNEVEN.code) for item in (a, b)]
    results = fold_open_places([a, suppressed, there, *uneven, b, other])
    assert results == (
        replace(
            a,
            message="open a. The same is true of HTTPRoute shop/b",
            also=(Ref("", "HTTPRoute", "shop", "b"),),
        ),
        suppressed,
        there,
        *uneven,
        other,
    )


def test_what_a_policy_asks_is_open_itself() -> None:
    """Who is yet to log in has to reach the Service that decides who is let in."""
    asking = security(
        "asking", "HTTPRoute/cart", "extAuth: {http: {backendRefs: [{name: sso, port: 80}]}}"
    )
    portal = route("login", "rules: [{name: all, backendRefs: [{name: sso, port: 80}]}]")
    other = portal.replace("name: sso", "name: shop")
    assert unguarded(eu=view(GATEWAY, CART, asking, portal)) == []
    assert len(unguarded(eu=view(GATEWAY, CART, asking, other))) == 1


TOKENS = istio("RequestAuthentication", "tokens", "jwtRules: [{issuer: https://a.example}]")
DEMAND = istio(
    "AuthorizationPolicy",
    "demand",
    'action: DENY, rules: [{from: [{source: {notRequestPrincipals: ["*"]}}]}]',
)


@cases(
    case("alone", [TOKENS], 1),
    case("with a policy that demands a token", [TOKENS, DEMAND], 0),
    case("nothing that checks tokens", [DEMAND], 0),
    case("with another controller's policy", [TOKENS, CART_AUTH], 0),
)
def test_tokens_that_nothing_demands(documents: list[str], count: int) -> None:
    found_there = advised("SR2242", GATEWAY, CART, *documents)
    assert len(found_there) == count
    assert all(
        line.startswith("warning SR2242 RequestAuthentication infra/tokens: a request without ")
        for line in found_there
    )


def test_without_a_route_nobody_passes() -> None:
    assert advised("SR2242", GATEWAY, TOKENS) == []


LIMITED = view(GATEWAY, CART, limits("p", "Gateway/web"))
UNLIMITED = view(GATEWAY, CART)


def test_a_route_with_a_limit_on_some_spokes() -> None:
    spokes = {"a": LIMITED, "b": LIMITED, "c": UNLIMITED, "d": UNLIMITED}
    expected = (
        "warning SR2211 HTTPRoute shop/cart: no RateLimitPolicy is in force on it, while one is "
        "on a, b (place the policy and its target alike, or attach one of its own on these "
        "spokes) [c d]"
    )
    assert advised_fleet("SR2211", **spokes) == [expected]


@each(
    case("on both", LIMITED),
    case("another route", view(GATEWAY, route("pay"))),
    case("no route", view(GATEWAY)),
    case(
        "another policy of the kind",
        view(GATEWAY, CART, limits("cart", "HTTPRoute/cart", "", "shop")),
    ),
)
def test_policies_that_are_in_force_alike(other: JudgedSpokeView) -> None:
    assert advised_fleet("SR2211", eu=LIMITED, us=other) == []


def test_who_may_call_is_told_elsewhere() -> None:
    guarded = view(GATEWAY, CART, auth("p", "Gateway/web"))
    assert advised_fleet("SR2211", eu=guarded, us=UNLIMITED) == []


SETS = "allowedListeners: {namespaces: {from: All}}"
WITH_SETS = stages.gateway("web", listeners=f"[{HTTP}]").replace(
    "listeners: [", f"{SETS}, listeners: ["
)
MORE = manifest(
    "ListenerSet infra/more",
    "parentRef: {name: web}, listeners: [{name: extra, port: 81, protocol: HTTP, "
    "allowedRoutes: {namespaces: {from: All}}}]",
)
BASKET = route("basket", parent="group: gateway.networking.k8s.io, kind: ListenerSet, name: more")


def unseen(lost: str) -> str:
    return (
        "warning SR2221 HTTPRoute shop/basket spec.parentRefs: requests are served on ListenerSet "
        f"infra/more [extra], and without {lost}: their controller finds listeners in Gateways "
        "only (move the listener into Gateway infra/web, or guard the route by other means)"
    )


@cases(*rows_of(__file__, "a_route_on_a_listener_set"))
def test_a_route_on_a_listener_set(written: str, lost: str) -> None:
    assert advised("SR2221", WITH_SETS, MORE, CART, BASKET, written) == [unseen(lost)]


OTHERS = manifest(
    "SecurityPolicy infra/p",
    "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], jwt: {}",
)


@each(
    case("it is on another listener", auth("p", "Gateway/web/http")),
    case("of another controller", OTHERS),
)
def test_policies_that_lose_nothing(written: str) -> None:
    assert advised("SR2221", WITH_SETS, MORE, CART, BASKET, written) == []


def test_it_is_not_told_a_second_time_that_anyone_may_call() -> None:
    spoke = view(WITH_SETS, MORE, CART, BASKET, auth("p", "Gateway/web"))
    assert unguarded(one=spoke) == []


NARROW = gateway(listener("http", "a.example.com"))
WIDE = route("cart", 'hostnames: ["*.example.com"]')
ADD = (
    "(add the hostname a.example.com to the route, or a listener whose hostname takes in the "
    "route's)"
)


def beyond(lost: str) -> str:
    return (
        "error SR2209 HTTPRoute shop/cart spec.hostnames: *.example.com reaches beyond the "
        "hostname a.example.com of Gateway infra/web [http]: requests are served there, and "
        f"without {lost} {ADD}"
    )


@cases(*rows_of(__file__, "a_wildcard_on_a_narrower_listener"))
def test_a_wildcard_on_a_narrower_listener(written: str, lost: str) -> None:
    assert advised("SR2209", NARROW, WIDE, written) == [beyond(lost)]


def test_each_route_is_told_once_with_all_policies() -> None:
    wide = route("cart", 'hostnames: ["*.example.com"], rules: [{name: x}, {name: y}]')
    documents = [auth("p", "Gateway/web"), limits("q", "Gateway/web")]
    assert advised("SR2209", NARROW, wide, *documents) == [
        beyond("AuthPolicy infra/p, RateLimitPolicy infra/q")
    ]


@cases(
    case("no policy is above", '["*.example.com"]', ""),
    case(
        "a kind that is for listeners",
        '["*.example.com"]',
        policy("TLSPolicy", "p", "Gateway/web", "x: 1"),
    ),
    case("the same hostname", "[a.example.com]", auth("p", "Gateway/web")),
    case("one is within", '["*.example.com", a.example.com]', auth("p", "Gateway/web")),
    case("the listener has none of it", "[b.example.com]", auth("p", "Gateway/web")),
    case("a route without hostnames", "[]", auth("p", "Gateway/web")),
)
def test_a_route_within_its_listener(hostnames: str, written: str) -> None:
    cart = route("cart", f"hostnames: {hostnames}")
    assert advised("SR2209", *filter(None, [NARROW, cart, written])) == []


def test_each_hostname_is_looked_at_by_itself() -> None:
    """One that is within does not cover those that are not."""
    cart = route("cart", 'hostnames: ["*.example.com", x.a.example.com, "*.org"]')
    narrow = gateway(listener("http", "*.a.example.com"))
    (line,) = advised("SR2209", narrow, cart, auth("p", "Gateway/web"))
    assert line.startswith(
        "error SR2209 HTTPRoute shop/cart spec.hostnames: *.example.com reaches beyond the "
        "hostname *.a.example.com of Gateway infra/web [http]"
    )


def test_a_wider_listener() -> None:
    wider = gateway(listener("http", "*.example.com"))
    cart = route("cart", 'hostnames: ["*.eu.example.com"]')
    assert advised("SR2209", wider, cart, auth("p", "Gateway/web")) == []
