"""A change of hostnames and listeners, which decide to which rule requests come, is told."""

from spokerender.findings.codes import review as codes
from spokerender.findings.results import INFO, WARNING, FindingKind, Severity
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
from tests.support import cases, each, manifest, named_rows_of, rows_of

Documents = tuple[str, ...]
BACKEND = "backendRefs: [{name: app, port: 80}]"
FLEET = SYNC + "".join(
    f"  - {{group: {group}, kind: {kind}}}\n"
    for group, kind in (
        ("gateway.networking.k8s.io", "ListenerSet"),
        ("gateway.networking.k8s.io", "ReferenceGrant"),
        ("gateway.envoyproxy.io", "EnvoyPatchPolicy"),
        ("gateway.envoyproxy.io", "Backend"),
    )
)
BOTH = PLACE.replace("infra/web", "infra/web, infra/api")


def rule(name: str, path: str) -> str:
    return f"{{name: {name}, matches: [{{path: {{type: PathPrefix, value: {path}}}}}], {BACKEND}}}"


def review(
    before: Documents, after: Documents, place: str = PLACE, later: str = ""
) -> list[Consequence]:
    sides = (before, place), (after, later or place)
    return list(
        compare(
            *(state(hub("eg", *documents), where, FLEET) for documents, where in sides)
        ).consequences
    )


DOCUMENTS: dict[str, str] = rows_of(__file__, "documents")


def named(*names: str) -> Documents:
    return tuple(DOCUMENTS[name] for name in names)


WILD, TWO = named("gateway", "all"), named("two", "on wildcard")
OWN, ON_WILDCARD = named("own", "on wildcard")
LISTENER = (
    "{name: %s, port: %s, protocol: HTTP, hostname: %s, allowedRoutes: {namespaces: {from: All}}}"
)
SET = manifest(
    "ListenerSet infra/set",
    f"parentRef: {{name: web}}, listeners: [{LISTENER % ('one', 81, 'b.example')}]",
)
ADMITS = DOCUMENTS["admits All"].replace("from: All}}, ", "from: %s}}, ", 1)
FOREIGN = "{name: new, namespace: b, port: 1, weight: %s}"
CART = "Gateway infra/web [https] > HTTPRoute infra/all [cart]"
PAY = "Gateway infra/web [https] > HTTPRoute infra/own [pay]"


@cases(*named_rows_of(__file__, "who_gets_a_hostname_is_told_on_the_path_that_it_is_about"))
def test_who_gets_a_hostname_is_told_on_the_path_that_it_is_about(
    before: list[str], after: list[str], code: str, severity: str, path: str
) -> None:
    """Where others could make some requests under the name already, further ones are no news."""
    reported = [item for item in review(named(*before), named(*after)) if item.result.code == code]
    assert [(item.paths, item.severity) for item in reported] == [((path,), severity)]


@each(*rows_of(__file__, "a_listener_comes_with_a_rule_for_what_it_takes"))
def test_a_listener_comes_with_a_rule_for_what_it_takes(after: list[str]) -> None:
    reported = review(named("one", *after[1:]), named(*after))
    assert not [item for item in reported if "has no rule for them" in item.result.message]


def test_a_route_that_has_all_its_names_on_its_port_may_have_them_on_another() -> None:
    added = "{name: web, sectionName: https}, {name: web, sectionName: more}"
    after = ON_WILDCARD.replace("{name: web, sectionName: https}", added)
    reported = review(named("ports", "on wildcard"), (*named("ports"), after))
    assert codes.WAY_GONE.code not in codes_of(reported)


@cases(*named_rows_of(__file__, "a_listener_goes_that_took_nothing_from_a_rule"))
def test_a_listener_goes_that_took_nothing_from_a_rule(before: list[str], after: list[str]) -> None:
    reported = review(named(*before), named(*after))
    gained = codes_of(item for item in reported if CART in item.paths)
    assert not gained & {codes.NEWLY_PUBLIC.code, codes.FURTHER_WAY.code}


