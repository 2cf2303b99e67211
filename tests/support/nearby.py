"""A hub with two gateways, a ListenerSet and a route, and what is asked of it."""

from spokerender.rendering.values.rendered import Rendered
from tests.support import manifest
from tests.support.stages import CLASS, GATEWAY, gateway, objects, route

ROUTE = route("cart", "[{name: web, namespace: infra}]", spec="rules: [{name: add}, {}]")
LISTENER_SET = manifest(
    "ListenerSet infra/more",
    "parentRef: {name: web}, listeners: [{name: extra, port: 81, protocol: HTTP}]",
)
NEARBY = (
    CLASS,
    GATEWAY.replace("spec:\n", "spec:\n  allowedListeners: {namespaces: {from: All}}\n"),
    gateway("api"),
    LISTENER_SET,
    ROUTE,
)
ONE = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}"
BOTH = "- {gateways: {names: [infra/web, infra/api]}, spokes: {names: [eu]}}"
MOVED = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {name: edge, namespace: gw}}"


def policy(targets: str, namespace: str = "infra", name: str = "p") -> str:
    """A policy of Envoy Gateway with several targets."""
    return manifest(f"SecurityPolicy {namespace}/{name}", f"targetRefs: [{targets}]")


def target(kind: str, name: str, group: str = "gateway.networking.k8s.io") -> str:
    return f'{{group: "{group}", kind: {kind}, name: {name}}}'


def shipped(found: Rendered, name: str) -> list[str]:
    return [spoke for spoke in found.bundles if name in objects(found, spoke)]


def reason(found: Rendered, name: str) -> list[str]:
    """Why an object is on no spoke, be it a warning or not."""
    codes = {"SR1501", "SR1513"}
    return [r.message for r in found.results if r.code in codes and str(r.resource) == name]


def listing(*kinds: str) -> str:
    entries = ", ".join(f"{{group: gateway.networking.k8s.io, kind: {kind}}}" for kind in kinds)
    return f"policiesToSync: [{entries}]"


BACKEND_POLICY = manifest(
    "BackendTLSPolicy shop/tls",
    "targetRefs: [{group: '', kind: Service, name: svc}], validation: {hostname: svc, "
    "wellKnownCACertificates: System}",
)
