"""Whether what is in force keeps anybody out."""

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.guarding import guards
from spokerender.judging.effective.outcomes import AttachedPolicy
from tests.judging.effective.policies import CATALOGUE, OF_NO_CLASS, TARGETS, ref
from tests.support import cases, rows_of
from tests.support.stages import graph, values

AUTH = ("kuadrant.io", "AuthPolicy")
TRAFFIC_OF_EG = ("gateway.envoyproxy.io", "BackendTrafficPolicy")
SECURITY = ("gateway.envoyproxy.io", "SecurityPolicy")
TRAFFIC = ("gateway.kgateway.dev", "TrafficPolicy")
AGENT = ("agentgateway.dev", "AgentgatewayPolicy")
ISTIO = ("security.istio.io", "AuthorizationPolicy")
IAM = ("application-networking.k8s.aws", "IAMAuthPolicy")
RATES = ("gateway.nginx.org", "RateLimitPolicy")
FOR_ALL = rows_of(__file__, "for_all")
FOR_SOME = rows_of(__file__, "for_some")
EG_ALLOWS = "{authorization: {defaultAction: Deny, rules: [{action: Allow, principal: {%s}}]}}"
KG_ALLOWS = "{acl: {defaultAction: Deny, rules: [{action: Allow, cidrs: ['%s']}]}}"
EG_ALL_BUT = (
    "{authorization: {defaultAction: Allow, rules: "
    "[{action: %s, principal: {clientCIDRs: [10.0.0.0/8]}}]}}"
)
KG_ALL_BUT = "{acl: {defaultAction: Allow, rules: [{action: %s, cidrs: [10.0.0.0/8]}]}}"
IDENTITY = "{rules: {authentication: {a: {%s}}}}"
NAMED = (
    "{patterns: {p: {allOf: [%s]}}, rules: {authorization: {a: {patternMatching: "
    "{patterns: [%s]}}}}}"
)
COSTS = "{rateLimit: {type: Global, global: {rules: [{limit: {requests: 9}, cost: {%s}}]}}}"
LACKS = "{matchExpressions: [{key: team, operator: DoesNotExist}]}"


