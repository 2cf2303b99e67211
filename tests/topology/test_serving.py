"""The paths that serve a hostname, where several listeners of a port have it."""

from spokerender.topology.requests import find_listener_paths, find_rule_paths
from spokerender.topology.serving import HostnameServing
from tests.support import cases, each
from tests.support.stages import graph
from tests.topology.test_requests import ALL, gateway, listener, route

WIDE = listener("all")
NARROW = listener("wild", f'hostname: "*.example", {ALL}')
EXACT = listener("one", f"hostname: a.example, {ALL}")
SECURE = [
    text.replace("HTTP,", "HTTPS,").replace("port: 80", "port: 443")
    for text in (WIDE, NARROW, EXACT)
]


def serving(hostname: str, *documents: str) -> list[str]:
    """The listeners, and the routes on them, that requests for the hostname come to."""
    topology = graph(*documents)
    served = HostnameServing(topology, hostname, str)
    return [
        f"{path.listener} {path.route.name}" if path.route is not None else path.listener
        for path in (*find_listener_paths(topology), *find_rule_paths(topology))
        if served.serves(path)
    ]


def on(name: str, listener: str, hostnames: str = "") -> str:
    parent = f"{{name: gw, namespace: infra, sectionName: {listener}}}"
    return route(name, parent, f", hostnames: [{hostnames}]" if hostnames else "")


ROUTES = (on("x", "all"), on("mid", "wild"), on("z", "one"))


@cases(
    ("a.example", "one z"), ("b.example", "wild mid"), ("b.other", "all x"), ("example", "all x")
)
@each((WIDE, NARROW, EXACT), tuple(SECURE))
def test_the_most_specific_listener_has_the_request(
    listeners: tuple[str, ...], hostname: str, route: str
) -> None:
    own = gateway(", ".join(listeners))
    assert [text for text in serving(hostname, own, *ROUTES) if " " in text] == [route]


def test_on_plain_ports_the_hostname_of_the_route_counts() -> None:
    """Envoy has one table of hostnames for a port; for TLS it has one for each listener."""
    routes = (on("x", "all", "b.example"), on("mid", "wild"))
    plain = serving("b.example", gateway(f"{WIDE}, {NARROW}"), *routes)
    assert [text for text in plain if " " in text] == ["all x"]
    secure = serving("b.example", gateway(", ".join(SECURE[:2])), *routes)
    assert secure == ["wild", "wild mid"]


def test_ports_and_gateways_have_nothing_to_do_with_each_other() -> None:
    other = listener("other", port=81)
    assert serving("a.example", gateway(f"{EXACT}, {other}"), on("x", "other"), on("z", "one")) == [
        "one",
        "other",
        "one z",
        "other x",
    ]
    assert "all" in serving("a.example", gateway(EXACT), gateway(WIDE, name="second"))


def test_a_route_for_other_hostnames_serves_nothing() -> None:
    assert serving("c.example", gateway(WIDE), on("x", "all", "a.example, b.example")) == ["all"]
