"""What any team may put into the hub: products of one list with another."""

# ruff: noqa: E501, ARG005  (texts of YAML with braces of their own, each on one line)

from __future__ import annotations

from benchmarks.hostile.shape import (
    API,
    HEAD,
    SPOKES,
    Files,
    document,
    gateway,
    listed,
    plain_routes,
    project,
    route,
    shapes,
    targeting,
)

KUADRANT = "kuadrant.io/v1"
ENVOY = "gateway.envoyproxy.io/v1alpha1"
LISTENERS = 60
PARENTS = 32
FROM_ALL = "allowedRoutes: {namespaces: {from: All}}"


def _listener(number: int, hostname: str = "") -> str:
    named = f"hostname: {hostname}, " if hostname else ""
    return f"{{name: l{number}, port: {number + 1}, protocol: HTTP, {named}{FROM_ALL}}}"


def _wide(name: str = "web") -> str:
    return gateway(name, listed(LISTENERS, _listener))


def _policy(kind: str, name: str, target: str, more: str = "") -> str:
    return document(KUADRANT, kind, name, f"{{targetRef: {target}{more}}}")


def listeners_and_routes(n: int) -> Files:
    """Every route is on every listener of one Gateway."""
    return project(gateway=_wide(), hub=plain_routes(n))


def listeners_and_hostnames(n: int) -> Files:
    """Each with hostnames of its own."""
    wide = gateway("web", listed(LISTENERS, lambda i: _listener(i, f'"*.l{i}.example.com"')))
    names = listed(16, lambda i: f"h{i}.l{i}.example.com")
    return project(
        gateway=wide, hub=listed(n, lambda i: route(f"r{i}", f", hostnames: [{names}]"), "")
    )


def equal_hostnames(n: int) -> Files:
    """Routes that all claim one hostname and one path."""
    more = (
        ", hostnames: [a.example.com], rules: [{matches: [{path: {type: PathPrefix, value: /}}]}]"
    )
    return project(hub=listed(n, lambda i: route(f"r{i}", more), ""))