@cases(
    (AUTH, ["{rules: {authentication: {a: {jwt: {}}}}}"], True),
    (AUTH, ["{rules: {authorization: {deny: {opa: {rego: allow = false}}}}}"], True),
    (AUTH, ["{rules: {response: {unauthorized: {code: 403}}}}"], False),
    (AUTH, ["{rules: {metadata: {a: {}}}}"], False),
    (AUTH, ["{rules: {authentication: {a: {jwt: {}}, b: {anonymous: {}}}}}"], False),
    (AUTH, ["{rules: {authentication: {b: {anonymous: {}}}, authorization: {a: {}}}}"], True),
    (AUTH, ["{rules: {authentication: {a: {jwt: {}}, 'b](c)': {anonymous: {}}}}}"], False),
    (SECURITY, ["{cors: {allowOrigins: [a]}}"], False),
    (SECURITY, ["{}"], False),
    (SECURITY, ["{jwt: {providers: []}}"], True),
    (SECURITY, ["{jwt: {optional: true, providers: []}}"], False),
    (SECURITY, ["{jwt: {optional: true}, authorization: {defaultAction: Deny}}"], True),
    (SECURITY, ["{authorization: {defaultAction: Allow}}"], False),
    (TRAFFIC, ["{rateLimit: {local: {}}}"], False),
    (TRAFFIC, ["{jwt: {extensionRef: {name: a}}}"], True),
    (TRAFFIC, ["{jwt: {disable: {}}}"], False),
    (AGENT, ["{traffic: {jwtAuthentication: {mode: Strict}}}"], True),
    (AGENT, ["{traffic: {jwtAuthentication: {mode: Optional}}}"], False),
    (AGENT, ["{traffic: {timeouts: {request: 1s}}}"], False),
    # authorization_policy.proto of istio/api: "allow nothing", as no rule matches a request.
    (ISTIO, ["{}"], True),
    (ISTIO, ["{action: DENY, rules: [{}]}"], True),
    (ISTIO, ["{rules: [{from: []}]}"], False),
    (ISTIO, ["{rules: [{}]}"], False),
    (ISTIO, ["{action: AUDIT, rules: [{from: []}]}"], False),
    # True for everybody, in whatever spelling.
    *((ISTIO, [f"{{rules: [{rule}]}}"], False) for rule in FOR_ALL),
    *((ISTIO, [f"{{rules: [{rule}]}}"], True) for rule in FOR_SOME),
    *((ISTIO, [f"{{action: DENY, rules: [{rule}]}}"], True) for rule in FOR_ALL),
    # A second one that allows all does so whatever the first one asks.
    *((ISTIO, [f"{{rules: [{FOR_SOME[0]}]}}", f"{{rules: [{r}]}}"], False) for r in FOR_ALL),
    (ISTIO, [f"{{rules: [{FOR_SOME[0]}]}}", "{action: AUDIT, rules: [{}]}"], True),
    (SECURITY, [EG_ALLOWS % "clientCIDRs: [0.0.0.0/0]"], False),
    (SECURITY, [EG_ALLOWS % "clientCIDRs: [0.0.0.0/1, 128.0.0.0/1, '::/0']"], False),
    (SECURITY, [EG_ALLOWS % "clientCIDRs: [0.0.0.0/1, 10.0.0.0/8]"], True),
    (SECURITY, [EG_ALLOWS % "clientCIDRs: [0.0.0.0/0], jwt: {provider: p}"], True),
    # All but a few get in, which is less than a guard and more than none.
    (SECURITY, [EG_ALL_BUT % "Deny"], True),
    (SECURITY, [EG_ALL_BUT % "Allow"], False),
    (TRAFFIC, [KG_ALL_BUT % "Deny"], True),
    (TRAFFIC, [KG_ALL_BUT % "Allow"], False),
    (TRAFFIC, [KG_ALLOWS % "0.0.0.0/0"], False),
    (TRAFFIC, [KG_ALLOWS % "10.0.0.0/8"], True),
    (("traefik.io", "Middleware"), ["{ipAllowList: {sourceRange: ['::/0']}}"], False),
    (("traefik.io", "Middleware"), ["{ipAllowList: {sourceRange: ['10.0.0.0/8']}}"], True),
    (AUTH, [IDENTITY % "plain: {selector: context.request.http.headers.x-user}"], False),
    (AUTH, [IDENTITY % "plain: {expression: 'request.headers[\"x-user\"]'}"], False),
    (AUTH, [IDENTITY % "plain: {selector: context.metadata_context.jwt}"], True),
    (AUTH, [IDENTITY % "apiKey: {allNamespaces: true, selector: {}}"], False),
    (AUTH, [IDENTITY % f"apiKey: {{allNamespaces: true, selector: {LACKS}}}"], False),
    (AUTH, [IDENTITY % "apiKey: {allNamespaces: true, selector: {matchLabels: {a: b}}}"], True),
    (AUTH, [IDENTITY % "apiKey: {selector: {}}"], True),
    *(
        (AUTH, [NAMED % (named, used)], guarded)
        for used in ("{patternRef: p}", "{any: [{patternRef: p}]}", "{all: [{patternRef: p}]}")
        for named, guarded in (
            ("", False),
            ("{predicate: 'true'}", False),
            ("{predicate: request.path == request.path}", False),
            ("{predicate: auth.identity.admin}, {predicate: 'true'}", True),
            ("{selector: auth.identity.admin, operator: matches, value: '.*'}", False),
            ("{selector: auth.identity.admin, operator: matches, value: 'a|(?s).+|^$'}", False),
            ("{selector: auth.identity.admin, operator: matches, value: '^[a-z]*$'}", True),
            ("{selector: auth.identity.admin, operator: matches, value: '('}", True),
            ("{predicate: request.path.matches('^(/a|.*)')}", False),
            ("{predicate: request.path.matches('^/a')}", True),
        )
    ),
    (AUTH, [NAMED % ("", "{patternRef: p}, {predicate: auth.identity.admin}")], True),
    (AUTH, [NAMED % ("", "{patternRef: other}")], True),
    (AUTH, [NAMED % ("", "{patternRef: [p]}")], True),
    (TRAFFIC_OF_EG, [COSTS % "request: {from: Number, number: 0}"], False),
    (TRAFFIC_OF_EG, [COSTS % "request: {number: 0}, response: {number: 0}"], False),
    (TRAFFIC_OF_EG, [COSTS % "request: {number: 0}, response: {from: Metadata}"], True),
    (TRAFFIC_OF_EG, [COSTS % "request: {from: Number, number: 1}"], True),
    # Each one for itself: what one allows, another one may deny.
    (ISTIO, ["{rules: [{}]}", "{action: DENY, rules: [{from: []}]}"], True),
    (IAM, ["{policy: a}"], True),
    (("networking.gke.io", "GCPBackendPolicy"), ["{default: {securityPolicy: a}}"], True),
    (("networking.gke.io", "GCPBackendPolicy"), ["{default: {securityPolicy: ''}}"], False),
    (RATES, ["{rateLimit: {local: {rules: [{rate: 1r/s}]}}}"], True),
    (RATES, ["{rateLimit: {dryRun: true, local: {rules: [{rate: 1r/s}]}}}"], False),
    (RATES, ["{rateLimit: {rejectCode: 429}}"], False),
)
def test_what_guards(kind: tuple[str, str], specs: list[str], expected: bool) -> None:
    row = CATALOGUE.kind(*kind)
    policies = [
        AttachedPolicy(ref(row, f"p{index}"), row, values(spec)[0], (TARGETS["gw"],))
        for index, spec in enumerate(specs)
    ]
    (found,) = compute_effective_policies(graph(OF_NO_CLASS), policies)
    assert guards(row, found.likely) is expected


def test_a_kind_of_which_nothing_is_said_guards_by_any_rule() -> None:
    row = CATALOGUE.kind("gateway.envoyproxy.io", "EnvoyPatchPolicy")
    policies = [AttachedPolicy(ref(row, "p"), row, {"jsonPatches": []}, (TARGETS["gw"],))]
    (found,) = compute_effective_policies(graph(OF_NO_CLASS), policies)
    assert guards(row, found.likely)