def test_names_that_come_from_a_listener_are_told_with_the_object_that_kept_them() -> None:
    (public,) = [
        item
        for item in review(TWO, named("one", "on wildcard"))
        if item.result.code == codes.NEWLY_PUBLIC.code
    ]
    assert public.hostnames == ("*.a.shop.example",)
    assert str(public.result.resource) == "Gateway infra/web"


@cases(*named_rows_of(__file__, "what_moves_no_request_is_silent"))
def test_what_moves_no_request_is_silent(before: list[str], after: list[str]) -> None:
    reported = loud_of(review(named(*before), named(*after)))
    assert codes_of(reported) - {codes.NEWLY_PUBLIC.code} == set()


def test_all_that_a_wildcards_rule_had_under_a_name_is_taken_over() -> None:
    reported = review(WILD, (*WILD, *named("whole")))
    assert codes.WAY_GONE.code not in codes_of(reported)
    assert {item.paths for item in loud_of(reported)} == {(PAY,)}


def loud_of(items: list[Consequence]) -> list[Consequence]:
    return [item for item in items if item.severity is not INFO]


def test_a_route_on_another_gateway_is_gone_here_and_new_there() -> None:
    before = (gateway("eg"), gateway("eg", "api"), route("all", "a.shop.example"))
    reported = review(before, (*before[:2], before[2].replace("name: web", "name: api")), BOTH)
    paths = {item.result.code: {path.split(" [")[0] for path in item.paths} for item in reported}
    assert paths == {
        codes.WAY_GONE.code: {"Gateway infra/web"},
        codes.NEWLY_PUBLIC.code: {"Gateway infra/api"},
    }


def test_a_listener_set_goes_with_its_renamed_gateway() -> None:
    before = (ADMITS % "Same", route("all", "a.shop.example"), SET)
    after = tuple(text.replace("name: web", "name: front") for text in before)
    later = PLACE.replace("infra/web", "infra/front")
    assert loud_of(review(before, after, PLACE, later)) == []


@cases(((), WARNING), (("basicAuth: {users: {name: users}}",), INFO))
def test_what_a_broken_policy_refused_is_served_again(
    kept: tuple[str, ...], severity: Severity
) -> None:
    broken = policy(
        "BackendTrafficPolicy",
        "loadBalancer: {type: ConsistentHash, consistentHash: {type: SourceIP, tableSize: 4}}",
    )
    rest = (*WILD[:1], route(), *(policy("SecurityPolicy", spec, name="k") for spec in kept))
    reported = review((*rest, broken), rest)
    again = [item for item in reported if "answered with 500 before" in item.result.message]
    assert [(item.result.code, item.severity) for item in again] == [
        (codes.FURTHER_WAY.code, severity)
    ]
    assert again[0].paths[0].startswith("Gateway infra/web [https] > HTTPRoute infra/cart [")


def test_of_patches_nobody_says_that_they_kept_somebody_out() -> None:
    (gone,) = loud_of(review((*WILD, *named("patch")), WILD))
    assert gone.result.message == (
        "no EnvoyPatchPolicy is in force any more; whether it refused requests is not known"
    )


def test_a_weight_of_nothing_needs_no_grant() -> None:
    one = (WILD[0], WILD[1].replace("port: 80}", f"port: 80}}, {FOREIGN % 1}"))
    none = (WILD[0], WILD[1].replace("port: 80}", f"port: 80}}, {FOREIGN % 0}"))
    assert codes.ANSWERED_WITH_500.code in codes_of(review(WILD, one))
    assert codes.ANSWERED_WITH_500.code not in codes_of(review(WILD, none))


def test_a_rule_whose_backend_is_deleted_fails() -> None:
    outside = manifest("Backend infra/app", "endpoints: []", api="gateway.envoyproxy.io/v1alpha1")
    named = WILD[1].replace("{name: app", "{group: gateway.envoyproxy.io, kind: Backend, name: app")
    before = (WILD[0], named, outside)
    (failing,) = [one for one in review(before, before[:2]) if one.paths]
    assert (failing.result.code, failing.paths) == (codes.ANSWERED_WITH_500.code, (CART,))
    assert "Backend infra/app" in failing.result.message


