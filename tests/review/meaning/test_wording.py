"""The words for what policies ask before and after a change."""

from collections.abc import Sequence

from spokerender.judging.effective.shifts import Direction, Shift
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from spokerender.review.meaning.asked import classify, describe_shift
from spokerender.review.values import Topic
from tests.review.meaning.scenes import compare, gateway, hub, loud, policy, route, state
from tests.support import cases

OLD, NEW, NEWER = (Ref("kuadrant.io", "AuthPolicy", "shop", name) for name in ("a", "b", "c"))


@cases(
    (Direction.STRICTER, [NEW], "AuthPolicy shop/b lets in fewer callers than before"),
    (Direction.WEAKENED, [NEW, NEWER],
     "AuthPolicy shop/b and AuthPolicy shop/c let in more callers than before"),
    (Direction.CHANGED, [NEW],
     "AuthPolicy shop/b changes; whether that is stricter or weaker is not known"),
)  # fmt: skip
def test_policies_are_compared_with_before(
    direction: Direction, policies: Sequence[Ref], message: str
) -> None:
    kind, shift = Catalogue.of(()).kind(OLD.group, OLD.kind), Shift("access", direction, ())
    finding, _ = classify(kind, shift)
    assert describe_shift(kind, finding, shift, policies) == message


def test_who_may_call_comes_before_where_requests_go() -> None:
    """Though more paths are sent elsewhere."""
    login = "authentication: {login: {jwt: {issuerUrl: https://id.example}}}"
    admins = "'a' in auth.identity.groups"
    predicates = admins, f"{admins} || auth.identity.b == 'c'"
    old, new = (
        policy(
            "AuthPolicy",
            f"rules: {{{login}, authorization: {{admins: {{patternMatching: "
            f'{{patterns: [{{predicate: "{predicate}"}}]}}}}}}}}',
            "rule",
        )
        for predicate in predicates
    )
    elsewhere = route().replace("port: 80", "port: 81")
    before = state(hub("istio", gateway("istio"), route(), old))
    review = compare(before, state(hub("istio", gateway("istio"), elsewhere, new)))
    topics = list(dict.fromkeys(item.topic for item in loud(review)))
    assert topics == [Topic.ACCESS, Topic.TRAFFIC]
