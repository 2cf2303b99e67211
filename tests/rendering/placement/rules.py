"""One rule for two gateways and two spokes."""

from typing import Any

from spokerender.findings.results import Result
from spokerender.model import PlacedGateway, Ref
from spokerender.rendering.holding import Slots, SpokeSlots
from spokerender.rendering.placement.assign import Assigner
from spokerender.rendering.placement.decide import decide
from spokerender.rendering.placement.sources import read_declarations
from spokerender.rendering.values.placement import Decision
from tests.support import rows_of
from tests.support.stages import gateway, graph, placement

HUB = graph(gateway("web", metadata="labels: {tier: public}"), gateway("api"))
SPOKES = rows_of(__file__, "spokes")


def decided(as_: str, more: str = "", selection: str = "{names: [infra/web]}") -> Decision:
    rules = f"- {{gateways: {selection}, spokes: {{all: true}}, as: {as_}{more}}}\n"
    text = placement(rules, spokes=SPOKES)
    return decide(read_declarations([("placement.yaml", text.encode())]), HUB)


def assigned(
    decision: Decision, known: frozenset[str] | None = None, spoke: str = "eu"
) -> tuple[tuple[PlacedGateway, ...], dict[str, Any], tuple[Result, ...]]:
    (chosen,) = (each for each in decision.spokes if each.name == spoke)
    held = SpokeSlots(Slots(known))
    placed, results = Assigner(decision, HUB).assign(chosen, held)
    return placed, held.values, results


def ref(name: str, namespace: str = "infra") -> Ref:
    return Ref("gateway.networking.k8s.io", "Gateway", namespace, name)
