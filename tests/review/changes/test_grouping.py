"""A rename is one difference, and a change of most spokes names those that it passes over."""

from spokerender.rendering.values.rendered import Rendered
from spokerender.review.changes.differences import group_differences
from spokerender.review.changes.values import Difference
from tests.review.meaning.scenes import SYNC, gateway, hub, policy, route
from tests.support import rows_of
from tests.support.changing import pairs
from tests.support.project import PLACEMENT, rendered

SPOKES = "  spokes:\n" + "".join(
    f"  - {{name: spoke-{n}, values: {{domain: shop-{n}.example}}}}\n" for n in range(5)
)
RULES = rows_of(__file__, "rules")
OVERRIDES = rows_of(__file__, "overrides")
LIMIT = "limits: {all: {rates: [{limit: %s, window: 10s}]}}"


def fleet(*documents: str, name: str = "web", overrides: str = OVERRIDES) -> Rendered:
    place = PLACEMENT + SPOKES + RULES % name + overrides
    return rendered(hub("istio", *documents), place, SYNC)


def compare(old: Rendered, new: Rendered) -> tuple[Difference, ...]:
    return group_differences(pairs(old, new), (), new).items


def test_a_renamed_gateway_is_one_difference_with_all_that_names_it() -> None:
    def named(name: str) -> Rendered:
        login = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
        on_gateway = policy("AuthPolicy", login, "gateway").replace("name: web", f"name: {name}")
        documents = (gateway("istio", name), route(parent=name), on_gateway)
        return fleet(*documents, name=name, overrides="")

    (difference,) = compare(named("web"), named("edge"))
    assert str(difference.was) == "Gateway infra/web"
    assert str(difference.ref) == "Gateway infra/edge"
    assert [ref.kind for ref in difference.follows] == ["HTTPRoute", "AuthPolicy"]
    assert len(difference.folders) == 5


def test_a_renamed_gateway_and_another_change_are_two() -> None:
    old = fleet(gateway("istio"), route(), overrides="")
    new = fleet(
        gateway("istio", "edge"),
        route(parent="edge", rules="{name: read, backendRefs: [{name: other, port: 80}]}"),
        name="edge",
        overrides="",
    )
    moved, changed = sorted(compare(old, new), key=lambda item: item.kind, reverse=True)
    assert moved.follows == ()
    assert changed.ref is not None
    assert changed.ref.kind == "HTTPRoute"


def test_gateways_that_are_renamed_at_once_have_all_that_names_them() -> None:
    def named(pattern: str) -> Rendered:
        rules = "".join(
            f"  - gateways: {{names: [infra/{name}]}}\n    spokes: {{all: true}}\n"
            f"    as: {{name: {pattern % name}}}\n"
            for name in ("web", "api")
        )
        gateways = (
            gateway("istio", name).replace("*.shop.example", f"*.{name}.example")
            for name in ("web", "api")
        )
        both = "parentRefs: [{name: web}, {name: api}]"
        routed = route(hosts="a.web.example, a.api.example").replace(
            "parentRefs: [{name: web}]", both
        )
        place = f"{PLACEMENT}{SPOKES}  rules:\n{rules}"
        return rendered(hub("istio", *gateways, routed), place, SYNC)

    moves = compare(named("eu-%s"), named("%s-eu"))
    assert {(str(item.kind), item.ref and item.ref.name) for item in moves} == {
        ("moved", "web-eu"),
        ("moved", "api-eu"),
    }
    assert [list(map(str, item.follows)) for item in moves] == [["HTTPRoute infra/cart"]] * 2


def test_objects_outside_spokes_that_change_alike_are_one() -> None:
    def carriers(*intervals: str) -> bytes:
        return "---\n".join(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
            f"metadata: {{namespace: flux-system, name: spoke-{number}}}\n"
            f"spec: {{interval: {interval}}}\n"
            for number, interval in enumerate(intervals)
        ).encode()

    old, new = carriers("10m", "10m", "10m", "10m"), carriers("20m", "20m", "20m", "30m")
    both = [("_fleet", "flux/kustomizations.yaml", old, new)]
    alike, other = group_differences(both, (), fleet(gateway("istio"), route())).items
    assert alike.ref is not None
    assert [ref.name for ref in (alike.ref, *alike.alike)] == ["spoke-0", "spoke-1", "spoke-2"]
    assert alike.number == 3
    assert other.ref is not None
    assert (other.ref.name, other.alike) == ("spoke-3", ())


def test_what_follows_a_gateway_into_a_namespace_is_part_of_its_move() -> None:
    def placed(namespace: str) -> Rendered:
        on_gateway = policy("AuthPolicy", LIMIT % 5, "gateway", "first")
        text = hub("istio", gateway("istio"), route(), on_gateway)
        rules = "  rules:\n  - gateways: {names: [infra/web]}\n    spokes: {all: true}\n"
        return rendered(
            text, f"{PLACEMENT}{SPOKES}{rules}    as: {{namespace: {namespace}}}\n", SYNC
        )

    moves = compare(placed("edge"), placed("zone"))
    assert {item.ref.kind: list(map(str, item.follows)) for item in moves if item.ref} == {
        "Gateway": ["HTTPRoute infra/cart"],
        "AuthPolicy": [],
    }
