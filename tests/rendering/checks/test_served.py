"""A route that no listener takes on the hub either is told when it is built."""

from tests.support import cases, end_to_end as e2e

ROUTES = ("gateway.networking.k8s.io", "HTTPRoute")


def hub(hostname: str, *hostnames: str, section: str = "http", kind: str = "Gateway") -> str:
    group = "gateway.networking.k8s.io" if kind == "Gateway" else '""'
    return f"""\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: web, namespace: shop}}
spec:
  gatewayClassName: istio
  listeners: [{{name: http, port: 80, protocol: HTTP, hostname: "{hostname}"}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: cart, namespace: shop}}
spec:
  parentRefs:
  - {{group: {group}, kind: {kind}, name: web, sectionName: {section}}}
  hostnames: [{", ".join(hostnames)}]
"""


def files_of(text: str, as_: str = "{}") -> dict[str, str]:
    return {
        "hub/all.yaml": text,
        "fleet.yaml": e2e.fleet(ROUTES),
        "placement.yaml": e2e.everywhere("shop/web", as_=as_),
    }


def reported(text: str, as_: str = "{}") -> list[tuple[str, str, str, str]]:
    return [
        (result.severity, result.code, result.field, result.message)
        for result in e2e.rendered(files_of(text, as_)).results
        if result.code in {"SR2234", "SR2240", "SR1704"}
    ]


UNSERVED = "no listener of Gateway shop/web serves hostname b.other, and check refuses that"
DETACHED = (
    "it is on no listener: no listener of Gateway shop/web has a hostname in common with b.other. "
    "It gets no requests, and check refuses it"
)


@cases(
    (("a.example",), []),
    ((), []),
    (("a.example", "b.other"), [("warning", "SR2240", "spec.hostnames[1]", UNSERVED)]),
    (("b.other",), [("warning", "SR2234", "spec.parentRefs", DETACHED)]),
)
def test_a_hostname_that_the_hub_does_not_serve_either(
    names: tuple[str, ...], expected: list[tuple[str, str, str, str]]
) -> None:
    assert reported(hub("*.example", *names)) == expected


def test_a_namespace_that_no_listener_admits_is_named() -> None:
    text = hub("*.example", "a.example").replace("cart, namespace: shop", "cart, namespace: team")
    text = text.replace("name: web, sectionName", "name: web, namespace: shop, sectionName")
    message = (
        "it is on no listener: no listener of Gateway shop/web admits routes of namespace team "
        "(allowedRoutes.namespaces). It gets no requests, and check refuses it"
    )
    assert reported(text) == [("warning", "SR2234", "spec.parentRefs", message)]


def test_what_the_placement_serves_is_served() -> None:
    assert reported(hub("*.example", "b.other"), "{hostnames: {b.other: b.example}}") == []


def test_what_the_spoke_alone_does_not_serve_is_one_error() -> None:
    mapped = reported(hub("*.example", "a.example"), "{hostnames: {a.example: a.other}}")
    assert [(severity, code) for severity, code, *_ in mapped] == [("error", "SR1704")]


def test_a_route_of_a_mesh_is_on_no_listener_by_right() -> None:
    assert reported(hub("*.example", "b.other", kind="Service")) == []


def test_a_section_that_is_not_there_is_one_error() -> None:
    """No second one says that the route is on no listener, for that is why."""
    text = hub("*.example", "a.example", section="gone")
    codes = [result.code for result in e2e.rendered(files_of(text)).results]
    assert [code for code in codes if code in {"SR1701", "SR2234", "SR2240"}] == ["SR1701"]
