"""The conditions of a route for each of its parents."""

import re
from typing import Any

from spokerender.judging.attachment.statuses import Elsewhere
from tests.judging.routing.cluster import (
    ENVOY,
    NOTHING,
    OTHER,
    SERVICE,
    WITH_BACKENDS,
    judged,
    parents,
)
from tests.support import cases, each, manifest, named_rows_of, rows_of, text_of
from tests.support.stages import hub
from tests.topology.test_requests import ALL, gateway, listener, listener_set, route

GOOD = "Accepted, ResolvedRefs"
OFF = "Accepted, not ResolvedRefs (UnsupportedValue)"
OWN = "allowedRoutes: {namespaces: {from: Same}}"
SELECTED = "allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {team: a}}}}"
TO = "{name: s, port: 80}"
SET = "{group: gateway.networking.k8s.io, kind: ListenerSet, name: more}"


def envoy(*documents: str, **more: Any) -> list[str]:
    """The conditions of a route under Envoy Gateway, whose Gateway has one listener for all."""
    return parents(judged(ENVOY, gateway(listener()), *documents, **more))


def rules(*backends: str, filters: str = "") -> str:
    more = f", filters: [{filters}]" if filters else ""
    return ", rules: [" + ", ".join(f"{{backendRefs: [{each}]{more}}}" for each in backends) + "]"


@cases(
    (listener(), route(), GOOD),
    (listener(), route(parents="{name: gw, namespace: infra, sectionName: x}"),
     "not Accepted (NoMatchingParent), ResolvedRefs"),
    (listener(), route(parents="{name: gw, namespace: infra, port: 81}"),
     "not Accepted (NoMatchingParent), ResolvedRefs"),
    (listener(more=OWN), route(), "not Accepted (NotAllowedByListeners), ResolvedRefs"),
    (listener(protocol="TCP"), route(), "not Accepted (NotAllowedByListeners), ResolvedRefs"),
    (listener(more=f"hostname: a.example, {ALL}"), route(more=", hostnames: [b.example]"),
     "not Accepted (NoMatchingListenerHostname), ResolvedRefs"),
    # Nobody tells the labels of its namespace.
    (listener(more=SELECTED), route(), "Accepted? (Unverified), ResolvedRefs"),
    (f"{listener('a', SELECTED)}, {listener('b', port=81)}", route(), GOOD),
)  # fmt: skip
@each(ENVOY, OTHER)
def test_listeners_drop_out(
    gateway_class: str, listeners: str, the_route: str, expected: str
) -> None:
    """Gateway API, RouteConditionReason: of every controller."""
    assert parents(judged(gateway_class, gateway(listeners), the_route)) == [expected]


def test_each_parent_has_its_own_status() -> None:
    both = "{name: gw, namespace: infra}, {name: other, namespace: infra}"
    more = gateway(listener(more=OWN), name="other")
    assert envoy(more, route(parents=both)) == [
        GOOD,
        "not Accepted (NotAllowedByListeners), ResolvedRefs",
    ]


@cases(*rows_of(__file__, "ports_of_one_parent_may_have_one_entry"))
def test_ports_of_one_parent_may_have_one_entry(
    gateway_class: str, second: int, expected: list[str]
) -> None:
    """Envoy Gateway, IsParentRefEqual: without sectionName it does not come to the ports."""
    own = gateway(f"{listener('a')}, {listener('b', port=81)}")
    ports = ", ".join(f"{{name: gw, namespace: infra, port: {port}}}" for port in (80, second))
    assert parents(judged(gateway_class, own, route(parents=ports))) == expected


def test_sections_of_one_parent_have_an_entry_each() -> None:
    own = gateway(f"{listener('a')}, {listener('b', more=OWN, port=81)}")
    both = ", ".join(f"{{name: gw, namespace: infra, sectionName: {name}}}" for name in "ab")
    assert parents(judged(ENVOY, own, route(parents=both))) == [
        GOOD,
        "not Accepted (NotAllowedByListeners), ResolvedRefs",
    ]


