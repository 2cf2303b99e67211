"""One judgement of a cluster, whether its objects were rendered, committed, or exported."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from spokerender.judging.attachment.statuses import Elsewhere, Truth
from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.fleet.judged import Aspect
from spokerender.judging.judge import Judge, judge_cluster
from spokerender.judging.judgement import Judgement
from spokerender.model import PlacedGateway, Ref, slots
from spokerender.model.slots import fill
from spokerender.pipeline import judge as judge_fleet
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hub import read_hub
from tests.judging.routing.cluster import ENVOY_NAME
from tests.support import each, manifest, stages, text_of
from tests.support.project import rendered_folder

EXAMPLES = Path(__file__).parents[2] / "examples"

RULES = text_of(__file__, "judge_rules.yaml")
FLEET = [
    stages.CLASS,
    stages.GATEWAY,
    stages.gateway("own"),
    stages.route("cart", spec="hostnames: [cart.shop.example], rules: [{name: all}]"),
    stages.route("desk", "[{name: own, namespace: infra}]", spec="rules: [{name: all}]"),
    stages.auth("closed", "kind: Gateway, name: web", spec="rules: {authentication: {a: {}}}"),
    stages.auth("theirs", "kind: Gateway, name: own", spec="rules: {authentication: {b: {}}}"),
    stages.auth("twin", "kind: Gateway, name: web", spec="rules: {authentication: {c: {}}}"),
]
EXPORTED = text_of(__file__, "judge.yaml")
"""What the fleet comes to on spoke eu, written by hand: what `kubectl get -o yaml` might give."""


def answers(found: Judgement, values: slots.Values | None = None) -> tuple[Any, ...]:
    """What attaches, and what is in force with the rules that hold, with a spoke's values."""
    known = values or {}

    def own(items: Mapping[Any, Any]) -> dict[Any, Any]:
        return {fill(key, known): fill(item, known) for key, item in items.items()}

    return (
        {
            ref: (item.targets, item.ancestors, item.accepted, item.resolved_refs, item.contentions)
            for ref, item in own(found.attachments).items()
        },
        sorted(repr(fill(item, known)) for item in found.effective),
        own(found.programmed),
        own(found.reported),
    )


def of_spoke(fleet: Rendered, spoke: str) -> tuple[Any, ...]:
    """The answers for a rendered spoke, judged as one of its case."""
    judged_fleet = judge_fleet(fleet, (), Aspect.POLICIES)
    return answers(judged_fleet.judged[spoke].judgement, judged_fleet.bundles[spoke].values)


def of_files(
    files: Iterable[tuple[str, bytes]], fleet: Rendered, existing: Iterable[PlacedGateway] = ()
) -> tuple[Any, ...]:
    """The answers for files, wherever they come from; `fleet` knows what is not among them."""
    hub = read_hub(files)
    routes = (ref for ref, node in fleet.topology.nodes.items() if node.is_route)
    knowledge = Knowledge(
        hub.catalogue,
        namespaces=fleet.topology,
        unseen=Elsewhere(frozenset(routes), fleet.settings.external),
        crds=tuple(manifest.object for manifest in fleet.hub.crds),
    )
    return answers(
        judge_cluster(Cluster.of(hub.manifests, fleet.hub.catalogue, existing), knowledge)
    )


def own_gateways(fleet: Rendered, spoke: str) -> tuple[PlacedGateway, ...]:
    """The gateways that the spoke has of its own."""
    bundle = fleet.bundles[spoke]
    return tuple(fill(p, bundle.values) for p in bundle.blueprint.placed if p.existing)


def below(folder: Path) -> list[tuple[str, bytes]]:
    """The YAML files of a folder."""
    return [(str(path), path.read_bytes()) for path in sorted(folder.rglob("*.yaml"))]


def test_rendered_and_committed_and_exported() -> None:
    fleet = stages.render(FLEET, RULES)
    assert stages.told(fleet.results) == []
    expected = of_spoke(fleet, "eu")
    existing = own_gateways(fleet, "eu")
    committed = fleet.tree.files("eu")
    assert not any(slots.has_slot(data.decode()) for data in committed.values())
    assert of_files(committed.items(), fleet, existing) == expected
    assert of_files([("all.yaml", dedent(EXPORTED).encode())], fleet, existing) == expected
    attachments, effective, *_ = expected
    assert sorted(ref.name for ref in attachments) == ["closed", "theirs", "twin"]
    assert len(effective) == 2


@each("us-west-2-prod")
def test_the_committed_trees_of_the_example(spoke: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent)
    fleet = rendered_folder(EXAMPLES / "shop")
    found = of_files(below(Path("clusters") / spoke), fleet, own_gateways(fleet, spoke))
    assert found == of_spoke(fleet, spoke)
    attachments, effective, *_ = found
    assert attachments
    assert effective


def test_without_its_own_gateways_a_cluster_has_none() -> None:
    """What a cluster has beside its files is said, never guessed."""
    hub = read_hub([("all.yaml", dedent(EXPORTED).encode())])
    cluster = Cluster.of(hub.manifests, hub.catalogue)
    theirs = Ref("kuadrant.io", "AuthPolicy", "infra", "theirs")
    gateway = Ref("gateway.networking.k8s.io", "Gateway", "infra", "theirs")
    assert _accepted(judge_cluster(cluster, Knowledge(hub.catalogue)))[theirs] is Truth.FALSE
    known = Knowledge(hub.catalogue, unseen=Elsewhere(frozenset([gateway])))
    assert _accepted(judge_cluster(cluster, known))[theirs] is Truth.UNKNOWN


def test_what_the_api_server_refuses_takes_no_part() -> None:
    hub = read_hub([("all.yaml", dedent(EXPORTED).encode())])
    cluster = Cluster.of(hub.manifests, hub.catalogue)
    closed = Ref("kuadrant.io", "AuthPolicy", "edge-eu", "closed")
    refused = {closed: "spec.rules: Forbidden"}
    found = Judge(Knowledge(hub.catalogue)).judge(cluster, refused)
    assert found.attachments[closed].accepted.message == "spec.rules: Forbidden"
    assert [rule.policy.name for item in found.effective for rule in item.likely.rules] == ["twin"]


def _accepted(found: Judgement) -> Mapping[Ref, Truth]:
    return {ref: item.accepted.status for ref, item in found.attachments.items()}


def test_where_a_policy_fails_nothing_is_in_force_in_its_place() -> None:
    """Envoy Gateway: a policy whose references it can't resolve answers 500 on its targets."""
    policies = stages.hub(
        manifest(
            "SecurityPolicy shop/above",
            "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], cors: {}",
        ),
        manifest(
            "SecurityPolicy shop/fails",
            "targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}], "
            "extAuth: {http: {backendRefs: [{name: auth}]}}",
        ),
    )
    documents = [
        manifest("GatewayClass hub", f"controllerName: {ENVOY_NAME}"),
        stages.gateway("web", "shop"),
        stages.route("cart", "[{name: web}]", spec="rules: [{name: all}]"),
        policies,
    ]
    hub = read_hub([("hub.yaml", stages.hub(*documents).encode())])
    judged = judge_cluster(Cluster.of(hub.manifests, hub.catalogue), Knowledge(hub.catalogue))
    (found,) = judged.effective
    assert found.likely.rules == ()
    assert found.likely.failing == "no port of Service shop/auth is named"
