"""Fleets to measure on: a hub of so many objects, placed on so many spokes."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path

GATEWAY = """\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata:
  name: public
  namespace: gateways
  labels:
    app.kubernetes.io/part-of: shop
spec:
  gatewayClassName: fleet
  listeners:
  # what customers see; the certificate comes from the TLSPolicy
  - name: https
    hostname: "*.shop.example.com"
    port: 443
    protocol: HTTPS
    allowedRoutes:
      namespaces:
        from: All
    tls:
      mode: Terminate
      certificateRefs:
      - name: public-tls
"""

CLASS = """\
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata:
  name: fleet
spec:
  controllerName: example.com/hub
  parametersRef:
    group: ""
    kind: ConfigMap
    name: fleet
    namespace: gateways
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: fleet
  namespace: gateways
data:
  params: |
    {"downstreamClass": "istio",
     "policiesToSync": [
       {"group": "kuadrant.io", "version": "v1", "resource": "authpolicies"},
       {"group": "kuadrant.io", "version": "v1", "resource": "ratelimitpolicies"},
       {"group": "kuadrant.io", "version": "v1", "resource": "dnspolicies"},
       {"group": "gateway.networking.k8s.io", "version": "v1", "kind": "BackendTLSPolicy"},
       {"group": "gateway.networking.k8s.io", "version": "v1", "kind": "HTTPRoute"}]}
"""

DNS = """\
apiVersion: kuadrant.io/v1
kind: DNSPolicy
metadata:
  name: public
  namespace: gateways
spec:
  targetRef:
    group: gateway.networking.k8s.io
    kind: Gateway
    name: public
  # every spoke has its own geo and weight: see the placement
  loadBalancing:
    defaultGeo: false
    geo: EU
    weight: 120
  providerRefs:
  - name: aws
"""

ROUTE = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: route-{n}
  namespace: team-{team}
  labels:
    app: service-{n}
spec:
  parentRefs:
  - name: public
    namespace: gateways
  hostnames:
  - service-{n}.shop.example.com
  rules:
  - name: read
    matches:
    - method: GET
      path:
        type: PathPrefix
        value: /v1/items
    - method: HEAD
      path:
        type: PathPrefix
        value: /v1/items
    filters:
    - type: RequestHeaderModifier
      requestHeaderModifier:
        set:
        - name: x-service
          value: service-{n}
    backendRefs:
    - name: service-{n}
      port: 8080
  # writing is slower, and is not retried
  - name: write
    matches:
    - method: POST
      path:
        type: PathPrefix
        value: /v1/items
    timeouts:
      request: 30s
    backendRefs:
    - name: service-{n}
      port: 8080
"""

AUTH = """\
apiVersion: kuadrant.io/v1
kind: AuthPolicy
metadata:
  name: auth-{n}
  namespace: team-{team}
  annotations:
    example.com/owner: "team-{team}"
    example.com/reviewed: "2026-01-01"
spec:
  targetRef:
    group: gateway.networking.k8s.io
    kind: HTTPRoute
    name: route-{route}{section}
  # customers sign in with the shop's identity provider
  rules:
    authentication:
      customers:
        jwt:
          issuerUrl: https://id.shop.example.org/realms/customers
        credentials:
          authorizationHeader:
            prefix: Bearer
    authorization:
      owner:
        patternMatching:
          patterns:
          - predicate: auth.identity.sub == request.headers['x-user-id']
          - predicate: '"shop" in auth.identity.groups'
      opening-hours:
        opa:
          rego: |
            allow {{
              input.context.request.http.method == "GET"
            }}
            allow {{
              input.auth.identity.role == "owner"
            }}
    response:
      unauthenticated:
        code: 401
        headers:
          content-type:
            value: application/json
        body:
          value: |
            {{
              "error": "unauthenticated",
              "hint": "sign in and try again"
            }}
      success:
        headers:
          x-user:
            plain:
              expression: auth.identity.sub
"""

LIMIT = """\
apiVersion: kuadrant.io/v1
kind: RateLimitPolicy
metadata:
  name: limit-{n}
  namespace: team-{team}
spec:
  targetRef:
    group: gateway.networking.k8s.io
    kind: HTTPRoute
    name: route-{route}{section}
  limits:
    # generous: a burst of a page with many images must pass
    per-user:
      rates:
      - limit: 100
        window: 10s
      - limit: 1000
        window: 5m
      when:
      - predicate: request.method == 'GET'
      - predicate: "!request.path.startsWith('/v1/items/health')"
      counters:
      - expression: auth.identity.sub
    global:
      rates:
      - limit: 5000
        window: 1s
    writes:
      rates:
      - limit: 10
        window: 1m
      when:
      - predicate: request.method == 'POST'
      counters:
      - expression: auth.identity.sub
"""

BACKEND_TLS = """\
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata:
  name: backend-{n}
  namespace: team-{team}
spec:
  targetRefs:
  - group: ""
    kind: Service
    name: service-{route}
  validation:
    hostname: service-{route}.internal.example.org
    caCertificateRefs:
    - group: ""
      kind: ConfigMap
      name: internal-ca
"""

