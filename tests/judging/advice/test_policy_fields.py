"""Fields that do nothing where they are, and rules that are targeted by their position."""

from spokerender.pipeline import judge
from tests.judging.advice.spokes import CART, GATEWAY, advised, auth, policy, route
from tests.support import cases, each, end_to_end as e2e, manifest, named_rows_of, rows_of

WHEN = "when: [{predicate: 'true'}]"
BLOCK = "{limits: {a: {}}}"


@each("RateLimitPolicy", "TokenRateLimitPolicy")
@each("defaults", "overrides")
def test_a_condition_beside_a_block(block: str, kind: str) -> None:
    written = policy(kind, "p", "Gateway/web", f"{WHEN}, {block}: {BLOCK}")
    expected = (
        f"warning SR2204 {kind} infra/p spec.when: spec.when has no effect: of a {kind} with "
        f"spec.{block} only what is in there counts (move it to spec.{block}.when)"
    )
    assert advised("SR2204", GATEWAY, CART, written) == [expected]


@cases(*named_rows_of(__file__, "a_condition_that_counts"))
def test_a_condition_that_counts(kind: str, spec: str) -> None:
    assert advised("SR2204", GATEWAY, CART, policy(kind, "p", "Gateway/web", spec)) == []


UNNAMED = route("cart", "rules: [{name: all}, {}]")


def test_a_rule_without_a_name() -> None:
    target = auth("p", "HTTPRoute/cart/rule-2", "", "shop")
    expected = (
        "warning SR2208 AuthPolicy shop/p spec.targetRef.sectionName: rule-2 is the rule of "
        "HTTPRoute shop/cart that stands at that place now: a rule inserted before it moves the "
        "policy to another one, silently (name the rule (spec.rules[1].name of HTTPRoute "
        "shop/cart) and target that name)"
    )
    assert advised("SR2208", GATEWAY, UNNAMED, target) == [expected]


@cases(*named_rows_of(__file__, "targets_that_stay"))
def test_targets_that_stay(rules: str, target: str) -> None:
    cart = route("cart", f"rules: {rules}")
    assert advised("SR2208", GATEWAY, cart, auth("p", target, "", "shop")) == []


def test_a_listener_is_no_rule() -> None:
    assert advised("SR2208", GATEWAY, UNNAMED, auth("p", "Gateway/web/http")) == []


LOGIN, LOGOUT = (f"{{path: {{type: PathPrefix, value: /{name}}}}}" for name in ("login", "logout"))


@cases(*rows_of(__file__, "matches_that_fit_no_rule_of_the_route"))
def test_matches_that_fit_no_rule_of_the_route(rules: str, fields: list[str]) -> None:
    """Kuadrant's RFC: such a policy is not in force for them yet, and says so."""
    limits = manifest(
        "FakeRLPolicy shop/p",
        "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}, "
        f"default: {{rps: 50, rules: {rules}}}",
        api="example.com/v1",
    )
    kinds = (("example.com", "FakeRLPolicy"), ("gateway.networking.k8s.io", "HTTPRoute"))
    kind = "{group: example.com, kind: FakeRLPolicy, process: single-policy-per-route}"
    cart = route("cart", f"rules: [{{matches: [{LOGIN}]}}, {{name: rest}}]")
    files = {
        "fleet.yaml": f"{e2e.fleet(*kinds)}  policyKinds: [{kind}]\n",
        "placement.yaml": e2e.everywhere("infra/web"),
        "hub/hub.yaml": f"{GATEWAY}---\n{cart}---\n{limits}",
    }
    results = judge(e2e.rendered(files)).results
    assert [result.field for result in results if result.code == "SR2206"] == fields
