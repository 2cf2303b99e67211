"""Airlock Microgateway, as its CRDs and its documentation have it."""

from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.effective.guarding import guards
from spokerender.judging.judge import judge_cluster
from spokerender.judging.judgement import Judgement
from spokerender.topology.hub import read_hub
from tests.support import cases, manifest, rows_of, stages

CLASS = manifest(
    "GatewayClass class", "controllerName: microgateway.airlock.com/gatewayclass-controller"
)
GATEWAY = stages.gateway("web", "shop").replace("gatewayClassName: hub", "gatewayClassName: class")
ROUTE = stages.route("cart", "[{name: web}]", spec="rules: [{name: all}]")


def policy(kind: str, name: str, spec: str, target: str = "HTTPRoute, name: cart") -> str:
    return f"""
apiVersion: microgateway.airlock.com/v1alpha1
kind: {kind}
metadata: {{name: {name}, namespace: shop}}
spec:
  targetRefs: [{{group: gateway.networking.k8s.io, kind: {target}}}]
  {spec}
"""


def judged(*policies: str) -> Judgement:
    hub = read_hub([("hub.yaml", stages.hub(CLASS, GATEWAY, ROUTE, *policies).encode())])
    return judge_cluster(Cluster.of(hub.manifests, hub.catalogue), Knowledge(hub.catalogue))


@cases(*rows_of(__file__, "what_guards"))
def test_what_guards(kind: str, spec: str, guarded: bool) -> None:
    found = judged(policy(kind, "p", spec))
    (effective,) = found.effective
    (row,) = {each.policies[0].row for each in found.in_force}
    assert effective.likely.policies == tuple(found.attachments)
    assert guards(row, effective.likely) is guarded


def test_of_several_on_one_route_nothing_is_known() -> None:
    spec = "policies: [{authorization: {}}]"
    found = judged(*(policy("AccessControlPolicy", name, spec) for name in ("a", "b")))
    assert {each.accepted.reason for each in found.attachments.values()} == {"NotKnown"}
    assert [each.likely.rules for each in found.effective] == [()]


def test_it_attaches_to_httproutes_alone() -> None:
    found = judged(policy("ICAPPolicy", "p", "policies: []", "Gateway, name: web"))
    assert [each.accepted.reason for each in found.attachments.values()] == ["Invalid"]
