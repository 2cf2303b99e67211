"""Protection that cannot apply is lost: conditions and constants, by the row of each kind."""

from typing import Any

import pytest

from spokerender.findings.results import ERROR
from spokerender.formats import yamlio
from spokerender.kinds.kind import BACKEND_TLS, Kind, Role
from spokerender.kinds.table import all_rows
from spokerender.review.guard.refusals import refuse_removals, report_weaknesses
from tests.review.guard import trees
from tests.review.guard.trees import POLICY, ROUTE, ROUTE_POLICY, lost, routes, told, tree
from tests.support import cases, each, rows_of

GATEWAY = trees.GATEWAY.replace("gatewayClassName: istio", "gatewayClassName: mine").replace(
    "protocol: HTTPS", "protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}"
)
"""Its class may be of any controller."""
SERVED = ROUTE.replace("spec:", "spec:\n  hostnames: [a.example]").replace(
    "{back", "{name: all, back"
)
REST = routes(9)
LIMIT = {"a": {"rates": [{"limit": 1}]}}
RULE = {"limit": {"requests": 5, "unit": "Hour"}}
PROTECTING: dict[str, Any] = rows_of(__file__, "protecting")
"""Specs that keep somebody out, for kinds with fields of which some do not."""


def _on_gateways() -> list[Kind]:
    """Every security kind of the table that names a Gateway as its target."""
    return [
        kind
        for kind in all_rows().values()
        if kind.security and (not kind.targets or "Gateway" in kind.targets)
        if any(row.role is Role.TARGET for row in kind.references)
        if (kind.group, kind.kind) != BACKEND_TLS
    ]


def policy(kind: Kind, **spec: Any) -> str:
    """A policy of a kind on the gateway."""
    target = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "public"}
    paths = {row.path for row in kind.references if row.role is Role.TARGET}
    place = {"targetRef": target} if "spec.targetRef" in paths else {"targetRefs": [target]}
    return yamlio.emit(
        {
            "apiVersion": f"{kind.group}/{kind.versions[0] if kind.versions else 'v1'}",
            "kind": kind.kind,
            "metadata": {"name": "p", "namespace": "shop"},
            "spec": {**PROTECTING.get(kind.kind, {"a": {"b": "c"}}), **place, **spec},
        }
    )


def name_of(kind: Kind) -> str:
    return f"{kind.kind}.{kind.group}"


KINDS = _on_gateways()
each_kind = pytest.mark.parametrize(
    # What a controller writes of a policy has no condition of the policy's.
    "kind",
    [kind for kind in KINDS if kind.merged.writes is None],
    ids=name_of,
)


@each_kind
def test_a_condition_is_refused_where_nothing_else_protects(kind: Kind) -> None:
    """One that is false, and one that is new: for each security kind, whatever its fields are."""
    never, some = (
        policy(kind, when=[{"predicate": text}])
        for text in ("1 == 2", "request.path.startsWith('/a')")
    )
    closed = tree(GATEWAY, SERVED, policy(kind), *REST)
    assert told(closed, tree(GATEWAY, SERVED, never, *REST)) != []
    opened = tree(GATEWAY, SERVED, some, *REST)
    assert told(closed, opened) != []
    assert told(opened, closed) == []


CLASSES = {
    "Istio": "istio",
    "kgateway": "kgateway",
    "agentgateway": "agentgateway",
    "Gloo Gateway": "gloo-gateway",
}
"""The GatewayClasses that controllers make themselves."""


@each(*(row for row in KINDS if row.reach.controllers or row.controller.names), ids=name_of)
def test_a_class_of_a_controller_that_does_not_know_the_kind(kind: Kind) -> None:
    own = CLASSES.get((kind.reach.controllers or (kind.controller.id,))[0], "own")
    is_lattice = kind.controller.id == "AWS Gateway API Controller"
    foreign = "istio" if is_lattice else "amazon-vpc-lattice"
    before, after, unknown = (
        tree(GATEWAY.replace("gatewayClassName: mine", f"gatewayClassName: {name}"), SERVED, *rest)
        for rest in [(policy(kind), *REST)]
        for name in (own, foreign, "other")
    )
    assert told(before, after) != []
    # Of a class that nobody knew before nothing is lost.
    assert ("Gateway/shop/public opens" in told(before, unknown)) is (own != "own")


