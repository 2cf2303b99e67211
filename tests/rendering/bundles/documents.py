"""A hub with every sort of reference, and one with less that can go wrong."""

from tests.support.stages import CLASS, auth, hub, route

HUB = hub(
    CLASS,
    """\
    apiVersion: gateway.networking.k8s.io/v1
    kind: Gateway
    metadata: {name: web, namespace: infra, labels: {tier: public}}
    spec:
      gatewayClassName: hub
      allowedListeners: {namespaces: {from: Same}}
      listeners:
      - name: http
        hostname: "*.shop.example"
        port: 80
        protocol: HTTP
        allowedRoutes:
          namespaces:
            from: Selector
            selector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: Exists}]}
      - name: https
        hostname: "*.eu.example"
        port: 443
        protocol: HTTPS
        tls: {certificateRefs: [{name: cert}]}
        allowedRoutes: {namespaces: {from: All}}
    ---
    apiVersion: gateway.networking.k8s.io/v1
    kind: Gateway
    metadata: {name: api, namespace: infra, labels: {tier: internal}}
    spec:
      gatewayClassName: hub
      listeners:
      - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: Same}}}
    ---
    apiVersion: gateway.networking.k8s.io/v1
    kind: ListenerSet
    metadata: {name: more, namespace: infra}
    spec:
      parentRef: {name: web}
      listeners: [{name: extra, hostname: "x.shop.example", port: 81, protocol: HTTP}]
    ---
    apiVersion: gateway.networking.k8s.io/v1beta1
    kind: ReferenceGrant
    metadata: {name: certs, namespace: certs}
    spec:
      from: [{group: gateway.networking.k8s.io, kind: Gateway, namespace: infra}]
      to: [{group: "", kind: Secret}]
    ---
    apiVersion: gateway.envoyproxy.io/v1alpha1
    kind: SecurityPolicy
    metadata: {name: two, namespace: infra}
    spec:
      targetRefs:
      - {group: gateway.networking.k8s.io, kind: Gateway, name: web, sectionName: http}
      - {group: gateway.networking.k8s.io, kind: Gateway, name: api}
    ---
    apiVersion: gateway.envoyproxy.io/v1alpha1
    kind: SecurityPolicy
    metadata: {name: labelled, namespace: infra}
    spec:
      targetSelectors:
      - {group: gateway.networking.k8s.io, kind: Gateway, matchLabels: {tier: public}}
    ---
    apiVersion: networking.k8s.io/v1
    kind: NetworkPolicy
    metadata: {name: pods, namespace: infra}
    spec: {podSelector: {matchLabels: {gateway.networking.k8s.io/gateway-name: web}}}
    """,
    auth("web", "kind: Gateway, name: web", spec='cel: "host == a.shop.example && infra/web"'),
    auth("web", "kind: Gateway, name: api", kind="DNSPolicy", spec="weight: 1, geo: EU"),
    auth("route", "kind: HTTPRoute, name: a", "shop"),
    route(
        "a",
        "[{name: web, namespace: infra, sectionName: http}, {name: api, namespace: infra}]",
        spec="hostnames: [a.shop.example, shop.example], rules: [{backendRefs: [{name: svc}]}]",
    ),
    route("b", "[{name: web}]", "infra", spec="hostnames: [b.shop.example]"),
)
LENIENT = (
    HUB.replace('hostname: "*', '#hostname: "*')
    .replace("namespaces: {from: Same}", "namespaces: {from: All}")
    .replace("name: web, sectionName: http}", "name: web}")
    .replace("sectionName: http}, {name: api, namespace: infra}", "sectionName: http}")
    .replace("\n  - {group: gateway.networking.k8s.io, kind: Gateway, name: api}", "")
)