@each("authz", "app")
def test_a_policy_whose_target_the_spoke_has_from_others_is_told(service: str) -> None:
    """No path of requests that files show leads to the service that decides who may call.

    One that gets requests as well is asked by other paths than those that lead to it.
    """
    asked = policy(
        "SecurityPolicy", f"extAuth: {{http: {{backendRefs: [{{name: {service}, port: 80}}]}}}}"
    )
    spec = "validation: {wellKnownCACertificates: System, hostname: a.example}"
    own = policy("BackendTLSPolicy", spec, "service", "tls").replace(
        "name: app", f"name: {service}"
    )
    rest = (*WILD[:1], route(), asked)
    edited = own.replace("a.example", "b.example")
    for after in ((*rest, edited), rest):
        assert codes.EFFECT_NOT_KNOWN.code in codes_of(loud_of(review((*rest, own), after)))
    described = own.replace("name: tls", "labels: {team: a}, name: tls")
    assert loud_of(review((*rest, own), (*rest, described))) == []


@each("istio.io/rev: other", "gateway.envoyproxy.io/own: a")
def test_a_label_of_a_security_policy_that_a_controller_may_read_is_told(label: str) -> None:
    """Istio's control plane reads no object of another revision."""
    guard = policy("AuthorizationPolicy", "action: DENY\nrules: [{to: [a]}]", "gateway")
    labelled = guard.replace("name: own,", f"name: own, labels: {{{label}}},")
    rest = (*WILD[:1], route())
    (told,) = loud_of(review((*rest, guard), (*rest, labelled)))
    assert told.result.code == codes.EFFECT_NOT_KNOWN.code


@cases(
    ("pod-security.kubernetes.io/enforce: a", "pod-security.kubernetes.io/enforce: b"),
    ("team: a", "team: a, istio.io/rev: other"),
)
def test_a_label_of_a_namespace_that_clusters_may_read_is_told(old: str, new: str) -> None:
    rest = (*WILD[:1], route())
    before, after = (
        (*rest, manifest("Namespace infra", metadata=f"labels: {{{labels}}}"))
        for labels in (old, new)
    )
    (told,) = loud_of(review(before, after))
    assert told.result.code == "SR2562"
    assert loud_of(review(before, before)) == []


NAMESPACE = manifest("Namespace team", metadata="labels: {tier: gold}")
GOLD = gateway("eg").replace("from: All", "from: Selector, selector: {matchLabels: {tier: gold}}")
OF_TEAM = (
    WILD[1]
    .replace("namespace: infra", "namespace: team")
    .replace("{name: web}", "{name: web, namespace: infra}")
)


def test_a_namespace_whose_labels_nobody_knows_any_more_makes_its_routes_unknown() -> None:
    labelled, unlabelled = (GOLD, NAMESPACE, OF_TEAM), (GOLD, OF_TEAM)
    (reported,) = loud_of(review(labelled, unlabelled))
    assert reported.result.code == codes.NEWLY_UNDECIDED.code
    assert reported.paths == (CART.replace("infra/all", "team/all"),)
    assert "Namespace team" in reported.result.message
    assert loud_of(review(unlabelled, labelled)) == []
    everybody = gateway("eg")
    assert loud_of(review((everybody, *labelled[1:]), (everybody, OF_TEAM))) == []


def test_a_namespace_of_a_listener_set_whose_labels_nobody_knows_any_more_is_told() -> None:
    label = "from: Selector, selector: {matchLabels: {tier: gold}}"
    gates = ADMITS.replace("from: %s", label)
    own = SET.replace("namespace: infra", "namespace: team").replace(
        "{name: web}", "{name: web, namespace: infra}"
    )
    on_set = route("all", "b.example", rule("cart", "/cart")).replace(
        "{name: web}", "{group: gateway.networking.k8s.io, kind: ListenerSet, name: set}"
    )
    labelled = (gates, own, on_set.replace("namespace: infra", "namespace: team"), NAMESPACE)
    (reported,) = loud_of(review(labelled, labelled[:-1]))
    assert reported.result.code == codes.NEWLY_UNDECIDED.code


