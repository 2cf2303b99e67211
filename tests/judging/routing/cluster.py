"""A cluster of a few documents, and what the statuses of its routes and listeners are."""

from collections.abc import Container, Mapping

from spokerender.judging.attachment.demands import holds_rule
from spokerender.judging.attachment.statuses import Condition, Elsewhere
from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.fleet.combining import combine_routing
from spokerender.judging.fleet.worlds import find_ages, list_worlds
from spokerender.judging.judge import judge_cluster
from spokerender.judging.judgement import Judgement
from spokerender.judging.routing.judge import judge_routing
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import Routing
from spokerender.kinds.settings import ConfiguredController
from spokerender.model import Ref
from spokerender.topology.hub import read_hub
from spokerender.topology.precedence import NO_AGES, Ages
from tests.support import manifest

ENVOY_NAME = "gateway.envoyproxy.io/gatewayclass-controller"
ENVOY = manifest("GatewayClass class", f"controllerName: {ENVOY_NAME}")
WITH_BACKENDS = {"extensionApis": {"enableBackend": True}}
OTHER = ENVOY.replace(ENVOY_NAME, "example.com/controller")
ISTIO = OTHER.replace("example.com/controller", "istio.io/gateway-controller")
SERVICE = manifest(
    "Service shop/s", "ports: [{name: web, port: 80}, {name: dns, port: 53, protocol: UDP}]"
)
ELSEWHERE = Elsewhere()
NOTHING: Container[Ref] = frozenset()


def judged(
    *documents: str,
    unseen: Container[Ref] = ELSEWHERE,
    ages: Ages = NO_AGES,
    settings: Mapping[str, object] | None = None,
) -> Routing:
    """The statuses; objects in `unseen` may be on the cluster though no document has them.

    `settings` are those of Envoy Gateway, if they are declared.
    """
    configured = [] if settings is None else [ConfiguredController(ENVOY_NAME, settings)]
    hub = read_hub([("hub.yaml", "---\n".join(documents).encode())], configured)
    assert not hub.results, hub.results
    cluster = Cluster.of(hub.manifests, hub.catalogue)
    objects = {manifest.ref: manifest.object for manifest in hub.manifests}

    def judge(ages: Ages) -> tuple[Judgement, Routing]:
        judgement = judge_cluster(cluster, Knowledge(hub.catalogue, unseen=unseen, ages=ages))
        topology, attachments = judgement.topology, judgement.attachments
        scene = Scene(topology, objects, {}, unseen, attachments, holds_rule, hub.catalogue)
        return judgement, judge_routing(scene)

    judgement, routing = judge(ages)
    worlds = list_worlds(
        judgement.topology, judgement.attachments, judgement.effective, routing.unsettled
    )
    in_worlds = {world: judge(find_ages(world, ages))[1] for world in worlds}
    return combine_routing(in_worlds) if in_worlds else routing


def parents(routing: Routing, name: str = "web") -> list[str]:
    """The conditions for each parent of a route, in words."""
    statuses = next(items for ref, items in routing.routes.items() if ref.name == name)
    return [words(item.conditions) if not item.silent else "none" for item in statuses]


def listeners(routing: Routing, name: str = "gw") -> Mapping[str, str]:
    """The conditions of each listener of a Gateway or ListenerSet, in words."""
    holder = next(item for ref, item in routing.holders.items() if ref.name == name)
    return {item.name: words(item.conditions) for item in holder.listeners}


def words(conditions: tuple[Condition, ...]) -> str:
    """Conditions in words: `Accepted`, `not Accepted (reason)`, `Accepted? (reason)`."""
    return ", ".join(map(word, conditions))


def word(item: Condition) -> str:
    reason = "" if item.reason == item.type else f" ({item.reason})"
    prefix, suffix = {"True": ("", ""), "False": ("not ", ""), "Unknown": ("", "?")}[item.status]
    return f"{prefix}{item.type}{suffix}{reason}"
