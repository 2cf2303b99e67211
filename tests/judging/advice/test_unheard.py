"""`when` beside `defaults` is accepted and does nothing."""

from tests.judging.advice.spokes import CART, GATEWAY, advised, policy
from tests.support import case, cases, each

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


@cases(
    case("a bare policy", "RateLimitPolicy", f"{WHEN}, limits: {{a: {{}}}}"),
    case("none is there", "RateLimitPolicy", f"defaults: {BLOCK}"),
    case("it is empty", "RateLimitPolicy", f"when: [], defaults: {BLOCK}"),
    case("in the block", "RateLimitPolicy", f"defaults: {{limits: {{a: {{}}}}, {WHEN}}}"),
    # Its CRD refuses it: that is told where the CRD's rules are.
    case("another kind", "AuthPolicy", f"{WHEN}, defaults: {{rules: {{}}}}"),
)
def test_a_condition_that_counts(kind: str, spec: str) -> None:
    assert advised("SR2204", GATEWAY, CART, policy(kind, "p", "Gateway/web", spec)) == []