_TLS = "tls: {certificateRefs: [{name: cert}]}, allowedRoutes: {namespaces: {from: All}}"
_SECURE = f"{{name: https, port: 443, protocol: HTTPS, {_TLS}}}"
_OTHER = _SECURE.replace("443", "8443").replace("name: https", "name: other")
_PLAIN = "{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}"
_LOGIN = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
_AUTH = policy("AuthPolicy", _LOGIN)
_OPEN = "rules: {authentication: {all: {anonymous: {}}}}"


@cases((_OTHER, ""), (_PLAIN, " without encryption"))
@cases(((_AUTH,), "HTTPRoute infra/cart is served"), ((), "anybody may call HTTPRoute infra/cart"))
def test_a_further_listener_is_named_with_what_it_lacks(
    more: Documents, served: str, listener: str, lacks: str
) -> None:
    gateways = [gateway("istio", listeners=each) for each in (_SECURE, f"{_SECURE}, {listener}")]
    found = loud(compare(*(state(hub("istio", one, route(), *more)) for one in gateways)))
    message = f"{served} under a.shop.example{lacks}, and {'was' if more else 'could'} not before"
    assert [item.result.message for item in found] == [message]


_ALL = f"{{name: all, {BACKEND}}}"
_OWN = _ALL.replace("all,", "own, matches: [{method: GET}],")


def _split(rule: str) -> list[Consequence]:
    documents = (gateway("istio"), _AUTH)
    sides = (route(rules=each) for each in (_ALL, f"{rule}, {_ALL}"))
    return loud(compare(*(state(hub("istio", *documents, side)) for side in sides)))


def test_a_rule_that_does_the_same_with_requests_of_another_rule_means_nothing() -> None:
    assert _split(_OWN) == []


def test_a_rule_that_sends_requests_of_another_rule_elsewhere_is_told_as_that() -> None:
    (told,) = _split(_OWN.replace("app", "other"))
    route_name = "HTTPRoute infra/cart"
    assert told.result.message == (
        f"{route_name} sends requests to other backends, or with other weights or filters; "
        f"{route_name} [all] took these requests before"
    )
    assert told.example == "GET https://a.shop.example/"


def test_requests_that_another_route_opens_are_told_once() -> None:
    """That they go elsewhere, too, follows: the entry names the rule that took them."""
    guarded = gateway("istio"), route(rules=_ALL), _AUTH
    rule = _OWN.replace("app", "other")
    more = (
        route("open", rules=rule),
        policy("AuthPolicy", _OPEN, name="opened").replace("cart", "open"),
    )
    (told,) = loud(compare(*(state(hub("istio", *guarded, *own)) for own in ((), more))))
    assert told.result.message == (
        "no AuthPolicy guards this path any more; "
        "HTTPRoute infra/cart [all] took these requests before"
    )
    assert told.paths == ("Gateway infra/web [https] > HTTPRoute infra/open [own]",)
    cure, entry = told.result.cure.split("\n")
    assert cure.endswith("fleet.yaml (lost: opens accepts the weakening, and deletes nothing):")
    assert entry.startswith("- {ref: AuthPolicy/infra/opened, spokes: [")


_NARROW = (
    "{{name: {name}, port: 443, protocol: {protocol}, hostname: '{host}', "
    "{tls}allowedRoutes: {{namespaces: {{from: All}}}}}}"
)


@each("HTTPS", "HTTP")
def test_a_nearer_listener_that_a_route_leaves_still_takes_its_connections(protocol: str) -> None:
    """TLS comes to the listener with the nearest hostname, which has no rule for it any more."""
    tls = "tls: {certificateRefs: [{name: cert}]}, " if protocol == "HTTPS" else ""
    listeners = [
        _NARROW.format(name=name, protocol=protocol, host=host, tls=tls)
        for name, host in (("wide", "*.shop.example"), ("near", "a.shop.example"))
    ]
    sides = (
        route(hosts="'*.shop.example'").replace(
            "parentRefs: [{name: web}]", f"parentRefs: [{parents}]"
        )
        for parents in (
            "{name: web, sectionName: wide}, {name: web, sectionName: near}",
            "{name: web, sectionName: wide}",
        )
    )
    web = gateway("eg", listeners=", ".join(listeners))
    told = loud_of(review((web, next(sides)), (web, next(sides))))
    lost = {(one.result.code, path) for one in told for path in one.paths}
    expected = {
        f"Gateway infra/web [near] > HTTPRoute infra/cart [{name}]" for name in ("read", "write")
    }
    assert {path for _, path in lost} == (expected if protocol == "HTTPS" else set())


