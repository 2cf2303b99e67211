"""Changes of hub and placement that weaken something are told; those that mean nothing are not."""

from collections.abc import Callable, Mapping
from typing import Any

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind, Severity
from spokerender.model import Origin
from spokerender.pipeline import unused_suppressions
from spokerender.review.comparison.states import FleetState
from spokerender.review.values import Consequence, Topic
from tests.review.meaning.scenes import (
    PLACE,
    PROXY_CLASS,
    READ_BACKENDS,
    RULES,
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
from tests.support import cases, each, manifest, rows_of

LOGIN = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
LIMIT = "limits: {all: {rates: [{limit: 5, window: 10s}]}}"
GEO = "loadBalancing: {weight: 1, geo: EU, defaultGeo: true}"
AUTH = policy("AuthPolicy", LOGIN)
ON_GATEWAY = policy("AuthPolicy", LOGIN, "gateway", "all")
HTTPS = (
    "{name: https, port: 443, protocol: HTTPS, hostname: '*.shop.example', "
    "tls: {certificateRefs: [{name: cert}]}, allowedRoutes: {namespaces: {from: All}}}"
)
HTTP = "{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}"
READ = "{name: read, matches: [{method: GET}], backendRefs: [{name: app, port: 80}]}"
GRANT: str = rows_of(__file__, "grant")
CERT = manifest("Secret infra/cert")
SERVICE: str = rows_of(__file__, "service")
DENYING = policy(
    "AuthorizationPolicy", "action: DENY\nrules: [{to: [{operation: {methods: [PUT]}}]}]", "gateway"
)
Documents = tuple[str, ...]
BASE = (gateway("istio"), route(), AUTH, policy("RateLimitPolicy", LIMIT))


def but(old: str, new: str, documents: Documents = BASE) -> Documents:
    """The documents with a text replaced, which has to be in one of them."""
    assert any(old in text for text in documents), old
    return tuple(text.replace(old, new) for text in documents)


def told(before: Documents, after: Documents, places: tuple[str, str] = (PLACE, PLACE)) -> set[str]:
    old, new = (
        state(hub("istio", *documents), place)
        for documents, place in zip((before, after), places, strict=True)
    )
    return codes_of(loud(compare(old, new)))


def of_code(code: str, old: FleetState, new: FleetState) -> list[Consequence]:
    return [item for item in loud(compare(old, new)) if item.result.code == code]


DOCUMENTS = {
    **dict(zip(("gateway", "route", "login", "limit"), BASE, strict=True)),
    "login on the gateway": ON_GATEWAY,
    "certificate": CERT,
    "certificate with a type": f"{CERT}type: kubernetes.io/tls\n",
    "service": SERVICE,
    "grant": GRANT,
    "denying": DENYING,
}


def document(entry: Any) -> str:
    """A document by its name, by the arguments of what writes it, or changed from another one."""
    match entry:
        case str():
            return DOCUMENTS[entry]
        case {"policy": arguments}:
            return policy(*arguments)
        case {"route": arguments}:
            return route(**arguments)
        case {"gateway": arguments}:
            return gateway("istio", **arguments)
        case {"of": other, "replace": replaced}:
            return edit((document(other),), replaced)[0]
        case _:
            raise ValueError(entry)


def edit(documents: Documents, replaced: Mapping[str, str]) -> Documents:
    for old, new in replaced.items():
        documents = but(old, new, documents)
    return documents


def side(entry: Mapping[str, Any]) -> Documents:
    """The documents of one side of a case; all of `BASE` where it lists none."""
    if "selecting" in entry:
        return selecting(entry["selecting"])
    listed = entry.get("documents", ("gateway", "route", "login", "limit"))
    return edit(tuple(map(document, listed)), entry.get("replace", {}))


def sides(case: Mapping[str, Any]) -> tuple[Documents, Documents]:
    return side(case.get("before", {})), side(case.get("after", {}))


WEAKER: dict[str, Any] = rows_of(__file__, "weaker")


@each(*WEAKER)
def test_what_weakens_something_is_told(case: str) -> None:
    code: FindingKind = getattr(codes, WEAKER[case]["code"])
    assert code.code in told(*sides(WEAKER[case]))


@cases(
    (CERT, "Gateway infra/web [https]"),
    (SERVICE, "Gateway infra/web [https] > HTTPRoute infra/cart [read]"),
)
def test_what_the_files_have_of_late_is_told_where_it_is_needed(needed: str, path: str) -> None:
    """Spokes may have had it from elsewhere; one that lacked it takes requests now."""
    sides = (state(hub("istio", *each)) for each in (BASE, (*BASE, needed)))
    told = compare(*sides).consequences
    assert {(one.result.code, one.severity) for one in told} == {("SR2562", INFO)}
    assert path in {each for one in told for each in one.paths}
    new = state(hub("istio", *BASE[:1])), state(hub("istio", *BASE, needed))
    assert "SR2562" not in codes_of(
        one for one in compare(*new).consequences if "HTTPRoute" in one.result.message
    )


FEW = PLACE.replace("spokes: {all: true}", "spokes: {names: [eu]}")
MORE = PLACE.replace("  - {name: us}\n", "  - {name: us}\n  - {name: za}\n")
OVERRIDE: str = rows_of(__file__, "override")


@cases(
    (PLACE, FEW, codes.HOSTNAME_GONE, ("us",)),
    (FEW, PLACE, codes.FURTHER_WAY, ("us",)),
    (PLACE, PLACE + OVERRIDE % "us", codes.ACCESS_REMOVED, ("us",)),
    (PLACE, MORE + OVERRIDE % "za", codes.ACCESS_REMOVED, ("za",)),
)
def test_what_placement_weakens_is_told_of_its_spokes(
    before: str, after: str, code: FindingKind, spokes: tuple[str, ...]
) -> None:
    old, new = (state(hub("istio", *BASE), place) for place in (before, after))
    found = of_code(code.code, old, new)
    assert {item.result.spokes for item in found} == {spokes}
    assert all(item.result.origin is not None for item in found)


EXTERNAL = (
    SYNC
    + """\
  external:
  - {group: '', kind: %s, namespace: infra, name: %s}
"""
)
WAF = "securityLogs: [{logSource: {auth: {secretRef: {name: logs}}}}]"
BELOW = "Gateway infra/web [https]"
ON_RULES = {f"{BELOW} > HTTPRoute infra/cart [{rule}]" for rule in ("read", "write")}


FAR = policy("AuthPolicy", LOGIN).replace("cart", "far")
DECLARED_ROUTE = SYNC + rows_of(__file__, "declared_route")


@cases(*rows_of(__file__, "a_policy_on_a_route_that_spokes_have_from_others_is_told"))
def test_a_policy_on_a_route_that_spokes_have_from_others_is_told(
    after: str | None, fleet: str
) -> None:
    """Its requests are on no path of the hub's, so what becomes of them can't be compared."""
    documents = (gateway("istio"), route())
    old = state(hub("istio", *documents, FAR), PLACE, DECLARED_ROUTE)
    new = state(hub("istio", *documents, *([after] if after else [])), PLACE, fleet)
    (told,) = of_code("SR2562", old, new)
    assert [ref.name for ref in told.policies] == ["own"]


def test_what_a_policy_asks_and_no_file_has_any_more_is_told_where_the_policy_is_in_force() -> None:
    """The policy may be carried out as before, or have requests answered with 500."""
    asking = policy("SecurityPolicy", "extAuth: {http: {backendRefs: [{name: app, port: 80}]}}")
    before, after = (
        state(hub("eg", gateway("eg"), route(), asking, *it)) for it in ((SERVICE,), ())
    )
    (told,) = (one for one in of_code("SR2526", before, after) if "own" in one.result.message)
    assert told.paths == (
        f"{BELOW} > HTTPRoute infra/cart [read]",
        f"{BELOW} > HTTPRoute infra/cart [write]",
    )


PROXY: str = rows_of(__file__, "proxy")
OF_CLASS = (PROXY_CLASS, PROXY, gateway("eg"), route())


@cases(
    (but("default: warn", "default: debug", OF_CLASS), codes.EFFECT_NOT_KNOWN),
    (but("{logging:", "{mergeGateways: true, logging:", OF_CLASS), codes.EFFECT_NOT_KNOWN),
    (but("name: proxy}", "name: other}", OF_CLASS), codes.EFFECT_NOT_KNOWN),
    (but("gateway.envoyproxy.io/", "other.example/", OF_CLASS), codes.EFFECT_NOT_KNOWN),
    ((PROXY_CLASS, *OF_CLASS[2:]), codes.NEEDED_MISSING),
    (OF_CLASS[1:], codes.NEEDED_MISSING),
)
def test_another_class_of_the_hub_is_told_on_the_listeners_of_its_gateways(
    after: Documents, code: FindingKind
) -> None:
    """No spoke gets class or parameters, so no byte of a tree is another one."""
    old, new = (state("---\n".join(each)) for each in (OF_CLASS, after))
    (told,) = of_code(code.code, old, new)
    assert set(told.paths) == {BELOW}


MERGING = but("{logging:", "{mergeGateways: true, logging:", OF_CLASS)
SET: str = rows_of(__file__, "set")
PLAIN = PROXY_CLASS.partition(", parametersRef")[0] + "}\n"


@each(False, True)
@each(False, True)
def test_gateways_that_get_another_proxy_are_told_with_their_listener_sets(
    is_merged: bool, is_by_class: bool
) -> None:
    """A merged proxy has the name of the class, and is another Service (getIRKey, infra)."""
    merged = but("ame: https", "ame: tls", MERGING)
    apart = (PLAIN, *MERGING[1:]) if is_by_class else OF_CLASS
    admits = "spec: {allowedListeners: {namespaces: {from: All}}, gatewayClassName"
    sides = [(*but("spec: {gatewayClassName", admits, each), SET) for each in (apart, merged)]
    fleet = SYNC + "  - {group: gateway.networking.k8s.io, kind: ListenerSet}\n"
    sides = sides if is_merged else sides[::-1]
    old, new = (state("---\n".join(each), PLACE, fleet) for each in sides)
    (told,) = of_code("SR2523", old, new)
    assert set(told.paths) == {"Gateway infra/web", "Gateway infra/web > ListenerSet infra/more"}
    assert set(told.hostnames) == {"*.shop.example", "*"}
    assert told.topic is Topic.TRAFFIC
    assert "another proxy" in told.result.message


SHIPPED = "  - {group: gateway.envoyproxy.io, kind: Backend}\n"
ELSEWHERE = SHIPPED.replace("Backend", "Backend, namespace: infra, name: far")
BACKEND: str = rows_of(__file__, "backend")


@each(False, True)
def test_backends_that_a_controller_reads_no_more_are_told_on_their_rules(is_shipped: bool) -> None:
    """Envoy Gateway, route.go: a Backend is refused where enableBackend is off."""
    far = "backendRefs: [{group: gateway.envoyproxy.io, kind: Backend, name: far}]"
    rules = RULES.replace("backendRefs: [{name: app, port: 80}]", far, 1)
    text = hub("eg", gateway("eg"), route(rules=rules), BACKEND)
    fleets = [SYNC + READ_BACKENDS % word for word in ("true", "false")]
    if not is_shipped:
        fleets = [each.replace(SHIPPED, f"  external:\n{ELSEWHERE}") for each in fleets]
    on, off = (state(text, PLACE, each) for each in fleets)
    path = "Gateway infra/web [https] > HTTPRoute infra/cart [read]"
    for before, after, code in ((on, off, "SR2525"), (off, on, "SR2524")):
        (told,) = loud(compare(before, after))
        assert (told.result.code, told.paths) == (code, (path,))
        assert "Backend infra/far" in told.result.message


def test_backends_that_a_rule_must_not_name_are_not_told_to_be_read_no_more() -> None:
    """No ReferenceGrant: the rule fails in both states."""
    far = "backendRefs: [{group: gateway.envoyproxy.io, kind: Backend, name: far, namespace: shop}]"
    rules = RULES.replace("backendRefs: [{name: app, port: 80}]", far, 1)
    backend = BACKEND.replace("namespace: infra", "namespace: shop")
    text = hub("eg", gateway("eg"), route(rules=rules), backend)
    on, off = (state(text, PLACE, SYNC + READ_BACKENDS % word) for word in ("true", "false"))
    assert loud(compare(on, off)) == []


TO_FAR = "{group: gateway.envoyproxy.io, kind: Backend, name: far}"
TO_APP = "{name: app, port: 80}"
ASKS_FAR = policy("SecurityPolicy", f"extAuth: {{http: {{backendRefs: [{TO_FAR}]}}}}", "gateway")


def test_another_backend_under_the_same_name_is_told_on_the_paths_that_need_it() -> None:
    rules = RULES.replace(TO_APP, TO_FAR, 1)
    edited = BACKEND.replace("10.0.0.9", "10.0.0.10")
    for more, sections in (((), ["read"]), ((ASKS_FAR,), ["read", "write"])):
        documents = gateway("eg"), route(rules=rules), *more
        fleet = SYNC + READ_BACKENDS % "true"
        sides = (state(hub("eg", *documents, each), PLACE, fleet) for each in (BACKEND, edited))
        (told,) = loud(compare(*sides))
        assert told.result.message.startswith("Backend infra/far changes;")
        path = "Gateway infra/web [https] > HTTPRoute infra/cart"
        assert [*told.paths] == [f"{path} [{section}]" for section in sections]


def test_tls_to_a_service_that_a_policy_asks_is_told_on_the_paths_of_the_policy() -> None:
    asks = policy("SecurityPolicy", f"extAuth: {{http: {{backendRefs: [{TO_APP}]}}}}", "rule")
    known = "validation: {hostname: a.example, wellKnownCACertificates: System}"
    secure = policy("BackendTLSPolicy", known, "service", "secure")
    rest = gateway("eg"), route(rules=RULES.replace("app", "other")), asks
    edited = secure.replace("a.example", "b.example")
    path = "Gateway infra/web [https] > HTTPRoute infra/cart [read]"
    for before, after in ((secure, edited), (secure, ""), ("", secure)):
        sides = (hub("eg", *rest, *((each,) if each else ())) for each in (before, after))
        items = loud(compare(*map(state, sides)))
        assert [item.paths for item in items if item.result.code == "SR2562"] == [(path,)]


UNTRUSTED = BACKEND.replace("endpoints", "tls: {sni: a.example}, endpoints")
FILTERS = "  - {group: gateway.envoyproxy.io, kind: HTTPRouteFilter}\n"
COOKIE: str = rows_of(__file__, "cookie")
BY_COOKIE = (
    "{type: ExtensionRef, extensionRef: "
    "{group: gateway.envoyproxy.io, kind: HTTPRouteFilter, name: cookie}}"
)


@cases(*rows_of(__file__, "what_is_deleted_fails_no_request_that_failed_before"))
def test_what_is_deleted_fails_no_request_that_failed_before(
    filters: str, backends: str, gone: str, told: str
) -> None:
    """Envoy Gateway, route.go: it refuses a Backend that trusts nobody, and a rule's wrong filters.

    A part that is refused keeps no other one from failing newly.
    """
    near = UNTRUSTED.replace("name: far", "name: near")
    rules = f"{{name: read, filters: [{filters}], backendRefs: [{backends}]}}"
    fleet = SYNC + FILTERS + READ_BACKENDS % "true"
    rest = gateway("eg"), route(rules=rules), near
    before, after = (state(hub("eg", *rest, *each), PLACE, fleet) for each in ((gone,), ()))
    failing = of_code("SR2525", before, after)
    assert [one.result.message.partition(" for ")[2].partition(" are ")[0] for one in failing] == [
        each for each in (told,) if each
    ]


INJECTED = COOKIE.replace(
    "{matches: [{cookies: [{name: a, value: b}]}]}",
    "{credentialInjection: {credential: {valueRef: {name: other}}}}",
) + rows_of(__file__, "injected")


@cases(([INJECTED], []), ([INJECTED, BACKEND], []), ([INJECTED], [UNTRUSTED]))
def test_a_filter_that_fails_and_is_deleted_serves_no_request(
    before: Documents, after: Documents
) -> None:
    """Envoy Gateway, filters.go: one whose Secret has no `credential` fails, as none does."""
    rules = f"{{name: read, filters: [{BY_COOKIE}], backendRefs: [{TO_FAR}, {TO_APP}]}}"
    fleet = SYNC + FILTERS + READ_BACKENDS % "true"
    rest = gateway("eg"), route(rules=rules)
    states = [state(hub("eg", *rest, *it), PLACE, fleet) for it in (before, after)]
    assert [of_code(code, *states) for code in ("SR2524", "SR2525")] == [[], []]


def test_connections_for_a_backend_that_goes_are_refused() -> None:
    listener = "{name: https, port: 9000, protocol: TCP}"
    tcp = route(hosts="", rules=f"{{backendRefs: [{TO_FAR}, {TO_APP}]}}", kind="TCPRoute")
    rest = gateway("eg", listeners=listener), tcp
    fleet = SYNC + READ_BACKENDS % "true"
    before, after = (state(hub("eg", *rest, *each), PLACE, fleet) for each in ((BACKEND,), ()))
    (told,) = of_code("SR2525", before, after)
    assert "connections for Backend infra/far are refused" in told.result.message


def test_a_backend_without_requests_that_comes_to_work_is_not_told() -> None:
    unused = TO_FAR.replace("far", "far, weight: 0")
    rest = gateway("eg"), route(rules=f"{{name: read, backendRefs: [{unused}, {TO_APP}]}}")
    fleet = SYNC + READ_BACKENDS % "true"
    before, after = (state(hub("eg", *rest, *each), PLACE, fleet) for each in ((), (BACKEND,)))
    assert loud(compare(before, after)) == []


@cases(
    (UNTRUSTED, "which failed before"),
    (UNTRUSTED.replace("name: far", "name: near"), "which no file had before"),
)
def test_a_backend_that_comes_to_work_is_told_on_its_rules(other: str, why: str) -> None:
    """Half of the requests were answered with 500: the Backend was refused, or was not there."""
    rest = gateway("eg"), route(rules=f"{{name: read, backendRefs: [{TO_FAR}, {TO_APP}]}}")
    fleet = SYNC + READ_BACKENDS % "true"
    before, after = (state(hub("eg", *rest, each), PLACE, fleet) for each in (other, BACKEND))
    (told,) = of_code("SR2524", before, after)
    message = f"HTTPRoute infra/cart: requests for Backend infra/far are served, {why}"
    assert told.result.message == message
    assert told.paths == ("Gateway infra/web [https] > HTTPRoute infra/cart [read]",)


def test_a_port_that_comes_to_work_is_told_beside_one_that_did_all_along() -> None:
    port = "{name: app, port: %d}"
    rest = gateway("eg"), route(rules=f"{{name: read, backendRefs: [{port % 80}, {port % 81}]}}")
    ports = "{name: a, port: 80}", "{name: a, port: 80}, {name: b, port: 81}"
    service = manifest("Service infra/app")
    service += "spec: {ports: [%s]}\n"
    before, after = (state(hub("eg", *rest, service % each)) for each in ports)
    (told,) = of_code("SR2524", before, after)
    message = "HTTPRoute infra/cart: requests for Service infra/app [81] are served"
    assert told.result.message == f"{message}, which failed before"


def test_backends_that_failed_before_are_not_told_to_be_read_no_more() -> None:
    rules = f"{{name: read, backendRefs: [{TO_FAR}, {TO_APP}]}}"
    text = hub("eg", gateway("eg"), route(rules=rules), UNTRUSTED)
    on, off = (state(text, PLACE, SYNC + READ_BACKENDS % word) for word in ("true", "false"))
    assert loud(compare(on, off)) == []


ANSWER: str = rows_of(__file__, "answer")
ANSWERED = (
    "{name: read, filters: [{type: ExtensionRef, extensionRef: "
    "{group: gateway.envoyproxy.io, kind: HTTPRouteFilter, name: closed}}], backendRefs: [%s]}"
)


@cases(
    ((TO_APP,), (TO_APP.replace("app", "beta"),)),
    ((TO_FAR,), (TO_FAR, BACKEND)),
    ((TO_APP,), (f"{TO_APP}, {TO_APP.replace('app', 'app, namespace: shop')}",)),
    ids=["others", "one that comes", "one that no grant allows"],
)
def test_backends_that_a_filter_answers_for_mean_nothing(old: Documents, new: Documents) -> None:
    fleet = SYNC + FILTERS + READ_BACKENDS % "true"
    before, after = (
        state(hub("eg", gateway("eg"), ANSWER, route(rules=ANSWERED % ref), *rest), PLACE, fleet)
        for ref, *rest in (old, new)
    )
    assert codes_of(loud(compare(before, after))) == set()


def test_a_backend_that_fails_is_told_as_soon_as_no_filter_answers_for_it() -> None:
    fleet = SYNC + FILTERS + READ_BACKENDS % "true"
    plain = f"{{name: read, backendRefs: [{TO_FAR}]}}"
    before, after = (
        state(hub("eg", gateway("eg"), ANSWER, route(rules=rules), UNTRUSTED), PLACE, fleet)
        for rules in (ANSWERED % TO_FAR, plain)
    )
    assert codes.ANSWERED_WITH_500.code in codes_of(loud(compare(before, after)))


def test_a_comment_or_label_of_a_class_means_nothing() -> None:
    after = but("metadata: {name: eg}", "metadata: {name: eg, labels: {a: b}}  # ours", OF_CLASS)
    old, new = (state("---\n".join(each)) for each in (OF_CLASS, after))
    assert codes_of(loud(compare(old, new))) == set()


@cases(
    ("istio", AUTH, "Secret", "cert", {BELOW}),
    ("istio", AUTH, "Service", "app", ON_RULES),
    ("nginx", policy("WAFPolicy", WAF), "Secret", "logs", ON_RULES),
)
def test_what_is_no_longer_declared_and_needed_is_told_on_its_paths(
    class_name: str, own: str, kind: str, name: str, paths: set[str]
) -> None:
    text = hub(class_name, gateway(class_name), route(), own)
    old, new = state(text, PLACE, EXTERNAL % (kind, name)), state(text)
    (told,) = of_code("SR2526", old, new)
    assert set(told.paths) == paths


def renamed(old: str, new: str) -> Callable[[Documents], Documents]:
    return lambda documents: tuple(text.replace(old, new) for text in documents)


ONE, TWO = (f"{{key: team, operator: In, values: [{teams}]}}" for teams in ("a", "a, b"))


def selecting(selector: str) -> Documents:
    """A listener that takes routes of the namespaces that a selector selects."""
    namespace = manifest("Namespace infra", metadata="labels: {team: a}")
    return (*but("from: All", f"from: Selector, selector: {selector}"), namespace)


HARMLESS: dict[str, Any] = rows_of(__file__, "harmless")


@each(*HARMLESS)
def test_what_means_nothing_is_silent(case: str) -> None:
    assert told(*sides(HARMLESS[case])) == set()


@each(MORE, PLACE.replace("- {name: eu}", "- {name: eu, labels: {a: b}}"))
def test_a_spoke_like_the_others_means_nothing(after: str) -> None:
    assert told(BASE, BASE, (PLACE, after)) == set()


@cases(*rows_of(__file__, "a_selector_that_selects_more_is_told"))
def test_a_selector_that_selects_more_is_told(before: str, after: str) -> None:
    assert told(selecting(before), selecting(after)) == {codes.ADMITS_MORE.code}


def test_a_policy_is_compared_with_the_one_in_whose_place_it_is() -> None:
    merged = policy("RateLimitPolicy", f"defaults: {{strategy: merge, {LIMIT}}}", name="all")
    own = policy("RateLimitPolicy", LIMIT.replace("limit: 5", "limit: 2"), "rule")
    moved = own.replace("sectionName: read", "sectionName: write")
    sides = [state(hub("istio", *BASE[:2], merged, each)) for each in (own, moved)]
    (told,) = loud(compare(*sides))
    all_, own_ = "RateLimitPolicy infra/all", "RateLimitPolicy infra/own"
    assert told.result.message.startswith(f"{all_} lets more requests through than before")
    assert {str(ref) for ref in told.policies} == {all_, own_}


def test_overrides_that_become_defaults_are_told_on_their_paths() -> None:
    changed = sides(WEAKER["overrides become defaults"])
    (told,) = loud(compare(*(state(hub("istio", *each)) for each in changed)))
    path = "Gateway infra/web [https] > HTTPRoute infra/cart"
    assert told.paths == (f"{path} [read]", f"{path} [write]")


def test_of_a_long_value_the_part_is_shown_that_differs() -> None:
    sides = (selecting(f"{{matchExpressions: [{teams}]}}") for teams in (ONE, TWO))
    (found,) = loud(compare(*(state(hub("istio", *documents)) for documents in sides)))
    field = "namespaces.selector.matchExpressions[0].values"
    assert (found.was, found.now) == (f'{field}: ["a"]', f'{field}: ["a", "b"]')


@cases(*rows_of(__file__, "matches_that_are_for_the_same_requests_mean_nothing"))
def test_matches_that_are_for_the_same_requests_mean_nothing(before: str, after: str) -> None:
    assert told(but("{method: GET}", before), but("{method: GET}", after)) == set()


_READ = "HTTPRoute infra/cart [read]"
_NO_MORE = f"requests that {_READ} took under a.shop.example are answered with 404"
_MORE = f"{_READ} takes further requests of anybody under a.shop.example"


@cases(
    ("{path: {value: /a}}", "{path: {value: /}}", (_MORE,), "PathPrefix /a", "PathPrefix /"),
    ("{method: GET}", "{path: {value: /a}}", (_NO_MORE, _MORE),
     "GET PathPrefix /", "PathPrefix /a"),
    ("{path: {value: /a}}",
     "{path: {value: /a, type: Exact}, headers: [{name: X-Staff, value: '1'}]}", (_NO_MORE,),
     "PathPrefix /a", "Exact /a header x-staff: 1"),
)  # fmt: skip
def test_other_matches_of_a_rule_are_told_in_words(
    before: str, after: str, messages: tuple[str, ...], was: str, now: str
) -> None:
    sides = (gateway("istio"), route(rules=READ.replace("{method: GET}", before)))
    other = (sides[0], route(rules=READ.replace("{method: GET}", after)))
    states = (state(hub("istio", *documents)) for documents in (sides, other))
    told = compare(*states).consequences
    assert tuple(item.result.message for item in told) == messages
    assert {(item.was, item.now) for item in told} == {(was, now)}


def test_a_renamed_gateway_with_all_that_names_it_means_nothing() -> None:
    documents = (*BASE[:2], ON_GATEWAY)
    after = renamed("name: web", "name: edge")(documents)
    assert told(documents, after, (PLACE, PLACE.replace("infra/web", "infra/edge"))) == set()


def test_a_gateway_in_another_namespace_means_nothing() -> None:
    moved = PLACE + "    as: {namespace: edge}\n"
    place = moved.replace("as: {namespace: edge}", "as: {namespace: infra}")
    assert told((*BASE[:2], ON_GATEWAY), (*BASE[:2], ON_GATEWAY), (place, moved)) == set()


@cases(
    ("code: SR2501, resource: AuthPolicy/infra/own", False, WARNING),
    ("code: SR2501, resource: AuthPolicy/infra/own", True, ERROR),
    ("code: SR2501, kind: AuthPolicy", False, ERROR),
    ("code: SR2504, kind: RateLimitPolicy", False, WARNING),
    ("code: SR2504, kind: RateLimitPolicy", True, INFO),
)
def test_a_suppression_accepts_a_consequence_and_needs_no_check_to_find_it(
    entry: str, is_earlier: bool, severity: Severity
) -> None:
    """With the weakening that it hides in one change it is told; an error it has to name."""
    suppressed = f"{SYNC}  suppressions:\n  - {{{entry}, reason: it is behind a wall}}\n"
    old = state(hub("istio", *BASE), PLACE, suppressed if is_earlier else SYNC)
    more = BASE[3].replace("limit: 5", "limit: 50")
    new = state(hub("istio", *BASE[:2], more), PLACE, suppressed)
    review = compare(old, new)
    code = entry.split(",", maxsplit=1)[0].removeprefix("code: ")
    (consequence,) = [item for item in review.consequences if item.result.code == code]
    assert consequence.severity is severity
    is_accepted = ("suppressed", "it is behind a wall") in consequence.result.tags
    assert is_accepted is (severity is not ERROR)
    assert unused_suppressions(new.rendered, (), lambda *_: Origin("fleet.yaml")) == ()


def test_a_policy_of_dns_without_records_is_told_once_whatever_it_has() -> None:
    named = policy("DNSPolicy", f"providerRefs: [{{name: dns}}]\n{GEO}", "gateway")
    closed = gateway("istio").replace("*.shop.example", "*.other.example")
    before, after = (
        state(hub("istio", each, *BASE[1:], named)) for each in (gateway("istio"), closed)
    )
    assert {
        item.result.message
        for item in compare(before, after).consequences
        if item.result.code == codes.DNS_CHANGED.code
    } == {
        "Gateway infra/web: other DNS names are published",
        "no DNSPolicy creates DNS records any more",
    }
    comes = compare(state(hub("istio", *BASE)), state(hub("istio", *BASE, named))).consequences
    assert "DNSPolicy infra/own creates DNS records now" in {item.result.message for item in comes}


@cases(*rows_of(__file__, "an_annotation_is_told_once"))
def test_an_annotation_is_told_once(key: str, code: str) -> None:
    sides = (
        but("metadata: {name: web,", f"metadata: {{annotations: {{{key}: {name}}}, name: web,")
        for name in ("a", "b")
    )
    assert codes_of(loud(compare(*(state(hub("istio", *each)) for each in sides)))) == {code}
