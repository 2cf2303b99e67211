"""Whether what is in force keeps anybody out."""

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.guarding import guards
from spokerender.judging.effective.outcomes import AttachedPolicy
from tests.judging.effective.policies import CATALOGUE, TARGETS, one_path, ref
from tests.support.cases import cases
from tests.support.stages import values

AUTH = ("kuadrant.io", "AuthPolicy")
SECURITY = ("gateway.envoyproxy.io", "SecurityPolicy")
TRAFFIC = ("gateway.kgateway.dev", "TrafficPolicy")
AGENT = ("agentgateway.dev", "AgentgatewayPolicy")
ISTIO = ("security.istio.io", "AuthorizationPolicy")
IAM = ("application-networking.k8s.aws", "IAMAuthPolicy")
RATES = ("gateway.nginx.org", "RateLimitPolicy")


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
    (ISTIO, ["{rules: [{from: []}]}"], True),
    (ISTIO, ["{rules: [{}]}"], False),
    (ISTIO, ["{action: AUDIT, rules: [{from: []}]}"], False),
    # Each one for itself: what one allows, another one may deny.
    (ISTIO, ["{rules: [{}]}", "{action: DENY, rules: [{from: []}]}"], True),
    (IAM, ["{policy: a}"], True),
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
    (found,) = compute_effective_policies(one_path(), policies)
    assert guards(row, found.likely) is expected


def test_a_kind_of_which_nothing_is_said_guards_by_any_rule() -> None:
    row = CATALOGUE.kind("gateway.envoyproxy.io", "EnvoyPatchPolicy")
    policies = [AttachedPolicy(ref(row, "p"), row, {"jsonPatches": []}, (TARGETS["gw"],))]
    (found,) = compute_effective_policies(one_path(), policies)
    assert guards(row, found.likely)