def of_sections(*names: str) -> str:
    refs = ", ".join(f"{{name: web, sectionName: {name}}}" for name in names)
    return OWN.replace("parentRefs: [{name: web}]", f"parentRefs: [{refs}]")


@each("web", "web-new")
def test_a_listener_of_a_listener_set_may_become_its_gateways_own(name: str) -> None:
    """The Gateway may be another one, on which each address listens as before."""
    extra = LISTENER % ("extra", 8080, "a.shop.example")
    admitting, inside = (
        gateway("eg", each).replace(
            "spec: {", "spec: {allowedListeners: {namespaces: {from: Same}}, "
        )
        for each in ("web", name)
    )
    inside = inside.replace("listeners: [", f"listeners: [{extra}, ")
    group = "gateway.networking.k8s.io"
    listeners = manifest(
        "ListenerSet infra/more",
        f"parentRef: {{name: web}}, listeners: [{extra}]",
        api=f"{group}/v1",
    )
    of_set = OWN.replace("{name: web}", f"{{group: {group}, kind: ListenerSet, name: more}}")
    own = of_sections("extra").replace("{name: web,", f"{{name: {name},")
    renamed = PLACE.replace("infra/web", f"infra/{name}")
    sides = ((admitting, listeners, of_set), PLACE), ((inside, own), renamed)
    for (before, place), (after, later) in (sides, sides[::-1]):
        consequences = review(before, after, place, later)
        assert [item for item in consequences if item.severity is not INFO] == []
    moved = inside.replace("port: 8080", "port: 8081")
    gone = review(sides[0][0], (moved, own), PLACE, renamed)
    assert codes.LISTENER_GONE.code in codes_of(gone)


_HOSTS = "a.shop.example, b.shop.example"


@each(False, True)
def test_a_route_of_one_of_the_hostnames_that_does_the_same_means_nothing(is_guarded: bool) -> None:
    """A route for several hostnames is split into one of each, with the policy for both."""
    own = (_AUTH.replace("name: own", "name: more").replace("name: cart", "name: more"),)
    documents = gateway("istio"), *((_AUTH,) if is_guarded else ())
    first, second = (route(hosts=name) for name in _HOSTS.split(", "))
    second = second.replace("name: cart", "name: more")
    before = hub("istio", *documents, route(hosts=_HOSTS))
    after = hub("istio", *documents, first, second, *(own if is_guarded else ()))
    assert loud(compare(state(before), state(after))) == []


@cases(
    ((_AUTH,), "app", codes.ACCESS_REMOVED),
    ((), "other", codes.ROUTED_ELSEWHERE),
    ids=["without the policy", "backends"],
)
def test_a_route_of_one_of_the_hostnames_that_does_something_else_is_told(
    more: Documents, backend: str, code: FindingKind
) -> None:
    first, second = (route(hosts=name) for name in _HOSTS.split(", "))
    second = second.replace("name: cart", "name: more").replace("name: app", f"name: {backend}")
    sides = (route(hosts=_HOSTS),), (first, second)
    states = (state(hub("istio", gateway("istio"), *more, *side)) for side in sides)
    assert {item.result.code for item in loud(compare(*states))} == {code.code}


