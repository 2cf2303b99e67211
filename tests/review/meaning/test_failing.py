"""Rules that fail, or may fail, for what something needs that they refer to."""

from tests.review.meaning.scenes import (
    PLACE,
    READ_BACKENDS,
    SYNC,
    compare,
    gateway,
    hub,
    loud,
    policy,
    route,
    state,
)
from tests.support import cases, manifest, rows_of

BACKENDS = "gateway.envoyproxy.io/v1alpha1"
BACKEND = manifest(
    "Backend infra/far",
    "endpoints: [{ip: {address: 10.0.0.9, port: 80}}], "
    "tls: {caCertificateRefs: [{group: '', kind: ConfigMap, name: ca}]}",
    api=BACKENDS,
)
TRUST = manifest("ConfigMap infra/ca", data="{ca.crt: some}")
APP = "{name: app, port: 80}"
FAR = "{group: gateway.envoyproxy.io, kind: Backend, name: far}"
FILTERS = "  - {group: gateway.envoyproxy.io, kind: HTTPRouteFilter}\n"
MIRROR = f"{{type: RequestMirror, requestMirror: {{backendRef: {FAR}}}}}"
ANSWER = (
    "{type: ExtensionRef, extensionRef: "
    "{group: gateway.envoyproxy.io, kind: HTTPRouteFilter, name: fine}}"
)
ASKING = "{type: ExternalAuth, externalAuth: {protocol: HTTP, backendRef: {name: app, port: 1}}}"
REWRITE = ANSWER.replace("fine", "host")
DIRECT = manifest("HTTPRouteFilter infra/fine", "directResponse: {statusCode: 200}", api=BACKENDS)
HOST = manifest(
    "HTTPRouteFilter infra/host",
    "urlRewrite: {hostname: {type: Header, header: x-host}}",
    api=BACKENDS,
)
PATH = "Gateway infra/web [https] > HTTPRoute infra/cart [read]"


@cases(*rows_of(__file__, "a_backend_that_loses_its_authorities"))
def test_a_backend_that_loses_its_authorities_is_told_on_the_rules_that_refer_to_it(
    rule: str, complete: bool, code: str, words: str
) -> None:
    """Envoy Gateway, route.go: without its CA certificates a Backend is none."""
    rules = f"{{name: read, matches: [{{method: GET}}], {rule}}}, {{name: write, backendRefs: []}}"
    fleet = SYNC + READ_BACKENDS % "true" + ("  completeKinds: [ConfigMap]\n" if complete else "")
    rest = gateway("eg"), route(rules=rules), BACKEND
    sides = (state(hub("eg", *rest, *each), PLACE, fleet) for each in ((TRUST,), ()))
    (told,) = loud(compare(*sides))
    assert (told.result.code, told.paths) == (code, (PATH,))
    assert words in told.result.message


@cases(*rows_of(__file__, "what_gets_no_request_in_place_of_an_answer_may_go"))
def test_what_gets_no_request_in_place_of_an_answer_may_go(rule: str, is_told: bool) -> None:
    """Envoy Gateway, filters.go, ProcessHTTPFilters: what comes after an answer is not read."""
    rules = f"{{name: read, {rule}}}"
    rest = gateway("eg"), route(rules=rules), DIRECT, TRUST
    fleet = SYNC + FILTERS + READ_BACKENDS % "true"
    sides = (state(hub("eg", *rest, *each), PLACE, fleet) for each in ((BACKEND, HOST), ()))
    told = {item.result.code for item in loud(compare(*sides))}
    assert ("SR2525" in told) is is_told


OF_APP = f"backendRefs: [{APP}]"
NONE = "backendRefs: []"
REMOVING = "filters: [{type: RequestHeaderModifier, requestHeaderModifier: {remove: [a]}}]"
REDIRECT = "filters: [{type: RequestRedirect, requestRedirect: {hostname: b.example}}]"


@cases(
    (OF_APP, NONE, "SR2524 SR2525"),
    (OF_APP, f"backendRefs: [{APP[:-1]}, weight: 0}}]", "SR2524 SR2525"),
    (NONE, OF_APP, "SR2524"),
    (f"filters: [{ASKING}], {OF_APP}", NONE, ""),  # it does not support the filter
    (NONE, f"{NONE}, {REMOVING}", ""),
    (f"backendRefs: [{FAR}]", f"{NONE}, {REMOVING}", ""),
    (NONE, f"{NONE}, filters: [{ANSWER.replace('fine', 'host')}]", ""),
    (NONE, f"{NONE}, filters: [{ANSWER}]", "SR2524"),
    (OF_APP, REDIRECT, "SR2524"),
)
def test_a_rule_without_backends_fails(before: str, after: str, codes: str) -> None:
    """HTTPRouteRule, backendRefs: 500 where no backend is named, and nothing else answers."""
    fleet = SYNC + FILTERS + READ_BACKENDS % "true" + "  completeKinds: [ConfigMap]\n"
    routes = (route(rules=f"{{name: read, {each}}}") for each in (before, after))
    rest = BACKEND, DIRECT, HOST
    sides = (state(hub("eg", gateway("eg"), each, *rest), PLACE, fleet) for each in routes)
    told = {one.result.code for one in loud(compare(*sides)) if one.paths}
    assert told == {*codes.split()}


