"""Conditions that ask what every request fulfils."""

from msgspec.structs import replace

from spokerender.judging.advice import advise
from tests.judging.advice.spokes import CART, GATEWAY, advised, auth, told, view
from tests.support.cases import cases, each
from tests.support.objects import manifest

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def rule(pattern: str) -> str:
    return f"rules: {{authorization: {{a: {{patternMatching: {{patterns: [{pattern}]}}}}}}}}"


@cases(
    ("request.path == request.path", "error"),
    ("size(request.path) >= 0", "error"),
    ("request.path.size() >= 0 && request.host.startsWith('')", "error"),
    ("auth.identity.admin || request.path.contains('')", "error"),
    ("request.path.matches('.*')", "error"),
    ("auth.identity.admin || request.method != 'NOPE'", "warning"),
    ("auth.identity.admin || request.path.startsWith('/')", "warning"),
    ("auth.identity.admin", ""),
    ("auth.identity.admin || request.method == 'GET'", ""),
    ("request.method != 'DELETE' || auth.identity.team == 'ops'", ""),
    ("!request.path.startsWith('/admin') || auth.identity.admin", ""),
    ("auth.identity.a == auth.identity.b", ""),
    ("request.path.matches('^/pay')", ""),
    # It says so, and who writes it means it.
    ("true", ""),
)
def test_a_predicate(predicate: str, expected: str) -> None:
    spec = rule(f'{{predicate: "{predicate}"}}')
    lines = advised("SR2247", GATEWAY, CART, auth("p", "Gateway/web", spec))
    place = "SR2247 AuthPolicy infra/p spec.rules.authorization.a.patternMatching.patterns"
    assert [line.partition(": ")[0] for line in lines] == [f"{expected} {place}"] * bool(expected)


@cases((METHODS, True), (METHODS[1:], False))
def test_any_of_all_methods(methods: tuple[str, ...], *, expected: bool) -> None:
    form = "{selector: context.request.http.method, operator: eq, value: METHOD}"
    spec = rule(f"{{any: [{', '.join(form.replace('METHOD', one) for one in methods)}]}}")
    assert len(advised("SR2247", GATEWAY, CART, auth("p", "Gateway/web", spec))) == expected


@each(("0.0.0.0/0", 1), ("10.0.0.0/8", 0))
def test_every_address(asked: tuple[str, int]) -> None:
    target = "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}]"
    spec = f"{target}, rules: [{{from: [{{source: {{ipBlocks: [{asked[0]}]}}}}]}}]"
    policy = manifest("AuthorizationPolicy infra/p", spec)
    assert len(advised("SR2247", GATEWAY, CART, policy)) == asked[1]


@cases(("rules: {authorization: {a: {opa: {rego: allow = true}}}}", 1), ("rules: {}", 1), ("", 0))
def test_what_an_override_leaves_of_a_policy(spec: str, told_of: int) -> None:
    """The hub asks, and the spoke does not: in a first build nothing else tells it."""
    spoke = view(GATEWAY, CART, auth("p", "Gateway/web", spec))
    (ref,) = (ref for ref in spoke.objects if ref.kind == "AuthPolicy")
    hub = {"spec": {"rules": {"authentication": {"a": {"jwt": {"issuerUrl": "x"}}}}}}
    policy = replace(spoke.objects[ref], source=hub)
    results = advise(replace(spoke, objects={**spoke.objects, ref: policy}))
    assert len(told(results, "SR2247")) == told_of
