"""Requests that another rule takes by precedence, and routes of every kind."""

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind
from spokerender.review.guard.refusals import report_weaknesses
from spokerender.review.values import Consequence
from tests.review.meaning.scenes import (
    PLACE,
    SYNC,
    codes_of,
    compare,
    gateway,
    hub,
    loud,
    policy,
    route,
    state,
)
from tests.review.meaning.test_laws import find_losses, refuse
from tests.support import cases, each, manifest, named_rows_of, rows_of

Documents = tuple[str, ...]
LOGIN = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
BASIC = "basicAuth: {users: {name: users}}"
KEY = "rules: {authentication: {login: {apiKey: {}}}}"
LIMIT = "limits: {all: {rates: [{limit: 5, window: 10s}]}}"
BACKEND = "backendRefs: [{name: app, port: 80}]"


def rule(name: str, path: str, kind: str = "PathPrefix") -> str:
    return f"{{name: {name}, matches: [{{path: {{type: {kind}, value: {path}}}}}], {BACKEND}}}"


def on(kind: str, spec: str, name: str, section: str = "") -> str:
    """A policy of a route, or of a rule of it, with the name of the route."""
    own = f", sectionName: {section}" if section else ""
    text = policy(kind, spec, "route", f"{name}{section}")
    return text.replace("name: cart}", f"name: {name}{own}}}")


ALL, ADMIN = rule("all", "/"), rule("admin", "/admin")
WEB = gateway("istio")
CART = (WEB, route(rules=ALL))
GUARDED = (*CART, on("AuthPolicy", LOGIN, "cart"))
ON_ALL = policy("AuthPolicy", LOGIN, "gateway", "all")
EXTRA = route("extra", rules=ADMIN)


def review(before: Documents, after: Documents, class_name: str = "istio") -> list[Consequence]:
    return loud(compare(*(state(hub(class_name, *each)) for each in (before, after))))


DOCUMENTS: dict[str, str] = rows_of(__file__, "documents")


def named(names: list[str]) -> Documents:
    return tuple(DOCUMENTS[name] for name in names)


@cases(*named_rows_of(__file__, "what_requests_meet_that_another_rule_takes_is_told"))
def test_what_requests_meet_that_another_rule_takes_is_told(
    before: list[str], after: list[str], code: str, place: str
) -> None:
    reported = [item for item in review(named(before), named(after)) if item.result.code == code]
    assert {item.paths for item in reported} == {(f"Gateway infra/web [https] > {place}",)}


@cases(*named_rows_of(__file__, "a_route_that_takes_no_requests_of_others_is_silent"))
def test_a_route_that_takes_no_requests_of_others_is_silent(
    before: list[str], after: list[str]
) -> None:
    assert codes_of(review(named(before), named(after))) == set()


RIVAL, MOVED = route("rival", rules=rule("any", "/")), (WEB, route("shop", rules=ALL))
ON_SHOP = on("AuthPolicy", LOGIN, "shop")
AGED: dict[str, tuple[str, set[FindingKind]]] = {
    "open": (RIVAL, {codes.ACCESS_WEAKENED}),
    "of the same guard": (RIVAL + "---\n" + on("AuthPolicy", LOGIN, "rival"), set()),
    "of a nearer match": (
        RIVAL.replace("PathPrefix, value: /}", "PathPrefix, value: /}, method: GET"),
        set(),
    ),
    "less specific": (route("rival", "'*.shop.example'", rule("any", "/")), set()),
    "for other hostnames": (route("rival", "b.shop.example", rule("any", "/")), set()),
}


@each(*AGED)
def test_a_renamed_route_is_younger_than_equal_ones(case: str) -> None:
    rival, expected = AGED[case]
    reported = review((*GUARDED, rival), (*MOVED, ON_SHOP, rival))
    assert codes_of(reported) == {code.code for code in expected}
    path = "Gateway infra/web [https] > HTTPRoute infra/rival [any]"
    assert {item.paths for item in reported} <= {(path,)}


FIRST, SECOND = rule("one", "/"), rule("two", "/")


@cases(*named_rows_of(__file__, "of_equal_rules_of_a_route_the_first_one_takes_what_is_for_both"))
def test_of_equal_rules_of_a_route_the_first_one_takes_what_is_for_both(
    one: str, two: str, is_told: bool
) -> None:
    guard = on("AuthPolicy", LOGIN, "cart", "one")
    first, second = ((WEB, route(rules=f"{a}, {b}"), guard) for a, b in ((one, two), (two, one)))
    reported = review(first, second)
    expected = {codes.ACCESS_WEAKENED.code} if is_told else set()
    assert codes_of(reported) == expected
    path = "Gateway infra/web [https] > HTTPRoute infra/cart [two]"
    assert {item.paths for item in reported} == ({(path,)} if is_told else set())
    assert codes.ACCESS_WEAKENED.code not in codes_of(review(second, first))