ADMINS = "patternMatching: {patterns: [{predicate: auth.identity.admin}]}"
EVERYBODY = "patternMatching: {patterns: [{predicate: 'true'}]}"
AUTH = "rules: {authentication: {a: {jwt: {}}}}"
ONE = f"rules: {{authentication: {{a: {{jwt: {{}}}}}}, authorization: {{b: {{{ADMINS}}}}}}}"
BOTH = ONE.replace("b: {", f"c: {{{ADMINS}}}, b: {{")
NEVER = "when: [{predicate: 'false'}]"
TWO_WAYS = AUTH.replace(
    "jwt: {}}", f"jwt: {{}}}}, b: {{apiKey: {{}}}}, c: {{oauth2Introspection: {{}}, {NEVER}}}"
)
KUADRANT = ("kuadrant.io", "AuthPolicy")
LIMITS = ("kuadrant.io", "RateLimitPolicy")
SECURITY = ("gateway.envoyproxy.io", "SecurityPolicy")
JWT = "jwt: {providers: [{name: a, audiences: [a]}]}"
EXT_AUTH = "jwt: null, extAuth: {http: {}}"
ADDRESSES = "jwt: null, authorization: {defaultAction: Deny}"
AGENT_ASKS = "traffic: {extAuth: {backendRef: {name: a}}}"
BACKEND = ("gateway.envoyproxy.io", "BackendTrafficPolicy")
RULES = "[{limit: {requests: 5, unit: Hour}}]"
RATE = (
    f"rateLimit: {{type: Local, local: {{rules: {RULES}}}}}, circuitBreaker: {{maxConnections: 1}}"
)
ISTIO = ("security.istio.io", "AuthorizationPolicy")
PLANS = ("extensions.kuadrant.io", "PlanPolicy")
TRAFFIC = ("gateway.kgateway.dev", "TrafficPolicy")
AGENT = ("agentgateway.dev", "AgentgatewayPolicy")
ACL = "jwtAuth: null, acl: {defaultAction: Deny, rules: [{action: Allow, cidrs: [10.0.0.0/8]}]}"
RBAC = "jwtAuth: null, rbac: {action: Allow, policy: {matchExpressions: [a.b]}}"
AGENTS = "traffic: {authorization: {policy: {matchExpressions: [a.b]}}}"


def spec_of(kind: tuple[str, str], text: str) -> str:
    """A policy with a spec as people write it."""
    (document,), problems = yamlio.read(f"{{{text}}}".encode(), "")
    assert not problems
    return policy(all_rows()[kind], **document.value)


