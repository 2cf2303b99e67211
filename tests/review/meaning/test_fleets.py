"""Changes of hub and placement that weaken something are told; those that mean nothing are not."""

from collections.abc import Callable

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
from tests.support import cases, each, manifest

LOGIN = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
ANONYMOUS = "rules: {authentication: {a: {anonymous: {}}}}"
OTHER = "rules: {authentication: {login: {jwt: {issuerUrl: https://other.example}}}}"
LIMIT = "limits: {all: {rates: [{limit: 5, window: 10s}]}}"
GEO = "loadBalancing: {weight: 1, geo: EU, defaultGeo: true}"
DENY = "defaults: {rules: {authorization: {nobody: {opa: {rego: allow = false}}}}}"
AUTH = policy("AuthPolicy", LOGIN)
ON_GATEWAY = policy("AuthPolicy", LOGIN, "gateway", "all")
HTTPS = (
    "{name: https, port: 443, protocol: HTTPS, hostname: '*.shop.example', "
    "tls: {certificateRefs: [{name: cert}]}, allowedRoutes: {namespaces: {from: All}}}"
)
NARROW = (
    HTTPS.replace("https", "narrow").replace("*.shop", "a.shop").replace("from: All", "from: None")
)
HTTP = "{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}"
READ = "{name: read, matches: [{method: GET}], backendRefs: [{name: app, port: 80}]}"
WRITE = "{name: write, matches: [{method: POST}], backendRefs: [{name: app, port: 80}]}"
REWRITE = "{type: URLRewrite, urlRewrite: {hostname: x.example}}"
GRANT = """\
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: grant, namespace: infra}
spec: {from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: infra}], to: [{group: '', kind: Service}]}
"""  # noqa: E501
CERT = manifest("Secret infra/cert")
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: app, namespace: infra}
spec: {ports: [{port: 80}]}
"""
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


WEAKER: dict[str, tuple[Documents, Documents, FindingKind]] = {
    "a backend of another group": (
        BASE, but("{name: app, port: 80}", "{group: a.b, name: app, port: 80}"),
        codes.ROUTED_ELSEWHERE,
    ),
    "a policy of a route is deleted": (BASE, (*BASE[:2], BASE[3]), codes.ACCESS_REMOVED),
    "a policy of a gateway is deleted": (
        (*BASE[:2], ON_GATEWAY), BASE[:2], codes.ACCESS_REMOVED,
    ),
    "a limit is deleted": (BASE, BASE[:3], codes.LIMIT_REMOVED),
    "a policy is for one rule only": (
        BASE, (*BASE[:2], policy("AuthPolicy", LOGIN, "rule"), BASE[3]), codes.ACCESS_REMOVED,
    ),
    "a policy is for another route": (
        (*BASE, route("other", "b.shop.example")),
        but("name: cart}", "name: other}", (*BASE, route("other", "b.shop.example"))),
        codes.ACCESS_REMOVED,
    ),
    "a route's policy replaces the gateway's": (
        (*BASE[:2], ON_GATEWAY),
        (*BASE[:2], ON_GATEWAY, policy("AuthPolicy", ANONYMOUS)),
        codes.ACCESS_REMOVED,
    ),
    "a route is opened that was closed to all": (
        (*BASE[:2], policy("AuthPolicy", DENY, "gateway")),
        (*BASE[:2], policy("AuthPolicy", DENY, "gateway", "deny"), AUTH),
        codes.ACCESS_WEAKENED,
    ),
    "overrides become defaults": (
        (*BASE[:2], policy("AuthPolicy", f"overrides: {{{LOGIN}}}", "gateway")),
        (*BASE[:2], policy("AuthPolicy", f"defaults: {{{LOGIN}}}", "gateway")),
        codes.OVERRIDE_LOST,
    ),
    "another issuer": (BASE, (*BASE[:2], policy("AuthPolicy", OTHER), BASE[3]), codes.NOT_RANKED),
    "an identity that limits count by is dropped": (
        but(LOGIN, LOGIN[:-1] + ", response: {success: {filters: {identity: {json: {}}}}}}"),
        BASE,
        codes.NOT_RANKED,
    ),
    "a limit is counted apart for each rule": (
        BASE,
        (
            *BASE[:3],
            policy("RateLimitPolicy", LIMIT, "rule", "one"),
            policy("RateLimitPolicy", LIMIT, "rule", "two").replace("nName: read", "nName: write"),
        ),
        codes.LIMIT_SPLIT,
    ),
    "a hostname goes": (
        but("a.shop.example", "a.shop.example, b.shop.example"), BASE, codes.HOSTNAME_GONE,
    ),
    "a hostname comes": (
        BASE, but("a.shop.example", "a.shop.example, b.shop.example"), codes.FURTHER_WAY,
    ),
    "a route goes": (
        (*BASE, route("more", "b.shop.example")), BASE, codes.HOSTNAME_GONE,
    ),
    "an open route comes": (BASE, (*BASE, route("more", "b.shop.example")), codes.NEWLY_PUBLIC),
    "a guarded hostname moves to an open route": (
        but("a.shop.example", "a.shop.example, b.shop.example"),
        (*BASE, route("more", "b.shop.example")),
        codes.ACCESS_REMOVED,
    ),
    "a rule goes": (BASE, but(f", {WRITE}", ""), codes.WAY_GONE),
    "an open rule comes": (
        (*BASE[:1], route(rules=READ), policy("AuthPolicy", LOGIN, "rule")),
        (*BASE[:1], route(rules=f"{READ}, {WRITE}"), policy("AuthPolicy", LOGIN, "rule")),
        codes.NEWLY_PUBLIC,
    ),
    "a rule is for other requests": (BASE, but("POST", "PUT"), codes.WAY_GONE),
    "other backends": (BASE, but("name: app", "name: beta"), codes.ROUTED_ELSEWHERE),
    "other weights": (
        BASE, but("{name: app, port: 80}", "{name: app, port: 80, weight: 0}"),
        codes.ROUTED_ELSEWHERE,
    ),
    "a filter comes": (
        BASE, but("{name: read,", f"{{name: read, filters: [{REWRITE}],"),
        codes.ROUTED_ELSEWHERE,
    ),
    "a listener goes": (
        (gateway("istio", listeners=f"{HTTPS}, {HTTP}"), *BASE[1:]), BASE, codes.LISTENER_GONE,
    ),
    "a route is on a further listener": (
        BASE, (gateway("istio", listeners=f"{HTTPS}, {HTTP}"), *BASE[1:]), codes.FURTHER_WAY,
    ),
    "a listener has another port": (BASE, but("port: 443", "port: 8443"), codes.LISTENER_GONE),
    "a listener is plain": (
        BASE, but("protocol: HTTPS", "protocol: HTTP"), codes.ENCRYPTION_WEAKENED,
    ),
    "another certificate": (BASE, but("name: cert", "name: other"), codes.CERTIFICATE_CHANGED),
    "another TLS mode": (
        but("tls: {", "tls: {mode: Terminate, "), but("tls: {", "tls: {mode: Passthrough, "),
        codes.NOT_RANKED,
    ),
    "a listener admits all": (
        but("from: All", "from: Same"), BASE, codes.ADMITS_MORE,
    ),
    "a listener has another hostname": (
        BASE, but("'*.shop.example'", "'*.other.example'"), codes.HOSTNAME_GONE,
    ),
    "another class": (
        BASE, but("gatewayClassName: istio", "gatewayClassName: other"), codes.NOT_RANKED,
    ),
    "other addresses": (
        BASE, but("Name: istio", "Name: istio, addresses: [{value: 1.2.3.4}]"),
        codes.NOT_RANKED,
    ),
    "another DNS name": (
        (*BASE, policy("DNSPolicy", GEO, "gateway")),
        but("'*.shop.example'", "'*.example'", (*BASE, policy("DNSPolicy", GEO, "gateway"))),
        codes.DNS_CHANGED,
    ),
    "DNS records are no longer made": (
        (*BASE, policy("DNSPolicy", GEO, "gateway")), BASE, codes.DNS_CHANGED,
    ),
    "certificates are no longer made": (
        (*BASE, policy("TLSPolicy", "issuerRef: {kind: Issuer, name: a}", "gateway")), BASE,
        codes.CERTIFICATE_CHANGED,
    ),
    "the name of a rule leaves its policy behind": (
        (*BASE[:2], policy("AuthPolicy", LOGIN, "rule")),
        but("{name: read,", "{name: look,", (*BASE[:2], policy("AuthPolicy", LOGIN, "rule"))),
        codes.ACCESS_REMOVED,
    ),
    "a second policy contends": (
        (*BASE[:2], policy("DNSPolicy", GEO, "gateway", "one")),
        (
            *BASE[:2], policy("DNSPolicy", GEO, "gateway", "one"),
            policy("DNSPolicy", GEO.replace("EU", "US"), "gateway", "another"),
        ),
        codes.DNS_CHANGED,
    ),
    "a grant of a backend goes": (
        (
            *but("name: app,", "name: app, namespace: apps,"),
            GRANT.replace("infra}\nspec", "apps}\nspec"),
        ),
        but("name: app,", "name: app, namespace: apps,"),
        codes.ANSWERED_WITH_500,
    ),
    "a grant of a certificate goes": (
        (
            *but("name: cert}", "name: cert, namespace: certs}"),
            GRANT.replace("infra}\nspec", "certs}\nspec")
            .replace("HTTPRoute", "Gateway").replace("Service", "Secret"),
        ),
        but("name: cert}", "name: cert, namespace: certs}"),
        codes.HOSTNAME_GONE,
    ),
    "a listener without routes takes the requests of another": (
        BASE,
        (
            gateway("istio", listeners=f"{HTTPS}, {NARROW}"), *BASE[1:],
        ),
        codes.WAY_GONE,
    ),
    "a listener is for further hostnames": (
        but("'*.shop.example'", "a.shop.example"), BASE, codes.ADMITS_MORE,
    ),
    "a default that every route replaces goes": (
        (*BASE, policy("AuthPolicy", OTHER, "gateway", "idle")), BASE, codes.ACCESS_REMOVED,
    ),
    "a default that every route replaces is opened": (
        (*BASE, ON_GATEWAY), (*BASE, policy("AuthPolicy", ANONYMOUS, "gateway", "all")),
        codes.ACCESS_REMOVED,
    ),
    "a default of a gateway without routes goes": (
        (BASE[0], ON_GATEWAY), BASE[:1], codes.ACCESS_REMOVED,
    ),
    "a default is for one listener only": (
        (gateway("istio", listeners=f"{HTTPS}, {HTTP}"), *BASE[1:], ON_GATEWAY),
        (
            gateway("istio", listeners=f"{HTTPS}, {HTTP}"), *BASE[1:],
            policy("AuthPolicy", LOGIN, "listener", "all"),
        ),
        codes.ACCESS_REMOVED,
    ),
    "an annotation that a load balancer reads": (
        BASE,
        but(
            "metadata: {name: web,",
            "metadata: {annotations: {networking.istio.io/service-type: LoadBalancer}, name: web,",
        ),
        codes.EFFECT_NOT_KNOWN,
    ),
    "the Secret of a certificate goes": ((*BASE, CERT), BASE, codes.NEEDED_MISSING),
    "the Secret of a certificate has another name": (
        (*BASE, CERT), (*BASE, CERT.replace("cert", "other")), codes.NEEDED_MISSING,
    ),
    "the Service of a rule goes": ((*BASE, SERVICE), BASE, codes.NEEDED_MISSING),
    "the Service of a rule has another port": (
        (*BASE, SERVICE), (*BASE, SERVICE.replace("80", "81")), codes.NEEDED_MISSING,
    ),
    "the Secret of a certificate is of another type": (
        (*BASE, CERT), (*BASE, f"{CERT}type: kubernetes.io/tls\n"), codes.EFFECT_NOT_KNOWN,
    ),
    "a grant comes": (BASE, (*BASE, GRANT), codes.EFFECT_NOT_KNOWN),
    "a policy is only logged": (
        (*BASE, DENYING),
        (*BASE, DENYING.replace("{name", '{annotations: {istio.io/dry-run: "true"}, name')),
        codes.ACCESS_REMOVED,
    ),
}  # fmt: skip


@each(*WEAKER)
def test_what_weakens_something_is_told(case: str) -> None:
    before, after, code = WEAKER[case]
    assert code.code in told(before, after)


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
OVERRIDE = """\
  overrides:
  - target: {kind: AuthPolicy}
    spokes: {names: [%s]}
    merge: {spec: {rules: {authentication: {login: {jwt: null, anonymous: {}}}}}}