LATER = rule("later", "/")
ONE_GUARDED = (*CART, on("AuthPolicy", LOGIN, "cart", "all"))
LATER_OF_TWO = LATER.replace(
    "matches: [", "matches: [{path: {type: PathPrefix, value: /}, method: GET}, "
)
BY_COOKIE = f"{{name: all, matches: [{{path: {{type: PathPrefix, value: /}}}}], filters: [{{type: ExtensionRef, extensionRef: {{group: gateway.envoyproxy.io, kind: HTTPRouteFilter, name: cookie}}}}], {BACKEND}}}"  # noqa: E501


@cases(
    ((WEB, route(rules=f"{ALL}, {LATER}"), ONE_GUARDED[2]), False),
    ((WEB, route(rules=f"{LATER}, {ALL}"), ONE_GUARDED[2]), True),
    ((WEB, route(rules=f"{ALL}, {LATER_OF_TWO}"), ONE_GUARDED[2]), True),
    ((*ONE_GUARDED, route("extra", rules=LATER)), False),
    ((*ONE_GUARDED, route("extra", "a.shop.example, b.shop.example", LATER)), True),
    ((*ONE_GUARDED, route("extra", "'*.shop.example'", LATER)), True),
    ids=[
        *("after it", "before it", "for more", "of a new route", "for a further hostname", "wider")
    ],
)
def test_an_open_rule_is_told_unless_an_equal_one_certainly_takes_its_requests(
    after: Documents, is_told: bool
) -> None:
    before, new = (state(hub("istio", *each)) for each in (ONE_GUARDED, after))
    told = {codes.NEWLY_PUBLIC.code, codes.ACCESS_WEAKENED.code} & codes_of(
        loud(compare(before, new))
    )
    assert bool(told) is is_told
    warned = report_weaknesses(find_losses(before, new))
    assert bool(warned or refuse(before, new)) is is_told


def test_a_rule_with_a_filter_that_narrows_it_leaves_requests_to_an_equal_one() -> None:
    base = (gateway("eg"), route(rules=BY_COOKIE))
    after = (base[0], route(rules=f"{BY_COOKIE}, {LATER}"))
    states = (state(hub("eg", *each)) for each in (base, after))
    assert codes.NEWLY_PUBLIC.code in codes_of(compare(*states).consequences)


def test_a_limit_that_a_nearer_route_takes_away_is_an_error() -> None:
    after = (*CART, on("RateLimitPolicy", LIMIT, "cart"), EXTRA)
    assert {item.severity for item in review(after[:-1], after)} == {ERROR}


def test_a_default_for_routes_to_come_is_told_once_where_no_path_has_it() -> None:
    both = (WEB, route(rules=ALL), ON_ALL)
    opened = policy("AuthPolicy", KEY, "gateway", "all")
    (on_path,) = review(both, (*both[:2], opened))
    assert on_path.paths == ("Gateway infra/web [https] > HTTPRoute infra/cart [all]",)
    own = on("AuthPolicy", LOGIN, "cart")
    (latent,) = review((*both, own), (*both[:2], opened, own))
    assert latent.paths == ("Gateway infra/web [https] > a route that is added later",)
    assert latent.severity is WARNING


LISTENERS = {
    "TCPRoute": "protocol: TCP",
    "UDPRoute": "protocol: UDP",
    "TLSRoute": "protocol: TLS, tls: {mode: Passthrough}",
    "GRPCRoute": "protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}",
}
SOME = (
    "authorization: {defaultAction: Deny, "
    "rules: [{action: Allow, principal: {clientCIDRs: [10.0.0.0/8]}}]}"
)
OPEN = SOME.replace("10.0.0.0/8", "10.0.0.0/7")


def scene(kind: str, *more: str, listener: str = "{name: one, port: 9000, %s}") -> Documents:
    hosts = "a.shop.example" if kind in ("TLSRoute", "GRPCRoute") else ""
    own = listener % f"{LISTENERS[kind]}, allowedRoutes: {{namespaces: {{from: All}}}}"
    return (gateway("eg", listeners=own), route("cart", hosts, f"{{{BACKEND}}}", kind), *more)


def guard(kind: str, spec: str) -> str:
    return policy("SecurityPolicy", spec).replace("HTTPRoute", kind)