@cases(
    (KUADRANT, AUTH, "jwt: {}", "jwt: {}, when: [{predicate: 'false'}]", "refused"),
    (KUADRANT, AUTH, "jwt: {}", "jwt: {}, when: [{predicate: 'true'}]", "warned"),
    (KUADRANT, AUTH, "jwt: {}", "jwt: {}, when: [{predicate: a.b}]", "refused"),
    (KUADRANT, AUTH, "jwt", "anonymous", "refused"),
    (KUADRANT, AUTH, "jwt", "apiKey", ""),
    (KUADRANT, AUTH, "rules", "when: [{predicate: '!true'}], rules", "refused"),
    (KUADRANT, AUTH, "a: {", "'a.b': {", ""),
    (KUADRANT, ONE, "auth.identity.admin", "'true || a.b'", "refused"),
    (KUADRANT, ONE, "auth.identity.admin", "a.c", ""),
    (KUADRANT, ONE, ADMINS, "opa: {rego: 'allow = true'}", "refused"),
    (KUADRANT, ONE, ADMINS, "opa: {rego: 'allow { input.a }'}", "warned"),
    (KUADRANT, ONE, ADMINS, f"{ADMINS}, when: [{{predicate: a.b}}]", "warned"),
    (KUADRANT, BOTH, f"c: {{{ADMINS}}}", f"c: {{{EVERYBODY}}}", "warned"),
    (KUADRANT, BOTH, "c: {", "c: {when: [{predicate: 'false'}], ", "warned"),
    (KUADRANT, BOTH, f"c: {{{ADMINS}}}, ", "", "warned"),
    (KUADRANT, BOTH, "c: {", "d: {", ""),
    (KUADRANT, BOTH, "b: {", f"d: {{{ADMINS}}}, b: {{", ""),
    (KUADRANT, AUTH, "a: {jwt: {}}", "a: {jwt: {}}, b: {apiKey: {}}", "warned"),
    (KUADRANT, AUTH, "a: {jwt: {}}", "b: {jwt: {}}, c: {apiKey: {}}", "warned"),
    (KUADRANT, AUTH, "a: {jwt: {}}", "a: {jwt: {}}, b: {anonymous: {}}", "refused"),
    (KUADRANT, AUTH, "a: {jwt: {}}", f"a: {{jwt: {{}}}}, b: {{apiKey: {{}}, {NEVER}}}", ""),
    (KUADRANT, TWO_WAYS, ", b: {apiKey: {}}", "", ""),
    (KUADRANT, TWO_WAYS, NEVER, "", "warned"),
    (LIMITS, "limits: {a: {}}", "a: {", "a: {when: [{predicate: 'false'}]", "refused"),
    (LIMITS, "limits: {a: {}, b: {}}", "a: {", "a: {when: [{predicate: request.y}], ", "warned"),
    (LIMITS, "limits: {a: {}, b: {}}", ", b: {}", "", "warned"),
    (LIMITS, "limits: {a: {}}", "a: {}", "a: {}, b: {}", ""),
    (SECURITY, JWT, "audiences: [a]", "audiences: [a, b]", "warned"),
    (SECURITY, EXT_AUTH, "{http", "{failOpen: true, http", "refused"),
    (SECURITY, EXT_AUTH, "{http: {}}", "{}, authorization: {defaultAction: Deny}", ""),
    (SECURITY, ADDRESSES, ADDRESSES, EXT_AUTH.replace("{http", "{failOpen: true, http"), "refused"),
    (AGENT, AGENT_ASKS, "{back", "{failureMode: FailOpen, back", "refused"),
    (BACKEND, RATE, ", circuitBreaker: {maxConnections: 1}", "", "warned"),
    (BACKEND, RATE, RULES, "[]", "refused"),
    (BACKEND, RATE, "[{limit", "[{shadowMode: true, limit", "refused"),
    (LIMITS, "limits: {a: {rates: [{limit: 1, window: 1s}]}}", "[{limit: 1, window: 1s}]", "[]",
     "refused"),
    (KUADRANT, ONE, "auth.identity.admin", "'a.b in [a.b]'", "refused"),
    (KUADRANT, ONE, "auth.identity.admin", "'[1, 2].exists(x, x == 1)'", "refused"),
    (KUADRANT, ONE, "auth.identity.admin", "'1 in [1]'", "refused"),
    (KUADRANT, ONE, "auth.identity.admin", "'a.b.matches(\"^.*$\")'", "refused"),
    (KUADRANT, ONE, "auth.identity.admin", "'a.b in [a.c]'", ""),
    (AGENT, AGENT_ASKS, "{backendRef: {name: a}}",
     "{conditional: [{condition: 'false', policy: {}}]}", "refused"),
    (AGENT, AGENT_ASKS, "{backendRef: {name: a}}", "{conditional: [{condition: a.b, policy: {}}]}",
     "refused"),
    (TRAFFIC, ACL, ACL, "jwtAuth: null, acl: {defaultAction: Allow, rules: []}", "refused"),
    (ISTIO, "rules: [{to: [{operation: {paths: [/a]}}]}]", "/a", "'/*'", "refused"),
    (ISTIO, "rules: [{to: [{operation: {paths: [/a]}}]}]", "/a", "'/{**}'", "refused"),
    (ISTIO, "rules: [{to: [{operation: {paths: [/a]}}]}]", "/a", "'/a/*'", "refused"),
    (PLANS, "plans: [{tier: a, predicate: b.c}]", "b.c", "'false'", "refused"),
    (PLANS, "plans: [{tier: a, predicate: b.c}]", "b.c", "d.e", ""),
    (ISTIO, "action: DENY, rules: [{}]", "[{}]", "[]", "refused"),
    (ISTIO, "action: DENY, rules: [{}]", "[{}]", "[{to: [{a: b}]}]", "refused"),
    (ISTIO, "action: DENY, rules: [{to: [a]}]", "to: [a]", "to: [a], when: [b]", "warned"),
    (ISTIO, "rules: [{to: [a]}]", "to: [a]", "to: [a], when: [b]", ""),
    (ISTIO, "rules: [{to: [a]}]", "to: [a]", "", "refused"),
    (TRAFFIC, RBAC, "a.b", "'true'", "refused"),
    (TRAFFIC, RBAC, "a.b", "'false'", ""),
    (TRAFFIC, RBAC.replace("Allow", "Deny"), "a.b", "'false'", "refused"),
    (AGENT, AGENTS, "a.b", "a.b, 'true'", "refused"),
    (AGENT, AGENTS, "a.b", "a.b, a.c", "warned"),
)  # fmt: skip
def test_a_rule_that_asks_less(
    kind: tuple[str, str], before: str, old: str, new: str, answer: str
) -> None:
    specs = (before, before.replace(old, new))
    # Of a class that no file has no vendor's policies are known to count.
    gateway = GATEWAY.replace("gatewayClassName: mine", "")
    trees = [tree(gateway, SERVED, spec_of(kind, text), *REST) for text in specs]
    removals = lost({"eu": trees[0]}, {"eu": trees[1]})
    refused = [item for item in refuse_removals(removals) if item.severity is ERROR]
    answers = [("refused", refused), ("warned", report_weaknesses(removals))]
    assert [name for name, results in answers if results] == ([answer] if answer else [])


OVERRIDES = POLICY.replace(AUTH, f"overrides: {{{AUTH}}}")


def test_what_was_not_in_force_is_no_loss() -> None:
    """The gateway's overrides replaced it: it protected nothing, and may go or open."""
    old = tree(GATEWAY, SERVED, OVERRIDES, ROUTE_POLICY, *REST)
    assert told(old, tree(GATEWAY, SERVED, OVERRIDES, *REST)) == []
    opened = ROUTE_POLICY.replace("jwt", "anonymous")
    assert told(old, tree(GATEWAY, SERVED, OVERRIDES, opened, *REST)) == []
    assert told(old, tree(GATEWAY, SERVED, ROUTE_POLICY, *REST)) != []


@each("a-first", "z-last")
def test_a_second_policy_that_may_take_the_place_of_the_first(name: str) -> None:
    """Ages decide which of them is in force: what may be open is not closed."""
    second = POLICY.replace("name: auth,", f"name: {name},").replace("jwt", "anonymous")
    assert told(
        tree(GATEWAY, SERVED, POLICY, *REST), tree(GATEWAY, SERVED, POLICY, second, *REST)
    ) == [f"AuthPolicy/shop/{name} opens"]