def test_a_rule_whose_filter_goes_fails_and_keeps_its_requests() -> None:
    """Envoy Gateway, filters.go, processExtensionRefHTTPFilter: 500, where it finds no filter."""
    rules = f"{{name: read, filters: [{ANSWER}], {OF_APP}}}"
    sides = (
        state(hub("eg", gateway("eg"), route(rules=rules), *each), PLACE, SYNC + FILTERS)
        for each in ((DIRECT,), ())
    )
    told = {one.result.code for one in loud(compare(*sides)) if one.paths}
    assert told == {"SR2525"}


def test_a_rule_whose_filter_is_not_there_takes_all_requests() -> None:
    """Envoy Gateway, filters.go: 500 to each; one that a cluster may have may be for cookies."""
    rules = f"{{name: a, matches: [{{path: {{value: /a}}}}], {OF_APP}}}", f"filters: [{ANSWER}]"
    hubs = (
        hub("eg", gateway("eg"), route(rules=f"{own}{{name: b, {rules[1]}, {OF_APP}}}"))
        for own in (f"{rules[0]}, ", "")
    )
    fleet = SYNC + FILTERS + "  completeKinds: [HTTPRouteFilter.gateway.envoyproxy.io]\n"
    codes = {one.result.code for one in loud(compare(*(state(it, PLACE, fleet) for it in hubs)))}
    assert codes == {"SR2524", "SR2525"}


GUARD = policy("SecurityPolicy", "authorization: {defaultAction: Deny}")
BROKEN = policy(
    "BackendTrafficPolicy",
    "responseOverride: [{match: {statusCodes: [{value: 404}]}, response: {body: "
    "{type: ValueRef, valueRef: {group: '', kind: ConfigMap, name: gone}}}}]",
    name="broken",
)


@cases(
    (OF_APP, (), {"SR2501"}),
    (OF_APP, (BROKEN,), set()),
    (NONE, (), set()),
    (f"backendRefs: [{FAR}]", (), set()),
    ids=["answered", "a broken policy", "no backend", "a broken backend"],
)
def test_what_policies_ask_of_requests_that_fail_before_and_after_is_information(
    rule: str, others: tuple[str, ...], told: set[str]
) -> None:
    fleet = SYNC + READ_BACKENDS % "true" + "  completeKinds: [ConfigMap]\n"
    rest = gateway("eg"), route(rules=f"{{name: read, {rule}}}"), BACKEND, *others
    sides = (state(hub("eg", *rest, *each), PLACE, fleet) for each in ((GUARD,), ()))
    assert {one.result.code for one in loud(compare(*sides))} == told


@cases(((), {"SR2525", "SR2561"}), ((BROKEN,), {"SR2561"}))
def test_a_backend_that_goes_is_told_unless_a_policy_fails_before_and_after(
    others: tuple[str, ...], told: set[str]
) -> None:
    """Envoy Gateway, backendtrafficpolicy.go: 500 to all requests, whatever the backends are."""
    fleet = SYNC + READ_BACKENDS % "true" + "  completeKinds: [ConfigMap]\n"
    rest = gateway("eg"), route(rules=f"{{name: read, backendRefs: [{FAR}]}}"), TRUST, *others
    sides = (state(hub("eg", *rest, *each), PLACE, fleet) for each in ((BACKEND,), ()))
    assert {one.result.code for one in loud(compare(*sides))} == told


@cases((OF_APP, (), {"SR2511"}), (OF_APP, (BROKEN,), set()), (NONE, (), set()))
def test_a_new_rule_that_nobody_guards_is_information_where_all_its_requests_fail(
    rule: str, others: tuple[str, ...], told: set[str]
) -> None:
    fleet = SYNC + "  completeKinds: [ConfigMap]\n"
    new = route(rules=f"{{name: read, {rule}}}")
    sides = (state(hub("eg", gateway("eg"), *each, *others), PLACE, fleet) for each in ((), (new,)))
    review = compare(*sides)
    assert {one.result.code for one in loud(review)} == told
    (of_path,) = (one for one in review.consequences if one.result.code == "SR2511")
    assert of_path.result.message.endswith("; its requests fail") is not bool(told)


OTHER = BACKEND.replace("far", "copy")
TO_OTHER = f"backendRefs: [{FAR.replace('far', 'copy')}]"
SAME = DIRECT.replace("fine", "same")
AS_SAME = f"filters: [{ANSWER.replace('fine', 'same')}]"
WITHOUT = f"backendRefs: [{APP}, {FAR}]"
AT_PORT = f"backendRefs: [{APP[:-1]}, weight: 0}}, {{name: app, port: 81, filters: [{ASKING}]}}]"
"""Envoy Gateway, route.go: it takes no filter of this type beside a backend, which then fails."""


