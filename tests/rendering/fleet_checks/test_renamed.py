"""A Gateway that was renamed on the hub alone is one finding, with the references to correct."""

from spokerender.findings.results import INFO, Result
from tests.support import cases, end_to_end as e2e, rows_of

ROUTE = ("gateway.networking.k8s.io", "HTTPRoute")
POLICY = ("kuadrant.io", "AuthPolicy")


def gateway(name: str, namespace: str = "infra") -> str:
    return (
        "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\n"
        "spec: {gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP, "
        "allowedRoutes: {namespaces: {from: All}}}]}\n---\n"
    )


def route(name: str, *parents: str) -> str:
    refs = ", ".join(f"{{name: {parent}, namespace: infra}}" for parent in parents)
    return (
        "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n"
        f"metadata: {{name: {name}, namespace: shop}}\nspec: {{parentRefs: [{refs}]}}\n---\n"
    )


def policy(name: str, target: str) -> str:
    return (
        f"apiVersion: kuadrant.io/v1\nkind: AuthPolicy\nmetadata: {{name: {name}, "
        "namespace: infra}\nspec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, "
        f"name: {target}}}}}\n---\n"
    )


def reported(hub: str, *placed: str, overrides: str = "[]", rules: str = "") -> list[Result]:
    names = ", ".join(placed)
    files = {
        "hub/all.yaml": hub,
        "fleet.yaml": e2e.fleet(ROUTE, POLICY),
        "placement.yaml": e2e.placement(
            "[{name: eu}]",
            rules or f"[{{gateways: {{names: [{names}]}}, spokes: {{all: true}}}}]",
            overrides,
        ),
    }
    return [result for result in e2e.rendered(files).results if result.severity is not INFO]


NAMED = "which is not in the hub: if this is its new name, they have the old one"
LIMITS = "[{target: {kind: Gateway, name: web}, spokes: {all: true}, merge: {metadata: {}}}]"
POLICIES = "[{target: {kind: AuthPolicy}, spokes: {all: true}, merge: {metadata: {}}}]"


@cases(*rows_of(__file__, "a_renamed_gateway_is_one_finding"))
def test_a_renamed_gateway_is_one_finding(hub: str, overrides: str, references: int) -> None:
    (result,) = reported(gateway("edge") + hub, "infra/web", overrides=overrides)
    assert (result.code, result.severity, str(result.resource)) == (
        "SR1412",
        "error",
        "Gateway infra/edge",
    )
    verb = "reference names" if references == 1 else "references name"
    assert result.message == f"{references} {verb} Gateway infra/web, {NAMED}"
    first, *lines = result.cure.split("\n")
    assert first == (
        'run spokerender rename Gateway/infra/web edge, or write "infra/edge" there, or give the '
        "Gateway its old name:"
    )
    assert str(result.origin) == "hub/all.yaml:3"
    assert len(lines) == references
    assert "  placement.yaml:6 spec.rules[0].gateways" in lines


def test_a_gateway_that_is_placed_by_its_labels() -> None:
    everything = "{matchExpressions: [{key: none, operator: DoesNotExist}]}"
    by_label = f"[{{gateways: {{selector: {everything}}}, spokes: {{all: true}}}}]"
    hub = gateway("edge") + route("cart", "web") + policy("auth", "web")
    (result,) = reported(hub, rules=by_label)
    assert result.code == "SR1412"
    assert [line.split(" ", 1)[1] for line in result.cure.split("\n  ")[1:]] == [
        "HTTPRoute shop/cart spec.parentRefs[0]",
        "AuthPolicy infra/auth spec.targetRef",
    ]


@cases(
    (["web", "api"], ["web-v2", "api-v2"], {"web": "web-v2", "api": "api-v2"}),
    (["web", "api"], ["one", "two"], {}),
)
def test_several_gateways_are_told_apart_or_not_at_all(
    old: list[str], new: list[str], expected: dict[str, str]
) -> None:
    hub = "".join(gateway(name) for name in new) + "".join(route(f"r-{n}", n) for n in old)
    results = reported(hub, *(f"infra/{name}" for name in old))
    renamed = [r for r in results if r.code == "SR1412"]
    pairs = {r.message.split("infra/")[1].split(",")[0]: r.resource for r in renamed}
    assert {name: ref.name for name, ref in pairs.items() if ref} == expected
    assert {r.code for r in results} == ({"SR1412"} if expected else {"SR1010", "SR1401", "SR1404"})


def test_a_gateway_in_another_namespace() -> None:
    (result,) = reported(gateway("web", "edge") + route("cart", "web"), "infra/web")
    assert (result.code, str(result.resource)) == ("SR1412", "Gateway edge/web")


def test_a_typing_error_in_the_placement_is_no_rename() -> None:
    results = reported(gateway("web") + route("cart", "web"), "infra/wbe")
    assert [result.code for result in results] == ["SR1401", "SR1404"]


def test_a_typing_error_in_one_route_is_no_rename() -> None:
    hub = gateway("web") + route("cart", "web") + route("pay", "wbe") + route("more", "wbe")
    assert {result.code for result in reported(hub, "infra/web")} == {"SR1010"}


def test_a_gateway_may_be_in_a_file_that_cannot_be_read() -> None:
    hub = gateway("edge") + route("cart", "web") + "kind: [\n"
    codes = {result.code for result in reported(hub, "infra/web")}
    assert "SR1412" not in codes
    assert {"SR1001", "SR1401"} <= codes
