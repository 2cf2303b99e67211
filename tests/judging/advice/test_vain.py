"""Conditions that ask what every request fulfils."""

from msgspec.structs import replace

from spokerender.judging.advice import advise
from tests.judging.advice.spokes import CART, GATEWAY, advised, auth, told, view
from tests.support import cases, each, manifest, rows_of

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def rule(pattern: str) -> str:
    return f"rules: {{authorization: {{a: {{patternMatching: {{patterns: [{pattern}]}}}}}}}}"


@cases(*rows_of(__file__, "a_predicate"))
def test_a_predicate(predicate: str, expected: str) -> None:
    spec = rule(f'{{predicate: "{predicate}"}}')
    lines = advised("SR2247", GATEWAY, CART, auth("p", "Gateway/web", spec))
    place = "SR2247 AuthPolicy infra/p spec.rules.authorization.a.patternMatching.patterns"
    assert [line.partition(": ")[0] for line in lines] == [f"{expected} {place}"] * bool(expected)


@each("", "{predicate: 'true'}", "{predicate: request.path == request.path}")
def test_a_named_condition_that_is_true(named: str) -> None:
    spec = f"patterns: {{p: {{allOf: [{named}]}}}}, {rule('{patternRef: p}')}"
    lines = advised("SR2247", GATEWAY, CART, auth("p", "Gateway/web", spec))
    place = "SR2247 AuthPolicy infra/p spec.rules.authorization.a.patternMatching.patterns"
    assert [line.partition(": ")[0] for line in lines] == [f"error {place}"]


@cases((METHODS, True), (METHODS[1:], False))
def test_any_of_all_methods(methods: tuple[str, ...], *, expected: bool) -> None:
    form = "{selector: context.request.http.method, operator: eq, value: METHOD}"
    spec = rule(f"{{any: [{', '.join(form.replace('METHOD', one) for one in methods)}]}}")
    assert len(advised("SR2247", GATEWAY, CART, auth("p", "Gateway/web", spec))) == expected


@each(("0.0.0.0/0", 1), ("10.0.0.0/8", 0))
def test_every_address(asked: tuple[str, int]) -> None:
    spec = f"rules: [{{from: [{{source: {{ipBlocks: [{asked[0]}]}}}}]}}]"
    assert (
        len(advised("SR2247", GATEWAY, CART, on_gateway("AuthorizationPolicy", spec))) == asked[1]
    )


def on_gateway(kind: str, spec: str) -> str:
    target = "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}]"
    return manifest(f"{kind} infra/p", f"{target}, {spec}", api=APIS[kind])


APIS = rows_of(__file__, "apis")


@cases(*rows_of(__file__, "rules_that_let_in_nearly_everybody"))
def test_rules_that_let_in_nearly_everybody(kind: str, spec: str, expected: str) -> None:
    lines = advised("SR2247", GATEWAY, CART, on_gateway(kind, spec))
    assert [line.split(": ")[1] for line in lines] == [expected] * bool(expected)


@cases(("rules: {authorization: {a: {opa: {rego: allow = true}}}}", 1), ("rules: {}", 1), ("", 0))
def test_what_an_override_leaves_of_a_policy(spec: str, told_of: int) -> None:
    """The hub asks, and the spoke does not: in a first build nothing else tells it."""
    spoke = view(GATEWAY, CART, auth("p", "Gateway/web", spec))
    (ref,) = (ref for ref in spoke.objects if ref.kind == "AuthPolicy")
    hub = {"spec": {"rules": {"authentication": {"a": {"jwt": {"issuerUrl": "x"}}}}}}
    policy = replace(spoke.objects[ref], source=hub)
    results = advise(replace(spoke, objects={**spoke.objects, ref: policy}))
    assert len(told(results, "SR2247")) == told_of


@cases(("", 0), (", cost: {request: {from: Number, number: 0}}", 1))
def test_a_limit_that_counts_nothing(cost: str, expected: int) -> None:
    limit = f"{{limit: {{requests: 9, unit: Hour}}{cost}}}"
    spec = f"rateLimit: {{type: Global, global: {{rules: [{limit}]}}}}"
    lines = advised("SR2247", GATEWAY, CART, on_gateway("BackendTrafficPolicy", spec))
    assert len(lines) == expected