@each(*LISTENERS)
def test_routes_of_every_kind_are_compared(kind: str) -> None:
    base = scene(kind)

    def told(after: Documents, before: Documents = base) -> set[str]:
        return codes_of(review(before, after, "eg"))

    edited = {
        codes.HOSTNAME_GONE: base[:1],
        codes.ROUTED_ELSEWHERE: (base[0], base[1].replace("name: app", "name: beta")),
        codes.LISTENER_GONE: (base[0].replace("9000", "9001"), base[1]),
    }
    for code, after in edited.items():
        assert code.code in told(after), code
    assert codes.HOSTNAME_GONE.code in told(
        (base[0], base[1].replace("name: web", "name: web, sectionName: other"))
    )
    assert codes.NEWLY_PUBLIC.code in told(base, base[:1])


@each("TCPRoute", "GRPCRoute")
def test_guards_of_other_routes_are_compared(kind: str) -> None:
    guarded = scene(kind, guard(kind, SOME))
    assert codes.ACCESS_REMOVED.code in codes_of(review(guarded, scene(kind), "eg"))
    opened = scene(kind, guard(kind, OPEN))
    assert codes.ACCESS_WEAKENED.code in codes_of(review(guarded, opened, "eg"))
    assert review(scene(kind), guarded, "eg") == []


_INNER = gateway(
    "eg", "inner", "{name: db, port: 5432, protocol: TCP}, {name: http, port: 80, protocol: HTTP}"
)
_ELSEWHERE = {
    "connections": route("db", "", "{backendRefs: [{name: db, port: 5432}]}", "TCPRoute", "inner"),
    "every hostname of another gateway": route("any", "", f"{{{BACKEND}}}", parent="inner"),
}


@each(*_ELSEWHERE)
def test_what_takes_no_requests_of_a_hostname_does_not_serve_it(case: str) -> None:
    place = PLACE.replace("[infra/web]", "[infra/web, infra/inner]")
    beside = (_INNER, _ELSEWHERE[case])
    states = [
        state(hub("eg", *docs, *beside), place)
        for docs in ((gateway("eg"), route()), (gateway("eg"),))
    ]
    (gone,) = loud(compare(*states))
    assert (gone.result.code, gone.severity) == (codes.HOSTNAME_GONE.code, ERROR)
    assert gone.hostnames == ("a.shop.example",)


NEVER = "rules: {authorization: {no: {patternMatching: {patterns: [{predicate: 'false'}]}}}}"
DENIES = {
    "all by default": ("eg", "SecurityPolicy", "authorization: {defaultAction: Deny}"),
    "all that no rule lets in": ("istio", "AuthorizationPolicy", ""),
    "all by a rule that none fulfils": ("istio", "AuthPolicy", NEVER),
}


@each(*DENIES)
def test_that_nobody_may_call_any_more_is_an_error(case: str) -> None:
    class_name, kind, spec = DENIES[case]
    base = gateway(class_name), route(rules=ALL)
    place = "gateway" if kind == "AuthorizationPolicy" else "route"
    (closed,) = review(base, (*base, policy(kind, spec, place)), class_name)
    assert (closed.result.code, closed.severity) == (codes.WAY_GONE.code, ERROR)
    assert closed.example == "GET https://a.shop.example/"


def test_an_open_route_on_another_gateway_for_a_guarded_hostname_is_an_error() -> None:
    place = PLACE.replace("[infra/web]", "[infra/web, infra/inner]")
    base = gateway("eg"), route(rules=ALL), policy("SecurityPolicy", BASIC), _INNER
    beside = route("open", rules=ALL, parent="inner")
    sides = (state(hub("eg", *documents), place) for documents in (base, (*base, beside)))
    (opened,) = loud(compare(*sides))
    assert (opened.result.code, opened.severity) == (codes.NEWLY_PUBLIC.code, ERROR)


def test_an_open_route_that_takes_guarded_requests_is_refused() -> None:
    base = (gateway("eg"), route(rules=ALL), on("SecurityPolicy", BASIC, "cart"))
    before, after = (state(hub("eg", *documents)) for documents in (base, (*base, EXTRA)))
    (refused,) = refuse(before, after)
    assert str(refused.resource) == "HTTPRoute infra/extra"
    assert "HTTPRoute/infra/extra@eu,us" in refused.cure


MOVED_GUARD = {
    "eg": ("SecurityPolicy", BASIC),
    "istio": ("AuthPolicy", LOGIN),
}