def listener_sets(n: int) -> Files:
    """ListenerSets, their listeners, and routes on all of them."""
    half = max(1, n // 2)
    more = ", allowedListeners: {namespaces: {from: All}}"
    sets = listed(
        half,
        lambda i: document(
            f"{API}/v1",
            "ListenerSet",
            f"s{i}",
            f"{{parentRef: {{name: web}}, listeners: [{_listener(i + 100)}, {_listener(i + 9000)}]}}",
        ),
        "",
    )
    routes = plain_routes(half)
    return project(gateway=gateway(more=more), hub=sets + routes)


def gateways_and_parents(n: int) -> Files:
    """Gateways, and routes that name 32 of them."""
    gateways = listed(n, lambda i: gateway(f"g{i}"), "")
    parents = listed(PARENTS, lambda i: f"{{name: g{i}}}")
    placed = "  rules: [{gateways: {names: [infra/web]}, spokes: {all: true}}, {gateways: {names: [%s]}, spokes: {all: true}}]\n"
    names = listed(n, lambda i: f"infra/g{i}")
    return project(
        hub=gateways
        + listed(
            n, lambda i: route(f"r{i}", parents=parents if n >= PARENTS else "{name: g0}"), ""
        ),
        placement=HEAD + SPOKES + placed % names,
    )


def policies_and_rules(n: int) -> Files:
    """Policies for a route with many rules."""
    rules = listed(16, lambda i: f"{{name: r{i}}}")
    target = targeting("HTTPRoute", "a")
    sections = listed(
        n,
        lambda i: _policy(
            "AuthPolicy", f"p{i}", targeting("HTTPRoute", "a", f", sectionName: r{i % 16}")
        ),
        "",
    )
    return project(
        hub=route("a", f", rules: [{rules}]") + _policy("AuthPolicy", "all", target) + sections
    )


def policies_of_routes(n: int) -> Files:
    """A policy for each route, and several for their Gateway."""
    above = listed(
        8,
        lambda i: _policy(
            "AuthPolicy",
            f"g{i}",
            targeting("Gateway", "web"),
            f", defaults: {{strategy: merge, rules: {{authentication: {{a{i}: {{}}}}}}}}",
        ),
        "",
    )
    each = listed(
        n,
        lambda i: route(f"r{i}") + _policy("AuthPolicy", f"p{i}", targeting("HTTPRoute", f"r{i}")),
        "",
    )
    return project(hub=above + each)


def rules_of_policies(n: int) -> Files:
    """Rules of a policy that all routes' policies are merged with."""
    half = max(1, n // 2)
    named = listed(half, lambda i: f"a{i}: {{}}")
    above = _policy(
        "AuthPolicy",
        "g",
        targeting("Gateway", "web"),
        f", defaults: {{strategy: merge, rules: {{authentication: {{{named}}}}}}}",
    )
    each = listed(
        half // 4 + 1,
        lambda i: route(f"r{i}") + _policy("AuthPolicy", f"p{i}", targeting("HTTPRoute", f"r{i}")),
        "",
    )
    return project(hub=above + each)


def rules_of_routes(n: int) -> Files:
    """Rules of a Gateway's policy, times the rules of a route and its listeners."""
    named = listed(n, lambda i: f"a{i}: {{}}")
    rules = listed(16, lambda i: f"{{name: r{i}}}")
    above = _policy(
        "RateLimitPolicy",
        "g",
        targeting("Gateway", "web"),
        f", defaults: {{strategy: merge, limits: {{{named}}}}}",
    )
    routes = listed(20, lambda i: route(f"r{i}", f", rules: [{rules}]"), "")
    return project(gateway=_wide(), hub=above + routes)


def selectors_and_labels(n: int) -> Files:
    """Policies that select routes by labels, and routes that have them."""
    labels = listed(8, lambda i: f"l{i}: v")
    half = max(1, n // 2)
    routes = listed(
        half,
        lambda i: route(f"r{i}").replace(
            "namespace: infra}", f"namespace: infra, labels: {{{labels}}}}}"
        ),
        "",
    )
    selecting = (
        f"{{targetSelectors: [{{group: {API}, kind: HTTPRoute, matchLabels: {{{labels}}}}}]}}"
    )
    return project(
        hub=routes
        + listed(half, lambda i: document(ENVOY, "SecurityPolicy", f"p{i}", selecting), "")
    )


def selected_values(n: int) -> Files:
    """Selectors with many values, and objects to look at."""
    half = max(1, n // 8)
    values = listed(n, lambda i: f"v{i}")
    routes = listed(
        half,
        lambda i: route(f"r{i}").replace(
            "namespace: infra}", f"namespace: infra, labels: {{l: w{i}}}}}"
        ),
        "",
    )
    selecting = f"{{targetSelectors: [{{group: {API}, kind: HTTPRoute, matchExpressions: [{{key: l, operator: In, values: [{values}]}}]}}]}}"
    return project(hub=routes + document(ENVOY, "SecurityPolicy", "p", selecting))


def grants_and_references(n: int) -> Files:
    """ReferenceGrants, and references that none of them allows."""
    half = max(1, n // 2)
    grant = f"{{from: [{{group: {API}, kind: HTTPRoute, namespace: other}}], to: [{{group: '', kind: Service, name: x}}]}}"
    grants = listed(
        half, lambda i: document(f"{API}/v1beta1", "ReferenceGrant", f"g{i}", grant, "back"), ""
    )
    refs = listed(16, lambda i: f"{{name: b{i}, namespace: back, port: 80}}")
    return project(
        hub=grants
        + listed(half, lambda i: route(f"r{i}", f", rules: [{{backendRefs: [{refs}]}}]"), "")
    )


def delegation(n: int) -> Files:
    """Routes that delegate to all routes of a namespace (kgateway)."""
    half = max(1, n // 2)
    to = "rules: [{backendRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: '*', namespace: infra}]}]"
    above = gateway().replace("istio", "kgateway")
    parents = listed(half, lambda i: route(f"p{i}", f", {to}"), "")
    return project(
        gateway=above,
        hub=parents
        + listed(half, lambda i: document(f"{API}/v1", "HTTPRoute", f"c{i}", "{rules: [{}]}"), ""),
    )


def delegating_rules(n: int) -> Files:
    """Rules that delegate to the same routes again and again."""
    to = listed(
        16,
        lambda i: (
            "{backendRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: '*', namespace: infra}]}"
        ),
    )
    above = gateway().replace("istio", "kgateway")
    parents = listed(10, lambda i: route(f"p{i}", f", rules: [{to}]"), "")
    return project(
        gateway=above,
        hub=parents
        + listed(n, lambda i: document(f"{API}/v1", "HTTPRoute", f"c{i}", "{rules: [{}]}"), ""),
    )


def namespaces_and_listeners(n: int) -> Files:
    """Listeners that admit by labels, and Namespaces that have them."""
    admitting = "allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {a: b}}}}"
    wide = gateway("web", listed(LISTENERS, lambda i: _listener(i).replace(FROM_ALL, admitting)))
    each = listed(
        n,
        lambda i: (
            f"---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: n{i}, labels: {{a: b}}}}\n"
            + route(f"r{i}", parents="{name: web, namespace: infra}", namespace=f"n{i}")
        ),
        "",
    )
    return project(gateway=wide, hub=each)


def network_policies(n: int) -> Files:
    """NetworkPolicies that select every Gateway's pods."""
    half = max(1, n // 2)
    peers = (
        "{podSelector: {matchLabels: {gateway.networking.k8s.io/gateway-name: web}}, ingress: []}"
    )
    return project(
        hub=listed(half, lambda i: gateway(f"g{i}"), "")
        + listed(
            half, lambda i: document("networking.k8s.io/v1", "NetworkPolicy", f"p{i}", peers), ""
        )
    )


def backends(n: int) -> Files:
    """Backends of rules of routes on listeners, with policies for them."""
    refs = listed(16, lambda i: f"{{name: b{i}, port: 80}}")
    policies = listed(
        n,
        lambda i: document(
            f"{API}/v1",
            "BackendTLSPolicy",
            f"p{i}",
            f"{{targetRefs: [{targeting('Service', f'b{i % 16}', group=chr(39) * 2)}], validation: {{hostname: a.b, wellKnownCACertificates: System}}}}",
        ),
        "",
    )
    rules = listed(16, lambda i: f"{{backendRefs: [{refs}]}}")
    return project(hub=route("r", f", rules: [{rules}]") + policies)


def targets_of_policies(n: int) -> Files:
    """Policies that each name the same sixteen routes."""
    names = listed(16, lambda i: targeting("HTTPRoute", f"r{i}"))
    routes = plain_routes(16)
    return project(
        hub=routes
        + listed(
            n,
            lambda i: document(ENVOY, "SecurityPolicy", f"p{i}", f"{{targetRefs: [{names}]}}"),
            "",
        )
    )


def a_hundred_that_select(n: int) -> Files:
    """As many policies of one age as may be, that select all routes."""
    selecting = f"{{targetSelectors: [{{group: {API}, kind: HTTPRoute}}]}}"
    policies = (document(ENVOY, "SecurityPolicy", f"p{i}", selecting) for i in range(min(n, 100)))
    return project(hub=plain_routes(n) + "".join(policies))


def layers_of_policies(n: int) -> Files:
    """Direct policies of a Gateway, and as many of routes below it."""
    half = max(1, n // 3)
    return project(
        hub=plain_routes(half)
        + "".join(
            document(ENVOY, "BackendTrafficPolicy", f"{kind[0]}{i}", f"{{targetRefs: [{to}]}}")
            for i in range(half)
            for kind, to in (
                ("Gateway", targeting("Gateway", "web")),
                ("HTTPRoute", targeting("HTTPRoute", f"r{i}")),
            )
        )
    )


def overlapping_policies(n: int) -> Files:
    """Policies of a kind of which two on one target may not set the same field, on many."""
    api = "gateway.nginx.org/v1alpha1"
    names = listed(16, lambda i: targeting("HTTPRoute", f"r{i}"))
    says = "keepAlive: {requests: 1}, body: {maxSize: 1m}"
    each = f"{{targetRefs: [{names}], {says}}}"
    policies = listed(n, lambda i: document(api, "ClientSettingsPolicy", f"p{i}", each), "")
    return project(hub=plain_routes(16) + policies)


def authorization(n: int) -> Files:
    """Istio's policies for one Gateway: all are in force."""
    each = f"{{targetRefs: [{targeting('Gateway', 'web')}], rules: [{{}}]}}"
    return project(
        gateway=_wide(),
        hub=listed(
            n, lambda i: document("security.istio.io/v1", "AuthorizationPolicy", f"p{i}", each), ""
        )
        + route("r"),
    )


def one_identity(n: int) -> Files:
    """The same object again and again."""
    return project(hub=listed(n, lambda _: route("r"), ""))


def missing_targets(n: int) -> Files:
    """Policies for routes that are nearly spelt as those that are there."""
    half = max(1, n // 2)
    return project(
        hub=listed(half, lambda i: route(f"route-number-{i}"), "")
        + listed(
            half,
            lambda i: _policy("AuthPolicy", f"p{i}", targeting("HTTPRoute", f"route-numbr-{i}")),
            "",
        )
    )


def unknown_kinds(n: int) -> Files:
    """Objects of kinds that nobody knows, each nearly another one."""
    return project(
        hub=listed(n, lambda i: document(f"g{i}.example.com/v1", f"AuthPolicie{i}", "a", "{}"), "")
    )


def certificates(n: int) -> Files:
    """TLS listeners with certificates, and policies for them."""
    tls = listed(
        LISTENERS,
        lambda i: (
            f"{{name: l{i}, port: {i + 1}, hostname: h{i}.example.com, protocol: HTTPS, tls: {{mode: Terminate, certificateRefs: [{{name: s}}]}}}}"
        ),
    )
    policy = ", issuerRef: {kind: ClusterIssuer, name: ca}"
    return project(
        gateway=gateway("web", tls),
        hub=listed(
            n,
            lambda i: _policy(
                "TLSPolicy",
                f"p{i}",
                targeting("Gateway", "web", f", sectionName: l{i % LISTENERS}"),
                policy,
            ),
            "",
        ),
    )


def classes(n: int) -> Files:
    """GatewayClasses that list kinds to sync."""
    entries = listed(
        n, lambda i: f'{{"group": "g{i}.example.com", "version": "v1", "kind": "K{i}"}}'
    )
    return project(
        hub=f"""---
apiVersion: {API}/v1
kind: GatewayClass
metadata: {{name: istio}}
spec: {{controllerName: example.com/hub, parametersRef: {{group: "", kind: ConfigMap, name: p, namespace: infra}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: p, namespace: infra}}
data:
  params: '{{"downstreamClass": "istio", "policiesToSync": [{entries}]}}'
"""
    )


def matches(n: int) -> Files:
    """Matches of rules: which requests do two routes share?"""
    many = listed(64, lambda i: f"{{path: {{value: /p{i}}}}}")
    each = f", hostnames: [a.example.com], rules: [{{matches: [{many}]}}]"
    return project(hub=listed(n, lambda i: route(f"r{i}", each), ""))


def dns(n: int) -> Files:
    """DNSPolicies on the listeners of Gateways."""
    named = listed(LISTENERS, lambda i: _listener(i, f"h{i}.example.com"))
    balanced = ", loadBalancing: {geo: EU, weight: 1, defaultGeo: true}"
    return project(
        gateway=gateway("web", named),
        hub=listed(
            n,
            lambda i: _policy(
                "DNSPolicy",
                f"d{i}",
                targeting("Gateway", "web", f", sectionName: l{i % LISTENERS}"),
                balanced,
            ),
            "",
        ),
    )


def long_names(n: int) -> Files:
    """One name of a hundred thousand letters."""
    return project(hub=route("a" * n))


def labels(n: int) -> Files:
    """An object with as many labels as fit."""
    many = listed(n, lambda i: f"l{i}: v")
    return project(
        hub=route("r").replace("namespace: infra}", f"namespace: infra, labels: {{{many}}}}}")
    )


def requests(n: int) -> Files:
    """CORS, rewrites and mirrors: filters of each rule."""
    filters = listed(
        16,
        lambda i: (
            f"{{type: RequestMirror, requestMirror: {{backendRef: {{name: m{i}, namespace: n{i}, port: 80}}}}}}"
        ),
    )
    rules = listed(16, lambda i: f"{{filters: [{filters}]}}")
    return project(hub=listed(n, lambda i: route(f"r{i}", f", rules: [{rules}]"), ""))


SHAPES = shapes(
    "hub",
    listeners_and_routes,
    listeners_and_hostnames,
    equal_hostnames,
    listener_sets,
    gateways_and_parents,
    policies_and_rules,
    policies_of_routes,
    rules_of_policies,
    rules_of_routes,
    selectors_and_labels,
    selected_values,
    grants_and_references,
    delegation,
    delegating_rules,
    namespaces_and_listeners,
    network_policies,
    backends,
    targets_of_policies,
    a_hundred_that_select,
    layers_of_policies,
    overlapping_policies,
    authorization,
    one_identity,
    missing_targets,
    unknown_kinds,
    certificates,
    classes,
    matches,
    dns,
    long_names,
    labels,
    requests,
)
