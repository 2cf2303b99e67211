"""A hub with every sort of reference, and one with less that can go wrong."""

from tests.support import text_of
from tests.support.stages import CLASS, auth, hub, route

HUB = hub(
    CLASS,
    text_of(__file__, "documents.yaml"),
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