REGIONS = ("eu", "us", "ap")
TEAMS = 8
EACH_BACKEND = 20
SECTIONS = ("", "\n    sectionName: read", "\n    sectionName: write")
"""What policies are on: a route, then its rules, so that no two are on the same."""


def write_fleet(
    folder: Path, *, spokes: int, objects: int, layout: str = "object", name: str = ""
) -> None:
    """Write a project whose every spoke gets exactly `objects` objects.

    Every spoke has its own domain, geo and weight; a tenth of the spokes has an override of
    its own besides. `name` is a template of what the gateway is called on spokes.
    """
    hub = folder / "hub"
    hub.mkdir(parents=True)
    (hub / "class.yaml").write_text(CLASS)
    (hub / "gateway.yaml").write_text(GATEWAY + "---\n" + DNS)
    documents = _documents(objects - 2)
    for team in range(TEAMS):
        own = [text for owner, text in documents if owner == team]
        if own:
            (hub / f"team-{team}.yaml").write_text("---\n".join(own))
    limits = sum("kind: RateLimitPolicy" in text for _, text in documents)
    (folder / "placement.yaml").write_text(_placement(spokes, limits, name))
    (folder / "fleet.yaml").write_text(
        "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\n"
        f"metadata: {{name: bench}}\nspec: {{layout: {layout}}}\n"
    )


def add_tests(folder: Path, *, objects: int, count: int) -> None:
    """Write tests of requests for the hosts of the routes; a third of them is about limits."""
    routes = max(1, (objects - 2) // 6)
    tests = "".join(_test(number, number % routes) for number in range(count))
    (folder / "tests").mkdir()
    (folder / "tests" / "requests.yaml").write_text(
        "apiVersion: spokerender.io/v1alpha1\nkind: RequestTests\nspec:\n  tests:\n" + tests
    )
    fleet = folder / "fleet.yaml"
    fleet.write_text(fleet.read_text().replace("spec: {", "spec: {requests: [tests/*.yaml], "))


def _test(number: int, route: int) -> str:
    method = ("GET", "POST")[number // 16 % 2]
    limit = ", limit: {atMost: 5000/1s}" if number % 3 == 0 else ""
    return (
        f"  - name: test {number}\n    request: '{method} https://service-{route}."
        f"{{{{ spoke.values.domain }}}}/v1/items/{number}'\n    expect: {{anonymous: refused, "
        "authentication: {jwt: https://id.shop.example.org/realms/customers}, "
        f"backend: team-{route % TEAMS}/service-{route}:8080{limit}}}\n"
    )


def _documents(count: int) -> list[tuple[int, str]]:
    """A sixth routes, the rest policies on them or their rules, each with its team."""
    routes = max(1, count // 6)
    made = [(n % TEAMS, ROUTE.format(n=n, team=n % TEAMS)) for n in range(routes)]
    numbers = {template: itertools.count() for template in (AUTH, LIMIT, BACKEND_TLS)}
    for n in range(count - routes):
        template = BACKEND_TLS if n % EACH_BACKEND == 0 else (AUTH, LIMIT)[n % 2]
        number = next(numbers[template])
        route, section = number % routes, SECTIONS[number // routes % len(SECTIONS)]
        values = {"n": number, "team": route % TEAMS, "route": route}
        made.append((route % TEAMS, template.format(section=section, **values)))
    return made


def _placement(spokes: int, limits: int, name: str) -> str:
    names = [f"spoke-{n:04}" for n in range(spokes)]
    entries = "".join(
        textwrap.dedent(f"""\
            - name: {name}
              labels: {{region: {REGIONS[n % 3]}, tier: {"prod" if n % 5 else "staging"}}}
              values: {{domain: {name}.shop.example.com, geo: {REGIONS[n % 3].upper()}-{n % 50}, \
weight: {100 + n % 100}}}
            """)
        for n, name in enumerate(names)
    )
    special = "".join(
        textwrap.dedent(f"""\
            - target: {{kind: RateLimitPolicy, name: limit-{n % limits}}}
              spokes: {{names: [{name}]}}
              merge:
                spec: {{limits: {{global: {{rates: [{{limit: {4000 + n}, window: 1s}}]}}}}}}
            """)
        for n, name in enumerate(names)
        if n % 10 == 0
    )
    return (
        textwrap.dedent("""\
            apiVersion: spokerender.io/v1alpha1
            kind: Placement
            metadata: {name: bench}
            spec:
              rules:
              - gateways: {names: [gateways/public]}
                spokes: {all: true}
                as:
                  labels: {region: "{{ spoke.labels.region }}"}
                  hostnames: {"*.shop.example.com": "*.{{ spoke.values.domain }}"}
              spokes:
            """).replace("as:\n", f'as:\n      name: "{name}"\n' if name else "as:\n")
        + textwrap.indent(entries, "  ")
        + "  overrides:\n"
        + textwrap.indent(
            textwrap.dedent("""\
                - target: {kind: DNSPolicy, name: public}
                  spokes: {all: true}
                  merge:
                    spec:
                      loadBalancing:
                        geo: "{{ spoke.values.geo }}"
                        weight: "{{ spoke.values.weight }}"
                """),
            "  ",
        )
        + textwrap.indent(special, "  ")
    )