def test_a_parent_that_is_not_there() -> None:
    """No controller writes an entry for it; why there is none is told instead."""
    absent = route(parents="{name: nobody, namespace: infra}, {name: gw, namespace: infra}")
    routing = judged(ENVOY, gateway(listener()), absent)
    assert parents(routing) == ["none", GOOD]
    ((first, _),) = routing.routes.values()
    assert first.silent == "Gateway infra/nobody is not there, so nobody looks at it"


@cases(*rows_of(__file__, "nobody_looks_at_routes_of_a_set_that_is_not_allowed"))
def test_nobody_looks_at_routes_of_a_set_that_is_not_allowed(allowed: str, expected: str) -> None:
    """Envoy Gateway, GetReferencedListeners: there is no listener of such a set."""
    documents = (gateway(listener(), more=allowed), listener_set(listener("l", port=81)))
    assert parents(judged(ENVOY, *documents, route(parents=SET))) == [expected]


@cases(*rows_of(__file__, "what_of_backends_does_not_resolve"))
def test_what_of_backends_does_not_resolve(backend: str, envoy: str, other: str) -> None:
    """Envoy Gateway, validate.go; of a controller that nobody has read, what the API says."""
    for gateway_class, reason in ((ENVOY, envoy), (OTHER, other)):
        web = route(more=rules(backend))
        expected = f"Accepted, not ResolvedRefs ({reason})"
        if reason.startswith("?"):
            expected = f"Accepted, ResolvedRefs? ({reason[1:]})"
        documents = (gateway_class, gateway(listener()), SERVICE, web)
        assert parents(judged(*documents, unseen=NOTHING)) == [expected if reason != GOOD else GOOD]


def test_what_no_file_has_may_be_there() -> None:
    web = route(more=rules("{name: x, port: 80}"))
    assert envoy(web) == ["Accepted, ResolvedRefs? (Unverified)"]


MIRROR = f"{{type: RequestMirror, requestMirror: {{backendRef: {TO}}}}}"
REDIRECT = "{type: RequestRedirect, requestRedirect: {}}"
HOST = "{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: HOST, value: a}]}}"


@cases(*rows_of(__file__, "filters_that_refuse_a_route"))
def test_filters_that_refuse_a_route(filters: str, expected: str) -> None:
    """Envoy Gateway, filters.go."""
    web = route(more=rules(TO, filters=filters))
    assert envoy(SERVICE, web) == [expected]


@cases(*named_rows_of(__file__, "rules_of_a_route"))
def test_rules_of_a_route(some: str, elsewhere: str | None, nowhere: str) -> None:
    web = route(more=f", rules: [{written(some)}]")
    assert elsewhere is None or envoy(SERVICE, web) == [elsewhere]
    assert envoy(SERVICE, web, unseen=NOTHING) == [nowhere]


def written(text: str) -> str:
    """Rules or filters with the texts that their words in capitals stand for."""
    words = {"OWN": EXTENDED, "MIRROR": MIRROR, "REDIRECT": REDIRECT, "REWRITE": REWRITE}
    words |= {"HOST": HOST, "TO": TO}
    return re.sub(r"\b(OWN|MIRROR|REDIRECT|REWRITE|HOST|TO)\b", lambda word: words[word[0]], text)


@cases(*rows_of(__file__, "some_kinds_have_one_rule"))
def test_some_kinds_have_one_rule(kind: str, protocol: str, count: int, expected: str) -> None:
    """Envoy Gateway, route.go; other controllers may take more."""
    port = 53 if kind == "UDPRoute" else 80
    several = rules(*[f"{{name: s, port: {port}}}"] * count)
    own = gateway(listener(more=f"tls: {{mode: Passthrough}}, {ALL}", protocol=protocol))
    web = route(kind=kind, more=several)
    assert parents(judged(ENVOY, own, SERVICE, web)) == [expected]
    assert parents(judged(OTHER, own, SERVICE, web)) == [GOOD]


