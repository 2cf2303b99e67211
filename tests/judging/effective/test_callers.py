"""Who is let in by what is in force: by the kind of a credential, and by an address."""

from spokerender.judging.effective.callers import judge_caller
from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.topology.matches import Request
from tests.judging.effective.policies import CATALOGUE, OF_NO_CLASS, TARGETS, ref
from tests.support import cases
from tests.support.stages import graph, values

AUTH = ("kuadrant.io", "AuthPolicy")
SECURITY = ("gateway.envoyproxy.io", "SecurityPolicy")
CLIENTS = ("gateway.envoyproxy.io", "ClientTrafficPolicy")
ISTIO = ("security.istio.io", "AuthorizationPolicy")
TOKENS = ("security.istio.io", "RequestAuthentication")
ACL = ("gateway.kgateway.dev", "TrafficPolicy")
TLS = graph(OF_NO_CLASS.replace("protocol: HTTP", "protocol: HTTPS"))
EITHER = "{rules: {authentication: {a: {jwt: {}}, b: {apiKey: {}}}}}"
SOMETIMES = "{rules: {authentication: {b: {apiKey: {}, when: [{predicate: a.b == 1}]}}}}"
BOTH = "{jwt: {providers: [{name: a}]}, basicAuth: {}}"
JWT = "{jwt: {providers: [{name: a}]}}"
OPTIONAL = "{jwt: {optional: true, providers: [{name: a}]}}"
MORE = "{rules: {authentication: {a: {jwt: {}}}, authorization: {b: {patternMatching: {}}}}}"
OWN = "{rules: {authentication: {a: {jwt: {}}}, response: {unauthenticated: {code: 418}}}}"
NOBODY = "{rules: {authorization: {deny: {opa: {rego: allow = false}}}}}"
OFFICE = "{action: Allow, principal: {clientCIDRs: [192.0.2.0/24]}}"
BANNED = "{action: Deny, principal: {clientCIDRs: [192.0.2.66/32]}}"
CLAIMS = "{action: Allow, principal: {jwt: {provider: a}}}"
RULES = "{authorization: {defaultAction: Deny, rules: [%s]}}"
ALL_BUT = "{authorization: {defaultAction: Allow, rules: [%s]}}"
CIDRS = "{acl: {defaultAction: Deny, rules: [{action: Allow, cidrs: ['192.0.2.0/24']}]}}"
ALL_BUT_CIDRS = CIDRS.replace("Deny", "Allow").replace("action: Allow", "action: Deny")
NEAR = "{action: ALLOW, rules: [{from: [{source: {remoteIpBlocks: [192.0.2.0/24]}}]}]}"
UNDER = "{action: ALLOW, rules: [{to: [{operation: {methods: [GET]}}]}]}"

NO_KEY = "refused with 401: AuthPolicy asks for apiKey and jwt"
FORBIDDEN = "refused with 403: SecurityPolicy, authorization"
CERTIFICATE = "{tls: {clientValidation: {caCertificateRefs: [{name: a}]}}}"
NO_CERTIFICATE = "refused in the TLS handshake: ClientTrafficPolicy asks for certificate"
OPEN = "not known: SecurityPolicy, authorization"


