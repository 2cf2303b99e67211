"""Policies that ask callers by operation (Istio): what anybody may do now is an error."""

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR, WARNING
from tests.review.meaning.scenes import compare, gateway, hub, loud, policy, route, state
from tests.support import cases, each, named_rows_of

RULE = (
    "{name: all, matches: [{path: {type: PathPrefix, value: /}}], "
    "backendRefs: [{name: app, port: 80}]}"
)
ADMIN = "{to: [{operation: {paths: [/admin*]}}]}"
INTERNAL = "{to: [{operation: {paths: [/internal/*]}}]}"
PUBLIC = "{to: [{operation: {paths: [/public]}}]}"
SIGNED_IN = "{from: [{source: {requestPrincipals: ['*']}}]}"
OFFICE = ADMIN.replace("{to", "{from: [{source: {ipBlocks: [10.0.0.0/8]}}], to")


def deny(*rules: str) -> str:
    return f"action: DENY\nrules: [{', '.join(rules)}]"


def allow(*rules: str) -> str:
    return f"action: ALLOW\nrules: [{', '.join(rules)}]"


def reviewed(
    before: str, after: str, rule: str = RULE, beside: tuple[str, ...] = ()
) -> list[tuple[object, ...]]:
    base = gateway("istio"), route(rules=rule), *beside
    sides = (
        hub("istio", *base, *([policy("AuthorizationPolicy", it, "gateway")] if it else []))
        for it in (before, after)
    )
    return [
        (item.result.code, item.severity, item.example.replace("https://a.shop.example", ""))
        for item in loud(compare(*map(state, sides)))
    ]


@cases(
    (deny(ADMIN, INTERNAL), deny(ADMIN), "GET /internal/x"),
    (deny(ADMIN), deny(ADMIN.replace("]}", "], methods: [GET]}", 1)), "POST /adminx"),
    (deny(ADMIN), deny(ADMIN.replace("/admin", "/admin/")), "GET /adminx"),
    (deny(ADMIN), allow(ADMIN), "GET /adminx"),
    (allow(SIGNED_IN), allow(SIGNED_IN, PUBLIC), "GET /public"),
    (allow(SIGNED_IN, PUBLIC), allow(SIGNED_IN, PUBLIC.replace("]}", ", /pay]}", 1)), "GET /pay"),
    (allow(OFFICE), allow(ADMIN), "GET /adminx"),
    ids=["a denial goes", "of some methods alone", "of fewer paths", "allowed instead",
         "a public path", "another public path", "for every address"],
)  # fmt: skip
def test_requests_that_anybody_may_make_now_are_an_error(
    before: str, after: str, example: str
) -> None:
    assert reviewed(before, after) == [(codes.ACCESS_WEAKENED.code, ERROR, example)]


@cases(*named_rows_of(__file__, "requests_that_only_some_more_may_make_are_a_warning"))
def test_requests_that_only_some_more_may_make_are_a_warning(before: str, after: str) -> None:
    ((code, severity, _),) = reviewed(before, after)
    assert (code, severity) == (codes.ACCESS_WEAKENED.code, WARNING)


def test_operations_that_no_request_of_a_rule_is_for_open_nothing() -> None:
    shop = RULE.replace("value: /", "value: /shop")
    assert all(
        severity is WARNING
        for _, severity, _ in reviewed(deny(ADMIN), allow(ADMIN, SIGNED_IN), shop)
    )


@each(allow("{}"), "", ids=["lets everybody in", "goes"])
def test_a_denial_that_stays_beside_an_open_policy_still_decides_who_may_call(after: str) -> None:
    without_token = deny(SIGNED_IN.replace("requestPrincipals", "notRequestPrincipals"))
    beside = (policy("AuthorizationPolicy", without_token, "gateway", name="token"),)
    told = reviewed(allow(ADMIN), after, beside=beside)
    assert told == [(codes.ACCESS_WEAKENED.code, ERROR, "GET /")]