def test_a_hostname_that_is_another_listeners() -> None:
    both = f"{listener('all')}, {listener('one', f'hostname: a.example, {ALL}')}"
    web = route(
        parents="{name: gw, namespace: infra, sectionName: all}", more=", hostnames: [a.example]"
    )
    assert parents(judged(ENVOY, gateway(both), web)) == [
        "not Accepted (NoMatchingListenerHostname), ResolvedRefs"
    ]
    assert parents(judged(OTHER, gateway(both), web)) == [GOOD]


BACKEND = manifest("Backend shop/b", "endpoints: [ENDPOINTS]", api="gateway.envoyproxy.io/v1alpha1")


@cases(*rows_of(__file__, "backends_of_its_own"))
def test_backends_of_its_own(endpoints: str, expected: str) -> None:
    """Envoy Gateway, backend.go; it looks at group and kind one by one."""
    backend = BACKEND.replace("ENDPOINTS", endpoints)
    for group in ("gateway.envoyproxy.io", '""'):
        web = route(more=rules(f"{{group: {group}, kind: Backend, name: b}}"))
        assert envoy(backend, web, settings=WITH_BACKENDS) == [expected]


DYNAMIC = "{group: gateway.envoyproxy.io, kind: Backend, name: b}"


@cases(*rows_of(__file__, "a_backend_of_weight_0_is_looked_at"))
def test_a_backend_of_weight_0_is_looked_at(endpoints: str, expected: str) -> None:
    """Envoy Gateway, route.go, processDestination: until it would be connected to."""
    idle = "{group: gateway.envoyproxy.io, kind: Backend, name: b, weight: 0}"
    web = route(more=rules(f"{idle}, {TO}"))
    backend = BACKEND.replace("ENDPOINTS", endpoints)
    assert envoy(backend, SERVICE, web, settings=WITH_BACKENDS) == [expected]


@cases(*rows_of(__file__, "a_backend_that_has_to_be_alone"))
def test_a_backend_that_has_to_be_alone(backends: str, expected: str) -> None:
    """Envoy Gateway, route.go, processHTTPRouteRules: what resolves hostnames takes no other."""
    web = route(more=rules(backends.replace("DYNAMIC", DYNAMIC)))
    backend = BACKEND.replace("endpoints: [ENDPOINTS]", "type: DynamicResolver")
    assert envoy(backend, SERVICE, web, settings=WITH_BACKENDS) == [expected]


@cases(*rows_of(__file__, "backends_that_may_be_off"))
def test_backends_that_may_be_off(settings: dict[str, object] | None, expected: str) -> None:
    """Envoy Gateway, validate.go, validateBackendRefBackend: whether it is there does not count."""
    web = route(more=rules("{group: gateway.envoyproxy.io, kind: Backend, name: b}"))
    backend = BACKEND.replace("ENDPOINTS", "{fqdn: {hostname: a.example, port: 80}}")
    for documents in ([backend], []):
        routing = judged(ENVOY, gateway(listener()), *documents, web, settings=settings)
        assert parents(routing) == [expected]


TRUSTED = manifest(
    "BackendTLSPolicy shop/NAME",
    "targetRefs: [{group: '', kind: Service, name: s, sectionName: PORT}], "
    "validation: {hostname: a.example, VALIDATION}",
)


@cases(*rows_of(__file__, "tls_to_a_backend_that_is_not_valid"))
def test_tls_to_a_backend_that_is_not_valid(port: str, validation: str, expected: str) -> None:
    """Of the port that the route names."""
    policy = TRUSTED.replace("NAME", "p").replace("PORT", port).replace("VALIDATION", validation)
    web = route(more=rules(TO))
    assert envoy(SERVICE, policy, web) == [expected]


FILTER = text_of(__file__, "parents_filter.yaml")
EXTENDED = (
    "{type: ExtensionRef, extensionRef: "
    "{group: gateway.envoyproxy.io, kind: HTTPRouteFilter, name: f}}"
)
SECRETS = hub(
    manifest("Secret shop/good", data="{credential: YWJj}"),
    manifest("Secret shop/bad", data="{other: YWJj}"),
)
AUTHORITIES = hub(
    manifest("ConfigMap shop/ca", data="{ca.crt: a}"), manifest("ConfigMap shop/empty")
)
NO_TLS = "Accepted, not ResolvedRefs (InvalidBackendTLS)"
REWRITE = "{type: URLRewrite, urlRewrite: {hostname: a.example}}"


