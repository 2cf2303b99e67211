"""A shape of hostile input: files that grow with a number, and commands that are to bear them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Files = Mapping[str, str]

STDIN = "-"
"""The name of what comes on standard input."""

API = "gateway.networking.k8s.io"
SYNCED = ", ".join(
    f"{{group: {group}, kind: {kind}}}"
    for group, kind in (
        (API, "HTTPRoute"),
        (API, "GRPCRoute"),
        (API, "ListenerSet"),
        (API, "BackendTLSPolicy"),
        (API, "ReferenceGrant"),
        ("kuadrant.io", "AuthPolicy"),
        ("kuadrant.io", "RateLimitPolicy"),
        ("kuadrant.io", "DNSPolicy"),
        ("kuadrant.io", "TLSPolicy"),
        ("gateway.envoyproxy.io", "SecurityPolicy"),
        ("gateway.envoyproxy.io", "BackendTrafficPolicy"),
        ("security.istio.io", "AuthorizationPolicy"),
        ("networking.k8s.io", "NetworkPolicy"),
    )
)
FLEET = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\n"
SYNCING = f"{FLEET}spec:\n  policiesToSync: [{SYNCED}]\n"
HEAD = "apiVersion: spokerender.io/v1alpha1\nkind: Placement\nmetadata: {name: all}\nspec:\n"
SPOKES = "  spokes: [{name: one, labels: {tier: prod}}]\n"
EVERYWHERE = "{gateways: {names: [infra/web]}, spokes: {all: true}}"
RULES = f"  rules: [{EVERYWHERE}]\n"
HTTP = "{name: web, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}"


@dataclass(frozen=True, slots=True)
class Shape:
    """What somebody may write to cost us much; `files` makes it, the more the larger `n` is."""

    name: str
    files: Callable[[int], Files]
    commands: tuple[tuple[str, ...], ...] = (("check",),)


def shapes(author: str, *makers: Callable[[int], Files]) -> tuple[Shape, ...]:
    """What an author may write: a shape of each, called as it is."""
    return tuple(Shape(f"{author}: {make.__name__.replace('_', ' ')}", make) for make in makers)


def listed(count: int, text: Callable[[int], str], between: str = ", ") -> str:
    """So many texts, each made of its number."""
    return between.join(map(text, range(count)))


def document(api: str, kind: str, name: str, spec: str, namespace: str = "infra") -> str:
    """An object; `spec` is YAML in the flow style, with its braces."""
    return (
        f"---\napiVersion: {api}\nkind: {kind}\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\nspec: {spec}\n"
    )


def gateway(name: str = "web", listeners: str = HTTP, more: str = "") -> str:
    """A Gateway of Istio's."""
    spec = f"{{gatewayClassName: istio, listeners: [{listeners}]{more}}}"
    return document(f"{API}/v1", "Gateway", name, spec)


def route(name: str, more: str = "", parents: str = "{name: web}", namespace: str = "infra") -> str:
    """An HTTPRoute."""
    return document(f"{API}/v1", "HTTPRoute", name, f"{{parentRefs: [{parents}]{more}}}", namespace)


def plain_routes(count: int) -> str:
    """So many HTTPRoutes, all alike."""
    return listed(count, lambda i: route(f"r{i}"), "")


def targeting(kind: str, name: str, more: str = "", group: str = API) -> str:
    """A targetRef."""
    return f"{{group: {group}, kind: {kind}, name: {name}{more}}}"


def project(**files: str) -> Files:
    """A whole project, with a Gateway on one spoke where nothing else is said.

    Args:
        files: `hub`, `fleet` and `placement` are their texts; anything else is a path.

    """
    return {
        "fleet.yaml": files.pop("fleet", SYNCING),
        "placement.yaml": files.pop("placement", HEAD + SPOKES + RULES),
        "hub/gateway.yaml": files.pop("gateway", gateway()),
        "hub/more.yaml": files.pop("hub", ""),
        **files,
    }


def size_of(files: Files) -> int:
    """How many bytes somebody has to write: contents and names."""
    return sum(len(path) + len(text.encode(errors="surrogatepass")) for path, text in files.items())


def of_size(shape: Shape, size: int) -> Files:
    """The shape's largest files that are no larger than `size` bytes."""
    low, high = 1, 2
    while size_of(shape.files(high)) <= size:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if size_of(shape.files(middle)) <= size:
            low = middle
        else:
            high = middle
    return shape.files(low)


def write(folder: Path, files: Files) -> bytes:
    """Write the files; what is for standard input is given back."""
    for path, text in files.items():
        if path != STDIN:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", errors="surrogatepass")
    return files.get(STDIN, "").encode(errors="surrogatepass")