@cases(
    (f"backendRefs: [{FAR}]", TO_OTHER, (TRUST, BACKEND, OTHER), ""),
    (f"backendRefs: [{FAR}]", TO_OTHER, (TRUST, BACKEND, OTHER.replace("10.", "9.")), "SR2524"),
    (f"filters: [{ANSWER}]", AS_SAME, (DIRECT, SAME), ""),
    (f"filters: [{ANSWER}]", AS_SAME, (DIRECT, SAME.replace("200", "503")), "SR2524"),
    (WITHOUT, f"backendRefs: [{APP}, {FAR[:-1]}, {REMOVING}}}]", (BACKEND,), ""),
    (WITHOUT, f"backendRefs: [{APP[:-1]}, {REMOVING}}}, {FAR}]", (BACKEND,), "SR2524"),
    (WITHOUT, f"backendRefs: [{APP}, {APP[:-1]}, namespace: far}}]", (BACKEND,), ""),
    (AT_PORT, AT_PORT.replace("app", "other"), (), ""),
    (WITHOUT, f"backendRefs: [{APP[:-1]}, namespace: far}}]", (BACKEND,), "SR2524 SR2525"),
)
def test_what_an_object_says_counts_and_not_its_name(
    before: str, after: str, objects: tuple[str, ...], codes: str
) -> None:
    """A backend that fails before and after the change says nothing."""
    fleet = SYNC + FILTERS + READ_BACKENDS % "true" + "  completeKinds: [ConfigMap]\n"
    kept = f"{{name: keep, matches: [{{path: {{value: /keep}}}}], {before}}}"
    routes = (route(rules=f"{{name: read, {each}}}, {kept}") for each in (before, after))
    hubs = (hub("eg", gateway("eg"), each, *objects) for each in routes)
    told = {one.result.code for one in loud(compare(*(state(h, PLACE, fleet) for h in hubs)))}
    assert told == {*codes.split()}


LAX = f"{BACKEND.partition(', tls')[0]}, tls: {{insecureSkipVerify: true}}}}\n"
TRUSTED = BACKEND, TRUST


@cases(
    (OF_APP, f"backendRefs: [{FAR}]", (LAX,), (LAX,), "SR2524 SR2532"),
    (f"backendRefs: [{FAR}]", OF_APP, (LAX,), (LAX,), "SR2524 SR2561"),
    (OF_APP, f"backendRefs: [{FAR}]", TRUSTED, TRUSTED, "SR2524"),
    ids=["to it", "away from it", "to a verified one"],
)
def test_a_backend_whose_certificate_nobody_verifies_is_told(
    before: str, after: str, old: tuple[str, ...], new: tuple[str, ...], codes: str
) -> None:
    fleet = SYNC + READ_BACKENDS % "true" + "  completeKinds: [ConfigMap]\n"
    hubs = (
        hub("eg", gateway("eg"), route(rules=f"{{name: read, {rule}}}"), *objects)
        for rule, objects in ((before, old), (after, new))
    )
    told = {one.result.code for one in loud(compare(*(state(h, PLACE, fleet) for h in hubs)))}
    assert told == {*codes.split()}


@cases((DIRECT, set()), (DIRECT.replace("200", "503"), {"SR2562"}))
def test_a_route_that_moves_to_an_equal_answer_is_silent(other: str, told: set[str]) -> None:
    """Envoy Gateway, filters.go, ProcessHTTPFilters: what comes after an answer is not read."""
    own = route(rules=f"{{name: read, filters: [{ANSWER}, {ASKING}]}}")
    moved = own.replace("namespace: infra", "namespace: shop").replace(
        "web}", "web, namespace: infra}"
    )
    rest = gateway("eg"), DIRECT, other.replace("namespace: infra", "namespace: shop")
    hubs = (hub("eg", *rest, each) for each in (own, moved))
    sides = (state(each, PLACE, SYNC + FILTERS) for each in hubs)
    assert {one.result.code for one in loud(compare(*sides))} == told


def test_what_fails_in_both_states_is_told_of_no_gateway_of_another_class() -> None:
    """Whether its controller reads Backends is not known."""
    other = gateway("unread", "other").replace("*.shop", "*.other")
    unread = manifest("GatewayClass unread", "controllerName: gateways.example/unread")
    to_both = route(hosts="", rules=f"{{name: read, backendRefs: [{FAR}, {APP}]}}").replace(
        "[{name: web}]", "[{name: web}, {name: other}]"
    )
    place = PLACE.replace("[infra/web]", "[infra/web, infra/other]")
    rest = unread, gateway("eg"), other, to_both, BACKEND, TRUST
    more = BACKEND.replace("far", "further")
    sides = (
        state(hub("eg", *rest, *each), place, SYNC + READ_BACKENDS % "false")
        for each in ((), (more,))
    )
    assert loud(compare(*sides)) == []