"""


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
DECLARED_ROUTE = (
    SYNC
    + """\
  external:
  - group: gateway.networking.k8s.io
    kind: HTTPRoute
    namespace: infra
    name: far
    gateways: [infra/web]
"""
)


@cases(
    (FAR.replace("id.example", "other.example"), DECLARED_ROUTE),
    (None, DECLARED_ROUTE),
    (FAR, SYNC),
)
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


PROXY = """\
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyProxy
metadata: {name: proxy, namespace: infra}
spec: {logging: {level: {default: warn}}}
"""
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
SET = """\
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: more, namespace: infra}
spec: {parentRef: {name: web}, listeners: [{name: s, port: 8443, protocol: HTTP}]}
"""
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
BACKEND = """\
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: Backend
metadata: {name: far, namespace: infra}
spec: {endpoints: [{ip: {address: 10.0.0.9, port: 80}}]}
"""


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
COOKIE = """\
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: HTTPRouteFilter
metadata: {name: cookie, namespace: infra}
spec: {matches: [{cookies: [{name: a, value: b}]}]}
"""
BY_COOKIE = (
    "{type: ExtensionRef, extensionRef: "
    "{group: gateway.envoyproxy.io, kind: HTTPRouteFilter, name: cookie}}"
)
OF_HOST = "{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: Host, value: a}]}}"


@cases(
    ("", f"{TO_FAR}, {TO_APP}", BACKEND, "Backend infra/far"),
    ("", f"{TO_FAR}, {TO_APP}", UNTRUSTED, ""),
    ("", f"{TO_FAR.replace('far', 'far, weight: 0')}, {TO_APP}", BACKEND, ""),
    ("", f"{TO_FAR}, {TO_FAR.replace('far', 'near')}", BACKEND, "Backend infra/far"),
    (BY_COOKIE, TO_APP, COOKIE, "HTTPRouteFilter infra/cookie"),
    (f"{OF_HOST}, {BY_COOKIE}", TO_APP, COOKIE, ""),
    (OF_HOST, f"{TO_FAR}, {TO_APP}", BACKEND, ""),
)
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


ANSWER = """\
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: HTTPRouteFilter
metadata: {name: closed, namespace: infra}
spec: {directResponse: {statusCode: 503}}
"""
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


TEAM = "{matchLabels: {team: a}}"
ONE, TWO = (f"{{key: team, operator: In, values: [{teams}]}}" for teams in ("a", "a, b"))


def selecting(selector: str) -> Documents:
    """A listener that takes routes of the namespaces that a selector selects."""
    namespace = manifest("Namespace infra", metadata="labels: {team: a}")
    return (*but("from: All", f"from: Selector, selector: {selector}"), namespace)


HEADERS = "filters: [{type: RequestHeaderModifier, requestHeaderModifier: {remove: [%s]}}], "
CALL = "{matches: [{method: {%sservice: a.B, method: c}}], backendRefs: [{name: app, port: 80}]}"
CLIENT = "spec: {tls: {backend: {clientCertificateRef: {%sname: own}}}, gatewayClass"
CODE = "https, statusCode: 302"
REDIRECT = "filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}], "
HARMLESS: dict[str, tuple[Documents, Documents]] = {
    "documents in another order": (BASE, BASE[::-1]),
    "a comment": (BASE, tuple(f"# for reviewers\n{text}" for text in BASE)),
    "rules in another order": (BASE, but(RULES, f"{WRITE}, {READ}")),
    "listeners in another order": (
        (gateway("istio", listeners=f"{HTTPS}, {HTTP}"), *BASE[1:]),
        (gateway("istio", listeners=f"{HTTP}, {HTTPS}"), *BASE[1:]),
    ),
    "hostnames in another order": (
        but("a.shop.example", "a.shop.example, b.shop.example"),
        but("a.shop.example", "b.shop.example, a.shop.example"),
    ),
    "a policy has another name": (
        BASE, (*BASE[:2], policy("AuthPolicy", LOGIN, name="x"), BASE[3]),
    ),
    "a route has another name": (BASE, renamed("name: cart", "name: basket")(BASE)),
    "a rule has another name": (
        (*BASE[:2], policy("AuthPolicy", LOGIN, "rule")),
        renamed("ame: read", "ame: look")((*BASE[:2], policy("AuthPolicy", LOGIN, "rule"))),
    ),
    "a listener has another name": (
        (*BASE[:2], policy("AuthPolicy", LOGIN, "listener")),
        renamed("ame: https", "ame: tls")((*BASE[:2], policy("AuthPolicy", LOGIN, "listener"))),
    ),
    "a backend by two references": (
        but("name: app, port: 80}", "name: app, port: 80, weight: 0}, {name: app, port: 80}"),
        but("name: app, port: 80}", "name: app, port: 80, weight: 9}, {name: app, port: 80}"),
    ),
    "backends in another order": (
        but("name: app, port: 80}", "name: app, port: 80}, {name: beta, port: 80}"),
        but("name: app, port: 80}", "name: beta, port: 80}, {name: app, port: 80}"),
    ),
    "weights of the same shares": (
        but("name: app, port: 80}", "name: app, port: 80, weight: 1}, {name: beta, port: 80}"),
        but(
            "name: app, port: 80}",
            "name: app, port: 80, weight: 5}, {name: beta, kind: Service, port: 80, weight: 5}",
        ),
    ),
    "matches in another order": (
        but("[{method: GET}]", "[{method: GET}, {method: HEAD}]"),
        but("[{method: GET}]", "[{method: HEAD}, {method: GET}]"),
    ),
    "a label of a gateway": (
        BASE,
        but(
            "metadata: {name: web,",
            "metadata: {labels: {team: a, app.kubernetes.io/part-of: shop}, name: web,",
        ),
    ),
    "a label of a policy": (
        BASE, but("metadata: {name: own,", "metadata: {labels: {a: b}, name: own,"),
    ),
    "an annotation of a route": (
        BASE, but("metadata: {name: cart,", "metadata: {annotations: {a: b}, name: cart,"),
    ),
    "an annotation of nobody who is known here": (
        BASE, but("metadata: {name: web,", "metadata: {annotations: {acme.test/a: b}, name: web,"),
    ),
    "defaults of a listener are written out": (
        BASE,
        but("tls: {certificateRefs: [{name: cert}]}", "tls: {mode: Terminate, "
            "certificateRefs: [{group: '', kind: Secret, name: cert}]}"),
    ),
    "a default of a filter is written out": (
        but("{name: read, ", f"{{name: read, {REDIRECT}"),
        but("{name: read, ", f"{{name: read, {REDIRECT.replace('https', CODE)}"),
    ),
    "a default of a filter of a backend is written out": (
        but("port: 80}]", f"port: 80, {REDIRECT[:-2]}}}]"),
        but("port: 80}]", f"port: 80, {REDIRECT[:-2].replace('https', CODE)}}}]"),
    ),
    "headers of a filter in another order": (
        but("{name: read, ", "{name: read, %s" % (HEADERS % "a, b")),
        but("{name: read, ", "{name: read, %s" % (HEADERS % "b, a")),
    ),
    "times of a rule are written otherwise": (
        but("{name: read, ", "{name: read, retry: {attempts: 2, backoff: 60s}, "),
        but("{name: read, ", "{name: read, retry: {attempts: 2, backoff: 1m}, "),
    ),
    "a default of a match of gRPC is written out": (
        (*BASE[:1], route(rules=CALL % "", kind="GRPCRoute")),
        (*BASE[:1], route(rules=CALL % "type: Exact, ", kind="GRPCRoute")),
    ),
    "a default of a client certificate is written out": (
        but("spec: {gatewayClass", CLIENT % ""),
        but("spec: {gatewayClass", CLIENT % "kind: Secret, "),
    ),
    "a rule of a policy has another name": (BASE, but("login:", "sign-in:")),
    "a limit has another name": (BASE, but("{all:", "{every:")),
    "a time is written otherwise": (BASE, but("window: 10s", "window: 10000ms")),
    "a default is written out": (
        BASE, (*BASE[:2], policy("AuthPolicy", f"defaults: {{{LOGIN}}}"), BASE[3]),
    ),
    "a route's policy stands at its rules": (
        (*BASE[:2], AUTH),
        (
            *BASE[:2], policy("AuthPolicy", LOGIN, "rule", "one"),
            policy("AuthPolicy", LOGIN, "rule", "two").replace("nName: read", "nName: write"),
        ),
    ),
    "a gateway's policy stands at its listener": (
        (*BASE[:2], ON_GATEWAY), (*BASE[:2], policy("AuthPolicy", LOGIN, "listener", "all")),
    ),
    "a guarded route comes": (
        (*BASE[:2], ON_GATEWAY), (*BASE[:2], ON_GATEWAY, route("more", "b.shop.example")),
    ),
    "a route is closed": (BASE[:2], (*BASE[:2], AUTH)),
    "a limit comes": (BASE[:3], BASE),
    "defaults become overrides": (
        (*BASE[:2], policy("AuthPolicy", f"defaults: {{{LOGIN}}}", "gateway")),
        (*BASE[:2], policy("AuthPolicy", f"overrides: {{{LOGIN}}}", "gateway")),
    ),
    "a Secret that nothing refers to goes": (
        (*BASE, CERT.replace("cert", "other")), BASE,
    ),
    "a Secret of a certificate that was in no file comes": (BASE, (*BASE, CERT)),
    "another label of the Secret of a certificate": (
        (*BASE, CERT), (*BASE, CERT.replace("infra}", "infra, labels: {a: b}}")),
    ),
    "a Service has a further port": (
        (*BASE, SERVICE), (*BASE, SERVICE.replace("{port: 80}", "{port: 80}, {port: 81}")),
    ),
    "a listener admits fewer": (BASE, but("from: All", "from: Same")),
    "a listener names the kinds that its protocol has": (
        BASE, but("from: All}", "from: All}, kinds: [{kind: HTTPRoute}]"),
    ),
    "a selector is written otherwise": (
        selecting(TEAM), selecting(f"{{matchExpressions: [{ONE}]}}"),
    ),
    "values of a selector in another order": (
        selecting(f"{{matchExpressions: [{TWO}]}}"),
        selecting(f"{{matchExpressions: [{TWO.replace('a, b', 'b, a')}]}}"),
    ),
    "a selector selects less": (
        selecting(f"{{matchExpressions: [{TWO}]}}"),
        selecting(f"{{matchExpressions: [{ONE}, {{key: old, operator: DoesNotExist}}]}}"),
    ),
}  # fmt: skip


@each(*HARMLESS)
def test_what_means_nothing_is_silent(case: str) -> None:
    assert told(*HARMLESS[case]) == set()


@each(MORE, PLACE.replace("- {name: eu}", "- {name: eu, labels: {a: b}}"))
def test_a_spoke_like_the_others_means_nothing(after: str) -> None:
    assert told(BASE, BASE, (PLACE, after)) == set()


@cases(
    (f"{{matchExpressions: [{ONE}]}}", f"{{matchExpressions: [{TWO}]}}"),
    (TEAM, "{matchExpressions: [{key: team, operator: Exists}]}"),
    (TEAM, "{}"),
    (TEAM, "{matchExpressions: [{key: team, operator: NotIn, values: [b]}]}"),
)
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
    before, after, _ = WEAKER["overrides become defaults"]
    (told,) = loud(compare(*(state(hub("istio", *each)) for each in (before, after))))
    path = "Gateway infra/web [https] > HTTPRoute infra/cart"
    assert told.paths == (f"{path} [read]", f"{path} [write]")


def test_of_a_long_value_the_part_is_shown_that_differs() -> None:
    sides = (selecting(f"{{matchExpressions: [{teams}]}}") for teams in (ONE, TWO))
    (found,) = loud(compare(*(state(hub("istio", *documents)) for documents in sides)))
    field = "namespaces.selector.matchExpressions[0].values"
    assert (found.was, found.now) == (f'{field}: ["a"]', f'{field}: ["a", "b"]')


@cases(
    ("{method: GET}", "{method: GET}, {method: GET}"),
    ("{method: GET}", "{method: GET}, {method: GET, path: {value: /a}}"),
    ("{path: {value: /a}}", "{path: {value: /a/}}"),
)
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


@cases(
    ("cert-manager.io/cluster-issuer", "SR2531"),
    ("cert-manager.io/issuer", "SR2531"),
    ("aigateway.envoyproxy.io/gateway-config", "SR2562"),
)
def test_an_annotation_is_told_once(key: str, code: str) -> None:
    sides = (
        but("metadata: {name: web,", f"metadata: {{annotations: {{{key}: {name}}}, name: web,")
        for name in ("a", "b")
    )
    assert codes_of(loud(compare(*(state(hub("istio", *each)) for each in sides)))) == {code}
