"""A hostname that was served, and is served on no spoke any more, is a loss."""

from spokerender.findings.codes.review import HOSTNAME_GONE
from spokerender.model import grouped
from tests.review.guard.trees import BOTH_LAYOUTS, Files, Make, Output, lost, tree
from tests.support import cases, rows_of


def gateway(hostname: str) -> str:
    listener = f'{{name: http, port: 80, protocol: HTTP, hostname: "{hostname}"}}'
    return f"""
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: web, namespace: shop}}
spec: {{gatewayClassName: istio, listeners: [{listener}]}}
"""


def route(*hostnames: str, name: str = "cart") -> str:
    names = ", ".join(f'"{hostname}"' for hostname in hostnames)
    return f"""
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: {name}, namespace: shop}}
spec: {{parentRefs: [{{name: web}}], hostnames: [{names}]}}
"""


def unserved(old: Output, new: Output) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Where which hostnames are served no more, and what is to be acknowledged."""
    return [
        (spoke, str(names[0].ref), names[0].lost, item.hostnames)
        for item in lost(old, new).consequences
        if item.result.code == HOSTNAME_GONE.code
        for spoke, names in grouped((name.spoke, name) for name in item.losses).items()
    ]


A, B = "a.example", "b.example"
CART, WEB = "HTTPRoute shop/cart", "Gateway shop/web"


@cases(*rows_of(__file__, "a_hostname_that_no_listener_serves_any_more"))
@BOTH_LAYOUTS
def test_a_hostname_that_no_listener_serves_any_more(
    before: tuple[str, list[str]],
    after: tuple[str, list[str]],
    by: str,
    expected: str,
    files: Make,
) -> None:
    old, new = (files(gateway(name), route(*names)) for name, names in (before, after))
    wanted = [("eu", by, "unserved", (expected,))] if expected else []
    assert unserved({"eu": old}, {"eu": new}) == wanted


def test_a_route_that_goes_takes_its_hostname_along() -> None:
    old = tree(gateway("*.example"), route(A), route(B, name="other"), route(A, name="again"))
    kept = tree(gateway("*.example"), route(A), route(B, name="other"))
    assert unserved({"eu": old}, {"eu": kept}) == []
    gone = tree(gateway("*.example"), route(B, name="other"))
    assert unserved({"eu": old}, {"eu": gone}) == [
        ("eu", "HTTPRoute shop/again", "goes", (A,)),
    ]


def test_a_route_under_another_name_serves_as_before() -> None:
    old = tree(gateway(A), route(A))
    assert unserved({"eu": old}, {"eu": tree(gateway(A), route(A, name="new"))}) == []


ON_A: Files = tree(gateway(A), route(A))
ON_B: Files = tree(gateway(B), route(B))


@cases(
    ({"eu": ON_A, "us": ON_A}, {"eu": ON_B, "us": ON_B}, ["eu", "us"]),
    ({"eu": ON_A, "us": ON_A}, {"eu": ON_B, "us": ON_A}, ["eu"]),
)
def test_a_spoke_loses_what_another_one_still_serves(
    old: Output, new: Output, spokes: list[str]
) -> None:
    """Requests that come to that spoke are answered no more, wherever others are."""
    assert [place for place, *_ in unserved(old, new)] == spokes
