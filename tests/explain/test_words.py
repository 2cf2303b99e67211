"""What a rule in force asks, in words; what has no words is written by its fields."""

from spokerender.explain.words import label_rule, read_words
from spokerender.judging.effective.outcomes import EffectiveRule
from tests.judging.effective.policies import CATALOGUE, ref
from tests.support import cases
from tests.support.stages import values

AUTH, RATE = ("kuadrant.io", "AuthPolicy"), ("kuadrant.io", "RateLimitPolicy")
TRAFFIC = ("gateway.envoyproxy.io", "BackendTrafficPolicy")
CLIENTS = ("gateway.envoyproxy.io", "ClientTrafficPolicy")
AGENT = ("agentgateway.dev", "AgentgatewayPolicy")
DENIES = "{authorization: {action: Deny, policy: {matchExpressions: [a]}}}"
REQUIRES = "{authorization: {action: Require, policy: {matchExpressions: [a]}}}"
JWT, RULE = "rules.authentication.a", "rules.authorization.b"
KEY = "{apiKey: {selector: {matchLabels: {app: toys}}}, cache: {ttl: 5}}"
PATTERNS = (
    "{patternMatching: {patterns: [{predicate: a == 1}, {selector: b.c, operator: eq, value: x}]}}"
)
LIMIT = "{rates: [{limit: 5, window: 1m}], counters: [{expression: a.b}], when: [{predicate: c}]}"
LOCAL = "{type: Local, local: {rules: [{limit: {requests: 9, unit: Hour}, clientSelectors: []}]}}"


@cases(
    (AUTH, JWT, "{jwt: {issuerUrl: 'https://a'}}", "who", "jwt of https://a"),
    (AUTH, JWT, "{jwt: {jwksUrl: 'https://a'}}", "who", "jwt"),
    (AUTH, JWT, KEY, "who", "apiKey of toys, cache.ttl: 5"),
    (AUTH, JWT, "{anonymous: {}}", "who", "rules.authentication.a.anonymous: {}"),
    (AUTH, RULE, PATTERNS, "who", "only if a == 1 and b.c == 'x'"),
    (AUTH, RULE, "{opa: {rego: allow = false}}", "who", "only if allow = false"),
    (AUTH, "rules.response", "{success: {}}", "AuthPolicy", "rules.response.success: {}"),
    (AUTH, "when", "[{predicate: a == 1}]", "who", "where a == 1"),
    (RATE, "limits.l", LIMIT, "limit", "5 per 1m for each a.b where c"),
    (RATE, "limits.l", "{rates: []}", "limit", "limits.l.rates: []"),
    (TRAFFIC, "rateLimit", LOCAL, "limit", "9 per Hour, type: Local"),
    (AGENT, "traffic", REQUIRES, "who", "only if a, authorization.action: Require"),
    (
        AGENT,
        "traffic",
        DENIES,
        "who",
        "traffic.authorization.action: Deny, traffic.authorization.policy.matchExpressions: [a]",
    ),
    (CLIENTS, "tls", "{minVersion: '1.3'}", "ClientTrafficPolicy", 'tls.minVersion: "1.3"'),
    (CLIENTS, "tls", "{clientValidation: {caCertificateRefs: []}}", "who", "certificate"),
)
def test_words(kind: tuple[str, str], key: str, value: str, label: str, words: str) -> None:
    row = CATALOGUE.kind(*kind)
    rule = EffectiveRule(tuple(key.split(".")), values(value)[0], ref(row, "own"), ())
    assert (label_rule(row, rule), str(read_words(row, rule))) == (label, words)
