"""A rename on some spokes splits a counter that they would have in common."""

from spokerender.judging.advice import advise_fleet
from spokerender.judging.advice.view import FleetView, JudgedSpokeView
from spokerender.judging.effective.rates import hash_limit_name
from tests.judging.advice.spokes import advised_fleet, auth, gateway, limits, listener, view
from tests.support import case, each, stages

CURE = (
    "(let the policy and the route have the same namespace and name on every spoke; separate "
    "counts do no harm if the spokes share no store)"
)


def spoke(
    namespace: str = "infra", route: str = "cart", spec: str = "limits: {all: {}}"
) -> JudgedSpokeView:
    """A spoke whose gateway, and with it the policy, is in this namespace."""
    return view(
        gateway(listener("http"), namespace=namespace),
        stages.route(route, f"[{{name: web, namespace: {namespace}}}]", spec="rules: [{}, {}]"),
        limits("gw", "Gateway/web", spec, namespace),
        hub={f"{namespace}/gw": "infra/gw", f"shop/{route}": "shop/cart"},
    )


HERE = hash_limit_name("limit.", "infra", "gw", "all")
EDGE = hash_limit_name("limit.", "edge", "gw", "all")


def found(severity: str, shown: str, spokes: str, limit: str = "all") -> str:
    return (
        f"{severity} SR2220 RateLimitPolicy infra/gw: limit {limit} counts as {shown}: in a "
        f"store that these spokes share, each name counts up to the full limit by itself {CURE} "
        f"[{spokes}]"
    )


def test_the_gateway_is_moved_on_one_spoke() -> None:
    shown = f"{HERE} of shop/cart on eu, us, {EDGE} of shop/cart on ap"
    assert advised_fleet("SR2220", eu=spoke(), us=spoke(), ap=spoke("edge")) == [
        found("warning", shown, "ap eu us")
    ]


def test_the_route_has_another_name_on_one_spoke() -> None:
    shown = f"{HERE} of shop/cart on eu, us, {HERE} of shop/basket on ap"
    assert advised_fleet("SR2220", eu=spoke(), us=spoke(), ap=spoke(route="basket")) == [
        found("warning", shown, "ap eu us")
    ]


def test_it_is_told_of_the_policy_where_that_is_written() -> None:
    views = {"eu": spoke(), "us": spoke(), "ap": spoke("edge")}
    (result,) = (found for found in advise_fleet(FleetView(views)) if found.code == "SR2220")
    ((ref, policy),) = (
        (ref, item) for ref, item in views["eu"].objects.items() if ref.kind == "RateLimitPolicy"
    )
    assert (result.resource, result.origin) == (ref, policy.origin)


def test_every_spoke_has_its_own() -> None:
    shown = f"{EDGE} of shop/cart on us, {HERE} of shop/cart on eu"
    assert advised_fleet("SR2220", eu=spoke(), us=spoke("edge")) == [found("info", shown, "eu us")]


def test_all_limits_of_a_policy_are_told_at_once() -> None:
    two = "defaults: {strategy: merge, limits: {all: {}, burst: {}}, when: [{predicate: x}]}"
    (line,) = advised_fleet("SR2220", eu=spoke(spec=two), us=spoke("edge", spec=two))
    assert line.startswith("info SR2220 RateLimitPolicy infra/gw: limit all, burst counts as ")


def test_more_than_two_ways() -> None:
    (line,) = advised_fleet("SR2220", **{name: spoke(name) for name in "abc"})
    assert " and 1 more: in a store" in line


@each(
    case("the same names", spoke()),
    case("another limit", spoke(spec="limits: {other: {}}")),
    case(
        "a kind without counters",
        view(
            gateway(listener("http"), namespace="edge"),
            stages.route("cart", "[{name: web, namespace: edge}]", spec="rules: [{}]"),
            auth("gw", "Gateway/web", "", "edge"),
            hub={"edge/gw": "infra/gw"},
        ),
    ),
    case(
        "not in force",
        view(gateway(listener("http"), namespace="edge"), limits("gw", "Gateway/web")),
    ),
)
def test_counters_in_common(other: JudgedSpokeView) -> None:
    assert advised_fleet("SR2220", eu=spoke(), us=other) == []


def test_token_limits_have_a_prefix_of_their_own() -> None:
    assert hash_limit_name("tokenlimit.", "a", "b", "per-user") != hash_limit_name(
        "limit.", "a", "b", "per-user"
    )
    assert hash_limit_name("tokenlimit.", "a", "b", "per-user").startswith("tokenlimit.per_user__")