def test_a_route_that_is_joined_with_its_part_keeps_the_policies_of_each_listener() -> None:
    listeners = ", ".join(
        LISTENER % (name, port, "a.shop.example") for name, port in (("one", 80), ("two", 81))
    )
    limits = "limits: {all: {rates: [{limit: 5, window: 1m}]}}"
    on_one = policy("RateLimitPolicy", limits, "gateway").replace(
        "name: web}", "name: web, sectionName: one}"
    )
    rules = [
        f"{{name: {name}, matches: [{{path: {{value: /{name}}}}}], {BACKEND}}}" for name in "ab"
    ]
    parts = [route(rules=rules[0]), route(rules=rules[1]).replace("name: cart", "name: more")]
    rest = gateway("istio", listeners=listeners), policy("AuthPolicy", _LOGIN, "gateway"), on_one
    sides = parts, [route(rules=", ".join(rules))]
    for before, after in (sides, sides[::-1]):
        states = (state(hub("istio", *rest, *each)) for each in (before, after))
        # How many counters a limit has is another matter.
        assert codes_of(loud(compare(*states))) <= {codes.LIMIT_SPLIT.code}


_BY_PATH = "path: {type: %s, value: %s}"
_TWO = ", ".join(f"{{{_BY_PATH % ('PathPrefix', path)}}}" for path in ("/a", "/b"))
_PATTERN = f"{{name: odd, matches: [{{{_BY_PATH % ('RegularExpression', '/a.*')}}}]}}"


def test_a_rule_for_each_match_of_a_rule_means_nothing() -> None:
    both = f"{{name: both, matches: [{_TWO}], {BACKEND}}}"
    first, second = (
        f"{{name: {name}, matches: [{match}], {BACKEND}}}"
        for name, match in zip(("both", "more"), _TWO.split(", {"), strict=True)
    )
    second = second.replace("[path", "[{path")
    sides = [route(rules=each) for each in (both, f"{first}, {second}")]
    for before, after in (sides, sides[::-1]):
        states = (state(hub("istio", gateway("istio"), _AUTH, each)) for each in (before, after))
        assert loud(compare(*states)) == []


def test_of_a_route_for_one_of_the_hostnames_each_rule_takes_what_its_like_took() -> None:
    rules = f"{{name: a, matches: [{{{_BY_PATH % ('PathPrefix', '/a')}}}], {BACKEND}}}, {_PATTERN}"
    first, second = (route(hosts=name, rules=rules) for name in _HOSTS.split(", "))
    second = second.replace("name: cart", "name: more")
    sides = (route(hosts=_HOSTS, rules=rules),), (first, second)
    states = (state(hub("eg", gateway("eg"), *side)) for side in sides)
    assert loud(compare(*states)) == []


def test_a_listener_that_moves_to_its_gateway_is_compared_with_none_of_another_port() -> None:
    moved = LISTENER % ("one", 81, "'*.shop.example'")
    own = SET.replace(LISTENER % ("one", 81, "b.example"), moved)
    gates = ADMITS % "All"
    on_both = route(rules=_ALL).replace(
        "[{name: web}]",
        "[{name: web}, {group: gateway.networking.k8s.io, kind: ListenerSet, name: set}]",
    )
    asks = policy("SecurityPolicy", "jwt: {providers: [{name: a, issuer: https://id}]}", "listener")
    fleet = SYNC + "  - {group: gateway.networking.k8s.io, kind: ListenerSet}\n"
    before = hub("eg", gates, own, on_both, asks)
    after = hub("eg", gates.replace("listeners: [", f"listeners: [{moved}, "), on_both, asks)
    found = compare(*(state(each, PLACE, fleet) for each in (before, after)))
    assert (loud(found), found.tightened) == ([], ())


def test_a_connection_that_a_wider_listener_of_tls_took_is_told_with_its_route() -> None:
    """Envoy Gateway: a listener of TLS without a route for a name is in no other one's way."""
    door = "port: 443, protocol: TLS, tls: {mode: Passthrough}"
    doors = f"{{name: near, hostname: '*.shop.example', {door}}}, {{name: wide, {door}}}"
    one = route(kind="TLSRoute", rules="{name: all, backendRefs: [{name: app, port: 443}]}")
    own = one.replace("{name: web}", "{name: web, sectionName: wide}")
    sides = (hub("eg", gateway("eg", listeners=doors), *each) for each in ((own,), ()))
    assert "SR2521" in codes_of(loud(compare(*map(state, sides))))