@each(*MOVED_GUARD)
def test_a_guard_that_moves_from_a_gateway_to_its_only_route_is_an_info(class_name: str) -> None:
    base = gateway(class_name), route(rules=ALL)
    sides = (policy(*MOVED_GUARD[class_name], place) for place in ("gateway", "route"))
    before, after = (state(hub(class_name, *base, own)) for own in sides)
    (latent,) = compare(before, after).consequences
    assert (latent.severity, latent.result.message[-32:]) == (
        INFO,
        "routes that are added here later",
    )
    assert refuse(before, after) == []


def test_connections_to_a_port_that_nothing_takes_any_more_are_told_by_the_port() -> None:
    place = PLACE.replace("[infra/web]", "[infra/inner]")
    docs = (_INNER, _ELSEWHERE["every hostname of another gateway"])
    states = [state(hub("eg", *docs, *more), place) for more in ((_ELSEWHERE["connections"],), ())]
    (gone,) = loud(compare(*states))
    assert gone.result.message == "nothing takes connections to port 5432 TCP any more"


@cases(("60s", True), ("1m0s", True), ("2m", False))
def test_a_timeout_in_another_unit_is_the_same(timeout: str, is_same: bool) -> None:
    timed = ALL.replace(f"{BACKEND}}}", f"timeouts: {{request: 1m}}, {BACKEND}}}")
    before, after = (
        state(hub("eg", gateway("eg"), route(rules=text)))
        for text in (timed, timed.replace("1m", timeout))
    )
    expected = set() if is_same else {codes.ROUTED_ELSEWHERE.code}
    assert codes_of(loud(compare(before, after))) == expected


ASKS = "extAuth: {%shttp: {backendRefs: [{name: authz, port: 80}]}}"
FAILS_OPEN = policy("SecurityPolicy", ASKS % "failOpen: true, ")
FAILS_CLOSED = policy("SecurityPolicy", ASKS % "")
AUTHZ = manifest("Service infra/authz")


@cases(
    ((FAILS_CLOSED,), (FAILS_OPEN,), codes.FURTHER_WAY),
    ((FAILS_OPEN, AUTHZ), (FAILS_OPEN,), codes.ACCESS_REMOVED),
    ((FAILS_CLOSED, AUTHZ), (FAILS_OPEN,), codes.ACCESS_REMOVED),
    ((FAILS_CLOSED, AUTHZ), (FAILS_OPEN, AUTHZ), codes.ACCESS_WEAKENED),
)
def test_a_service_that_is_not_there_is_not_asked_where_the_policy_fails_open(
    before: Documents, after: Documents, expected: FindingKind
) -> None:
    """Envoy Gateway, securitypolicy.go, shouldFailOpen: else requests are answered with 500."""
    rest = gateway("eg"), route(rules=f"{{name: all, {BACKEND}}}"), AUTHZ.replace("authz", "app")
    fleet = SYNC + "  completeKinds: [Service]\n"
    sides = (state(hub("eg", *rest, *each), PLACE, fleet) for each in (before, after))
    told = [item for item in loud(compare(*sides)) if item.paths]
    assert codes_of(told) - {codes.NEEDED_MISSING.code} == {expected.code}
    assert {path for item in told for path in item.paths} == {
        "Gateway infra/web [https] > HTTPRoute infra/cart [all]"
    }


@each("optional", "failOpen")
def test_tokens_that_may_be_missing_guard_nothing(field: str) -> None:
    """Envoy Gateway, api/v1alpha1/jwt_types.go: with `failOpen` a token may be wrong as well."""
    asks = "jwt: {%sproviders: [{name: idp, remoteJWKS: {uri: https://idp.example/keys}}]}"
    sides = (policy("SecurityPolicy", asks % each) for each in ("", f"{field}: true, "))
    rest = gateway("eg"), route(rules=f"{{name: all, {BACKEND}}}")
    (told,) = review((*rest, next(sides)), (*rest, next(sides)), "eg")
    assert told.result.code == codes.ACCESS_REMOVED.code


PROCESSORS = (
    "extProc: [{%sbackendRefs: [{name: authz, port: 80}]}, {%sbackendRefs: [APP]}]".replace(
        "APP", "{name: app, port: 80}"
    )
)
OPENS = "failOpen: true, "


