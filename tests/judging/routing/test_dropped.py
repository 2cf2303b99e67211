"""Rules of which a controller makes nothing: requests take no path through them."""

from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.judge import judge_cluster
from spokerender.topology.hub import read_hub
from spokerender.topology.requests import find_rule_paths
from tests.judging.routing.cluster import ENVOY, NOTHING, OTHER, SERVICE
from tests.support import cases, rows_of
from tests.topology.test_requests import gateway, listener, route

GONE = (
    "{type: ExtensionRef, extensionRef: "
    "{group: gateway.envoyproxy.io, kind: HTTPRouteFilter, name: gone}}"
)
MIRROR = "{type: RequestMirror, requestMirror: {backendRef: {name: s, port: 80}}}"


def paths(gateway_class: str, kind: str, *rules: str, seen: bool = True) -> dict[str, bool]:
    """The rules that requests take a path through, and whether that is certain."""
    written = ", ".join(f"{{name: r{i}, {rule}}}" for i, rule in enumerate(rules))
    documents = [
        *(gateway_class, gateway(listener()), SERVICE),
        route(kind=kind, more=f", rules: [{written}]"),
    ]
    hub = read_hub([("hub.yaml", "---\n".join(documents).encode())])
    known = Knowledge(hub.catalogue, unseen=NOTHING) if seen else Knowledge(hub.catalogue)
    judgement = judge_cluster(Cluster.of(hub.manifests, hub.catalogue), known)
    return {path.rule: path.is_certain for path in find_rule_paths(judgement.topology)}


@cases(*rows_of(__file__, "rules_are_dropped_by_envoy_gateway_alone"))
def test_rules_are_dropped_by_envoy_gateway_alone(
    kind: str, rules: list[str], left: list[str]
) -> None:
    """route.go: a rule of which an expression can't be read, and a GRPCRoute refused as a whole."""
    assert paths(ENVOY, kind, *rules) == dict.fromkeys(left, True)
    assert paths(OTHER, kind, *rules).keys() == {f"r{i}" for i, _ in enumerate(rules)}


def test_what_no_file_has_may_drop_a_route() -> None:
    """Without its filter a mirrored request is answered, which refuses the rule."""
    assert paths(ENVOY, "GRPCRoute", f"filters: [{MIRROR}, {GONE}]", seen=False) == {"r0": False}
    assert paths(ENVOY, "HTTPRoute", f"filters: [{MIRROR}, {GONE}]", seen=False) == {"r0": True}