@cases(*rows_of(__file__, "filters_of_its_own"))
def test_filters_of_its_own(spec: str, filters: str, kind: str, is_accepted: bool) -> None:
    """Envoy Gateway, filters.go."""
    web = route(kind=kind, more=rules(TO, filters=written(filters)))
    own = FILTER.replace("SPEC", spec.replace("REGEX", "{name: c, type: RegularExpression"))
    (status,) = envoy(SERVICE, SECRETS, own, web, unseen=NOTHING)
    assert status.startswith("Accepted") is is_accepted


def test_what_a_filter_needs_may_be_on_the_spoke() -> None:
    body = "{directResponse: {body: {type: ValueRef, valueRef: {name: m}}}}"
    web = route(more=rules(TO, filters=EXTENDED))
    own = FILTER.replace("SPEC", body)
    assert envoy(SERVICE, own, web) == ["Accepted? (Unverified), ResolvedRefs"]


@cases(*rows_of(__file__, "expressions_that_cannot_be_read"))
def test_expressions_that_cannot_be_read(kind: str, match: str, is_read: bool) -> None:
    """Envoy Gateway, route.go: such a rule is dropped, and its backends are not looked at."""
    gone = "{name: gone, port: 80}"
    web = route(kind=kind, more=f", rules: [{{backendRefs: [{gone}], matches: [{{{match}}}]}}]")
    status = envoy(web, unseen=NOTHING)
    refused = "not Accepted (UnsupportedValue), ResolvedRefs"
    assert status == ["Accepted, not ResolvedRefs (BackendNotFound)" if is_read else refused]


OWN_TLS = manifest(
    "Backend shop/b",
    "endpoints: [{fqdn: {hostname: a.example, port: 443}}, {fqdn: {hostname: b.example, "
    "port: 8443}}], tls: TLS",
    api="gateway.envoyproxy.io/v1alpha1",
)
SECTIONED = manifest(
    "BackendTLSPolicy shop/pPORT",
    "targetRefs: [{group: gateway.envoyproxy.io, kind: Backend, name: b, sectionName: 'PORT'}], "
    "validation: {hostname: a.example, wellKnownCACertificates: System}",
)


@cases(*rows_of(__file__, "tls_that_a_backend_asks_for_itself"))
def test_tls_that_a_backend_asks_for_itself(tls: str, ports: list[str], expected: str) -> None:
    """Envoy Gateway, backend.go, backendtlspolicy.go."""
    documents = [
        *(ENVOY, gateway(listener()), SECRETS, AUTHORITIES, OWN_TLS.replace("TLS", tls)),
        *(SECTIONED.replace("PORT", port) for port in ports),
        route(more=rules("{group: gateway.envoyproxy.io, kind: Backend, name: b}")),
    ]
    routing = judged(*documents, unseen=NOTHING, settings=WITH_BACKENDS)
    assert parents(routing) == [expected]


@cases(("Passthrough", GOOD), ("Terminate", OFF))
def test_a_backend_that_is_found_by_the_hostname_of_tls(mode: str, expected: str) -> None:
    """Envoy Gateway, route.go, processTLSRouteParentRefs: only an opened listener counts."""
    secret = CERT.replace("}", "}\ntype: kubernetes.io/tls", 1)
    names = "" if mode == "Passthrough" else "certificateRefs: [{name: NAME}], "
    backend = BACKEND.replace("endpoints: [ENDPOINTS]", "type: DynamicResolver")
    web = route(more=rules(DYNAMIC)).replace("HTTPRoute", "TLSRoute")
    for name, answer in (("cert", expected), ("cert, namespace: away", GOOD)):
        tls = f"tls: {{{names.replace('NAME', name)}mode: {mode}}}, {ALL}"
        own = gateway(listener(more=tls, protocol="TLS"))
        documents = (ENVOY, own, secret, backend, web)
        routing = judged(*documents, settings=WITH_BACKENDS, unseen=NOTHING)
        assert parents(routing) == [answer]