@cases(((OPENS, ""), True), (("", OPENS), False), ((OPENS, OPENS), True))
def test_a_processor_that_is_not_there_is_passed_over_where_it_fails_open(
    opens: tuple[str, str], is_reopened: bool
) -> None:
    """Envoy Gateway, envoyextensionpolicy.go, buildExtProcs: each entry fails by itself."""
    rest = gateway("eg"), route(rules=f"{{name: all, {BACKEND}}}"), AUTHZ.replace("authz", "app")
    fleet = SYNC + "  completeKinds: [Service]\n"
    texts = (policy("EnvoyExtensionPolicy", PROCESSORS % each) for each in (("", ""), opens))
    before, after = (state(hub("eg", *rest, text), PLACE, fleet) for text in texts)
    reported = [item.result.message for item in loud(compare(before, after)) if item.paths]
    again = [text for text in reported if "answered with 500 before" in text]
    assert len(again) == is_reopened


@each("headers: [{name: a}]", "queryParams: [{value: b}]")
def test_a_match_that_is_not_whole_is_compared(match: str) -> None:
    rules = f"{{name: own, matches: [{{{match}}}], backendRefs: [{{name: app, port: 80}}]}}"
    before, after = (state(hub("eg", gateway("eg"), one)) for one in (route(), route(rules=rules)))
    assert loud(compare(before, after))
    assert loud(compare(after, before))


@cases(
    (
        "EnvoyExtensionPolicy",
        "extProc: [{backendRefs: [{name: elsewhere, port: 80}]}]",
        codes.ACCESS_REMOVED,
    ),
    ("BackendTrafficPolicy", "loadBalancer: {type: Random}", codes.NOT_RANKED),
)
def test_what_a_policy_does_no_more_to_requests_of_a_route_that_is_split_is_told(
    kind: str, spec: str, code: FindingKind
) -> None:
    """The rule of the second route does the same, so it is no news by itself."""
    rules = f"{{name: all, {BACKEND}}}"
    both = route(hosts="a.shop.example, b.shop.example", rules=rules)
    split = route(rules=rules), route("second", "b.shop.example", rules)
    rest = gateway("eg"), policy(kind, spec)
    told = review((*rest, both), (*rest, *split), "eg")
    path = "Gateway infra/web [https] > HTTPRoute infra/second [all]"
    assert [(item.result.code, item.paths) for item in told] == [(code.code, (path,))]


def test_what_stays_as_open_as_it_was_is_not_told_of_a_guarded_listener_that_goes() -> None:
    two = "{name: https, port: 443, protocol: HTTP}", "{name: alt, port: 8443, protocol: HTTP}"
    guard = policy("SecurityPolicy", BASIC, "gateway", "one").replace(
        "name: web", "name: web, sectionName: https"
    )
    before = (gateway("eg", listeners=", ".join(two)), route(rules=ALL), guard)
    after = (gateway("eg", listeners=two[1]), route(rules=ALL))
    reported = review(before, after, "eg")
    assert codes.ACCESS_REMOVED.code not in codes_of(reported)
    gone = [item.example for item in reported if item.result.code == codes.LISTENER_GONE.code]
    assert gone == ["GET http://a.shop.example:443/"]


def test_a_listener_without_a_name_is_on_no_path() -> None:
    nameless = (gateway("eg", listeners="{name: '', port: 80, protocol: HTTP}"), route(rules=ALL))
    assert review(nameless, (nameless[0], route(rules=ADMIN)), "eg") == []


def test_a_listener_of_another_protocol_has_an_example_of_each() -> None:
    listener = "{name: web, port: 8080, protocol: HTTP, hostname: '*.shop.example'}"
    tls = listener.replace("HTTP,", "HTTPS, tls: {certificateRefs: [{name: cert}]},")
    before, after = ((gateway("istio", listeners=one), route(rules=ALL)) for one in (tls, listener))
    told = {item.result.code: item.example for item in review(before, after)}
    assert told[codes.WAY_GONE.code] == "GET https://a.shop.example:8080/"
    assert told[codes.NEWLY_PUBLIC.code] == "GET http://a.shop.example:8080/"


def test_many_headers_hide_no_way_in_and_what_is_not_compared_is_refused() -> None:
    names = [f"x-{letter}" for letter in "abcdefghijklm"]
    rules = (
        f"{{name: {name}, matches: [{{headers: [{{name: {name}, value: '1'}}]}}], {BACKEND}}}"
        for name in names
    )
    base = (gateway("eg"), route(rules=ALL), on("SecurityPolicy", BASIC, "cart"))
    after = (*base, route("extra", rules=", ".join(rules)))
    opened, left = sorted(review(base, after, "eg"), key=lambda item: item.result.code)
    assert opened.result.code == codes.ACCESS_REMOVED.code
    assert len(opened.paths) == len(names)
    assert (left.result.code, left.severity) == (codes.EFFECT_NOT_KNOWN.code, ERROR)
    assert "too many combinations of values to compare all" in left.result.message
    assert review(after, after, "eg") == []