@cases(
    (AUTH, EITHER, "anonymous", "", NO_KEY),
    (AUTH, EITHER, "apiKey", "", "let in"),
    (AUTH, EITHER, "basic", "", NO_KEY),
    (AUTH, EITHER, "", "", "not known: the apiKey and jwt that AuthPolicy asks for"),
    (AUTH, SOMETIMES, "apiKey", "", "not known: AuthPolicy, rules.authentication"),
    (AUTH, MORE, "jwt", "", "not known: AuthPolicy, rules.authorization"),
    (AUTH, MORE, "anonymous", "", "refused with 401: AuthPolicy asks for jwt"),
    (AUTH, OWN, "anonymous", "", "refused with 418: AuthPolicy asks for jwt"),
    (AUTH, NOBODY, "jwt", "", "refused with 403: AuthPolicy, rules.authorization"),
    (AUTH, "{rules: {authentication: {a: {anonymous: {}}}}}", "anonymous", "", "let in"),
    (SECURITY, JWT, "jwt", "", "let in"),
    (SECURITY, OPTIONAL, "anonymous", "", "let in"),
    (SECURITY, BOTH, "jwt", "", "refused with 401: SecurityPolicy asks for basic"),
    (
        SECURITY,
        "{oidc: {}}",
        "anonymous",
        "",
        "sent to log in with 302: SecurityPolicy asks for oidc",
    ),
    (SECURITY, "{extAuth: {}}", "anonymous", "", "not known: SecurityPolicy, extAuth"),
    (SECURITY, RULES % OFFICE, "anonymous", "192.0.2.7", "let in"),
    (SECURITY, RULES % OFFICE, "anonymous", "198.51.100.7", FORBIDDEN),
    (SECURITY, RULES % OFFICE, "anonymous", "", OPEN),
    (SECURITY, RULES % f"{BANNED}, {OFFICE}", "anonymous", "192.0.2.66", FORBIDDEN),
    (SECURITY, RULES % f"{BANNED}, {OFFICE}", "anonymous", "192.0.2.7", "let in"),
    (SECURITY, RULES % f"{CLAIMS}, {OFFICE}", "anonymous", "192.0.2.7", "let in"),
    (SECURITY, RULES % f"{CLAIMS}, {OFFICE}", "anonymous", "2001:db8::1", OPEN),
    (SECURITY, ALL_BUT % BANNED, "anonymous", "192.0.2.66", FORBIDDEN),
    (SECURITY, ALL_BUT % BANNED, "anonymous", "192.0.2.7", "let in"),
    (SECURITY, ALL_BUT % BANNED, "anonymous", "", OPEN),
    (SECURITY, ALL_BUT % OFFICE, "anonymous", "", "let in"),
    (CLIENTS, CERTIFICATE, "anonymous", "", NO_CERTIFICATE),
    (CLIENTS, "{tls: {clientValidation: {optional: true}}}", "anonymous", "", "let in"),
    (ISTIO, NEAR, "anonymous", "192.0.2.7", "let in"),
    (ISTIO, NEAR, "anonymous", "198.51.100.7", "refused with 403: AuthorizationPolicy"),
    (ISTIO, UNDER, "anonymous", "192.0.2.7", "not known: AuthorizationPolicy"),
    (TOKENS, "{jwtRules: [{issuer: a}]}", "anonymous", "", "let in"),
    (ACL, CIDRS, "anonymous", "192.0.2.7", "let in"),
    (ACL, ALL_BUT_CIDRS, "anonymous", "192.0.2.7", "refused with 403: TrafficPolicy, acl"),
    (ACL, ALL_BUT_CIDRS, "anonymous", "198.51.100.7", "let in"),
)
def test_who_is_let_in(
    kind: tuple[str, str], spec: str, credential: str, client: str, expected: str
) -> None:
    request = Request("https", "a.example", 443, "GET", credential=credential, client=client)
    assert judge_by(kind, spec, request) == expected


@cases(
    (SECURITY, "{oidc: {}}", "refused with UNKNOWN of gRPC: SecurityPolicy asks for oidc"),
    (AUTH, MORE, "refused with UNAUTHENTICATED of gRPC: AuthPolicy asks for jwt"),
    (AUTH, NOBODY, "refused with PERMISSION_DENIED of gRPC: AuthPolicy, rules.authorization"),
    (CLIENTS, CERTIFICATE, NO_CERTIFICATE),
)
def test_calls_of_grpc_are_answered_by_a_status_of_theirs(
    kind: tuple[str, str], spec: str, expected: str
) -> None:
    headers = {"content-type": "application/grpc"}
    request = Request(
        "https", "a.example", 443, "POST", "/shop/Pay", headers=headers, credential="anonymous"
    )
    assert judge_by(kind, spec, request) == expected


def judge_by(kind: tuple[str, str], spec: str, request: Request) -> str:
    """The verdict of a policy on a request, in words."""
    row = CATALOGUE.kind(*kind)
    policy = AttachedPolicy(ref(row, "own"), row, values(spec)[0], (TARGETS["gw"],))
    outcomes = [item.likely for item in compute_effective_policies(TLS, [policy])]
    verdict = judge_caller(row, outcomes[:1], request, lambda outcome: outcome)
    words = {True: "let in", False: verdict.why, None: f"not known: {verdict.why}"}
    return words[verdict.is_admitted]