@cases(*rows_of(__file__, "all_rules_of_a_tls_route_are_one"))
def test_all_rules_of_a_tls_route_are_one(backends: list[str], expected: str) -> None:
    """Envoy Gateway, route.go, processTLSRouteParentRefs."""
    own = gateway(listener(more=f"tls: {{mode: Passthrough}}, {ALL}", protocol="TLS"))
    backend = BACKEND.replace("endpoints: [ENDPOINTS]", "type: DynamicResolver")
    web = route(more=rules(*backends)).replace("HTTPRoute", "TLSRoute")
    routing = judged(ENVOY, own, SERVICE, backend, web, settings=WITH_BACKENDS, unseen=NOTHING)
    assert parents(routing) == [expected]


PROXY = manifest(
    "EnvoyProxy infra/proxy",
    "backendTLS: {clientCertificateRef: {name: cert, namespace: NAMESPACE}}",
)
CERT = manifest("Secret infra/cert")
PROXIED = (
    ", infrastructure: {parametersRef: "
    "{group: gateway.envoyproxy.io, kind: EnvoyProxy, name: proxy}}"
)


@cases(*rows_of(__file__, "the_certificate_that_a_gateway_shows_to_backends"))
def test_the_certificate_that_a_gateway_shows_to_backends(
    documents: list[str], more: str, expected: str
) -> None:
    """Envoy Gateway, contexts.go, GetBackendTLSConfig; only where a backend is asked by TLS.

    Where no listener allows the route, nobody asks for it.
    """
    validation = "wellKnownCACertificates: System"
    trust = TRUSTED.replace("NAME", "p").replace("PORT", "web").replace("VALIDATION", validation)
    web = route(more=rules(TO))
    for policies, answer in (([trust], expected), ([], GOOD)):
        common = (ENVOY, gateway(listener(), more=more), SERVICE, *documents, *policies)
        assert parents(judged(*common, web, unseen=NOTHING)) == [answer]
    shut = gateway(listener(more=OWN), more=more)
    routing = judged(ENVOY, shut, SERVICE, *documents, trust, web, unseen=NOTHING)
    assert parents(routing) == ["not Accepted (NotAllowedByListeners), ResolvedRefs"]


def test_a_certificate_for_backends_may_be_on_the_spoke() -> None:
    validation = "wellKnownCACertificates: System"
    trust = TRUSTED.replace("NAME", "p").replace("PORT", "web").replace("VALIDATION", validation)
    proxy = PROXY.replace("NAMESPACE", "infra")
    documents = (ENVOY, gateway(listener(), more=PROXIED), SERVICE, proxy, trust)
    assert parents(judged(*documents, route(more=rules(TO)))) == [
        "Accepted, ResolvedRefs? (Unverified)"
    ]


def test_filters_beside_a_backend() -> None:
    """Envoy Gateway, processDestinationFilters."""
    wrong = "{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: Host, value: a}]}}"
    web = route(more=rules(f"{{name: s, port: 80, filters: [{wrong}]}}"))
    expected = ["Accepted, not ResolvedRefs (InvalidBackendFilters)"]
    assert envoy(SERVICE, web) == expected
    # validateDestinationSettings comes after them.
    endpoints = "{fqdn: {hostname: a.example, port: 80}}, {ip: {address: 10.0.0.1, port: 80}}"
    mixed = f"{{group: gateway.envoyproxy.io, kind: Backend, name: b, filters: [{wrong}]}}"
    web = route(more=rules(mixed))
    assert envoy(BACKEND.replace("ENDPOINTS", endpoints), web, settings=WITH_BACKENDS) == expected


def test_a_mirror_behind_a_filter_that_may_not_be_there() -> None:
    """Envoy Gateway, filters.go: it does not look at the mirror if the filter is not there."""
    far = MIRROR.replace(TO, "{name: s, namespace: infra, port: 80}")
    web = route(more=rules(TO, filters=f"{EXTENDED}, {far}"))
    documents = (ENVOY, gateway(listener()), SERVICE, web)
    assert parents(judged(*documents)) == ["Accepted, ResolvedRefs? (Unverified)"]
    assert parents(judged(*documents, unseen=NOTHING)) == [OFF]
    there = (*documents, FILTER.replace("SPEC", "{}"))
    assert parents(judged(*there)) == ["Accepted, not ResolvedRefs (RefNotPermitted)"]


def test_a_rule_that_may_be_refused_beside_one_that_is_not() -> None:
    """GEP-1364: the route is accepted in either case; whether the rule is, depends on a filter."""
    may = f"{{backendRefs: [{TO}], filters: [{MIRROR}, {EXTENDED}]}}"
    for more, expected in (
        (f", rules: [{may}, {{backendRefs: [{TO}]}}]", "Accepted"),
        (f", rules: [{may}, {may}]", "Accepted? (Unverified)"),
    ):
        for kind in ("HTTPRoute", "GRPCRoute"):
            web = route(kind=kind, more=more)
            assert envoy(SERVICE, web) == [
                f"{expected}, PartiallyInvalid? (Unverified), ResolvedRefs? (Unverified)"
            ]


def test_a_rule_that_may_be_refused_may_undo_what_was_said_before() -> None:
    """Envoy Gateway, processHTTPRouteParentRefs: a route with a refused rule is said to be good."""
    may = f"{{backendRefs: [{TO}], filters: [{MIRROR}, {EXTENDED}]}}"
    rest = f", rules: [{may}, {{backendRefs: [{TO}]}}]"
    web = route(parents="{name: gw, namespace: infra, sectionName: x}", more=rest)
    (status,) = envoy(SERVICE, web)
    assert status.startswith("Accepted? (Unverified), PartiallyInvalid? ")


def test_a_route_that_may_be_refused_as_a_whole_may_be_attached() -> None:
    """Envoy Gateway, processGRPCRouteParentRefs: one whose rules are all refused is on nothing."""
    mirrored = rules(TO, filters=f"{MIRROR}, {EXTENDED}")
    documents = (ENVOY, gateway(listener()), SERVICE, route(kind="GRPCRoute", more=mirrored))
    counts = [
        (each.attached, each.may_attach)
        for unseen in (NOTHING, Elsewhere())
        for holder in judged(*documents, unseen=unseen).holders.values()
        for each in holder.listeners
    ]
    assert counts == [(0, 0), (0, 1)]


@cases(("binaryData: {logo: aGk=}", GOOD), ("data: {}", "not"))
def test_a_body_of_bytes(data: str, expected: str) -> None:
    """Envoy Gateway, backendtrafficpolicy.go, getCustomResponseBody."""
    body = "{directResponse: {body: {type: ValueRef, valueRef: {name: m}}}}"
    metadata = "metadata: {name: m, namespace: shop}"
    config_map = f"apiVersion: v1\nkind: ConfigMap\n{metadata}\n{data}\n"
    web = route(more=rules(TO, filters=EXTENDED))
    filtered = FILTER.replace("SPEC", body)
    (status,) = envoy(SERVICE, web, filtered, config_map, unseen=NOTHING)
    assert status.startswith(expected)


def test_a_selector_that_is_missing_admits_nobody() -> None:
    missing = "allowedRoutes: {namespaces: {from: Selector}}"
    empty = "allowedRoutes: {namespaces: {from: Selector, selector: {}}}"
    for more, expected in (
        (missing, "not Accepted (NotAllowedByListeners), ResolvedRefs"),
        (empty, GOOD),
    ):
        assert parents(judged(ENVOY, gateway(listener(more=more)), route())) == [expected]


def test_a_listener_that_is_refused_for_its_protocol_keeps_its_hostname() -> None:
    """Envoy Gateway, computeHosts: only one that lost its hostname to another is for none."""
    own = gateway(
        f"{listener('t', protocol='TCP')}, {listener()}",
        more=", allowedListeners: {namespaces: {from: All}}",
    )
    lost = listener_set(listener("l", f"hostname: a.example, {ALL}"))
    found = judged(ENVOY, own, lost, route(more=", hostnames: [a.example]"))
    assert parents(found) == ["not Accepted (NoMatchingListenerHostname), ResolvedRefs"]
