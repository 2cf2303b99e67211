"""What spokes that are placed alike have in common, before their overrides.

Every hub object is cleaned once, and retargeted once for each way in which the gateways that it
hangs on are placed. Stages that are added (`values.stages`) then edit, make and take out objects.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.results import Result
from spokerender.model import Edit, Manifest, PlacedGateway, Ref
from spokerender.rendering import acceptable
from spokerender.rendering.cleaning import clean
from spokerender.rendering.retarget.ship import Retargeter
from spokerender.rendering.retarget.shipping import GatewaySync
from spokerender.rendering.values.bundles import How, Outcome, Outcomes
from spokerender.rendering.values.placement import Rule
from spokerender.rendering.values.stages import Asked, Given, NeedsValues, Stage
from spokerender.rendering.values.sync import SyncList
from spokerender.topology import Topology
from spokerender.topology.hub import Hub

Placed = tuple[PlacedGateway, ...]
Edited = Callable[[], tuple[Mapping[int, Manifest], Sequence[Result]]]
"""Makes objects, by the index of their manifests, and what is wrong with them."""


class Base(Struct, frozen=True, eq=False, dict=True):
    """Objects as they are before overrides.

    `manifests` are the hub's and, behind them, those that stages made; `shipped` what has become of
    those that ship, by the index of their manifest, in order.
    """

    placed: Placed
    outcomes: Outcomes
    manifests: tuple[Manifest, ...]
    shipped: Mapping[int, Manifest]
    results: tuple[Result, ...]
    needs_values: bool = False

    @cached_property
    def given(self) -> Given:
        """What a stage is given of it."""
        return Given(self.placed, tuple(self.shipped.values()))


class Bases:
    """Makes bases, one after the other, and does what they have in common once."""

    def __init__(
        self,
        hub: Hub,
        topology: Topology,
        rules: Sequence[Rule],
        sync: SyncList,
        stages: Sequence[Stage],
    ) -> None:
        """Prepare; `topology` is the hub's, and `rules` are in the order of their numbers."""
        self._hub = hub
        self._rules = rules
        self._stages = stages
        self._of_placed: dict[Placed, Base] = {}
        self._clean = tuple(clean(manifest, hub.catalogue.marks) for manifest in hub.manifests)
        self._retargeter = Retargeter(hub, topology, _of_gateways(topology, sync))
        self._depends = tuple(map(self._retargeter.depends_on, hub.manifests))
        self._retargeted: dict[Hashable, tuple[Outcome, Manifest]] = {}
        self._known: dict[Hashable, Base] = {}

    def of_hub(self, placed: Placed) -> Base:
        """What of the hub ships where the gateways are placed so."""
        known = self._of_placed.get(placed)
        if known is None:
            known = self._of_placed[placed] = self._of_hub(placed)
        return known

    def amended(self, base: Base, number: int, asked: Asked) -> Base:
        """The base after the stage of that number, as it is asked."""
        key = (id(base), number, asked.key)
        if key not in self._known:
            self._known[key] = _amended(base, self._stages[number], asked)
        return self._known[key]

    def with_edits(self, base: Base, key: Hashable, edited: Edited) -> Base:
        """The base with objects as overrides made them; equal keys mean equal edits."""
        whole = (id(base), key)
        if whole not in self._known:
            objects, results = edited()
            shipped = {**base.shipped, **objects}
            self._known[whole] = replace(base, shipped=shipped, results=(*base.results, *results))
        return self._known[whole]

    def _of_hub(self, placed: Placed) -> Base:
        by_ref = {place.hub: place for place in placed}
        outcomes = [self._of_manifest(index, by_ref) for index in range(len(self._clean))]
        return Base(
            placed,
            outcomes=tuple(outcome for outcome, _ in outcomes),
            manifests=self._hub.manifests,
            shipped={
                index: manifest
                for index, (outcome, manifest) in enumerate(outcomes)
                if outcome.object is not None
            },
            results=tuple(result for outcome, _ in outcomes for result in outcome.results),
        )

    def _of_manifest(
        self, index: int, placed: Mapping[Ref, PlacedGateway]
    ) -> tuple[Outcome, Manifest]:
        """What one object becomes; asked once for each way in which its gateways are placed."""
        key = (index, tuple(placed.get(gateway) for gateway in self._depends[index]))
        if key not in self._retargeted:
            before = self._clean[index]
            outcome = self._checked(before, self._retargeter.outcome(before, placed), placed)
            data = before.object if outcome.object is None else outcome.object
            after = before.edited(outcome.ref, data, Edit(How.RULE, before.object))
            self._retargeted[key] = outcome, after
        return self._retargeted[key]

    def _checked(
        self, before: Manifest, outcome: Outcome, placed: Mapping[Ref, PlacedGateway]
    ) -> Outcome:
        """The outcome, with what is wrong with a gateway's listeners that the rule made so."""
        place = placed.get(before.ref)
        if place is None or outcome.object is None or not place.listeners.entries:
            return outcome
        rule = self._rules[place.rule]
        wrong = acceptable.of_rule(rule, before.ref, before.object, outcome.object)
        return replace(outcome, results=(*outcome.results, *wrong))


def _amended(base: Base, stage: Stage, asked: Asked) -> Base:
    """The base after a stage; as it was where the stage has to see values."""
    indices = tuple(base.shipped)
    answer = stage.amend(base.given, asked)
    if isinstance(answer, NeedsValues):
        return replace(base, needs_values=True)
    outcomes, shipped = list(base.outcomes), dict(base.shipped)
    for place, manifest in answer.edited.items():
        shipped[indices[place]] = manifest
    for place, reason in answer.removed.items():
        index = indices[place]
        del shipped[index]
        if index < len(outcomes):  # what another stage made is of no interest any more
            outcomes[index] = replace(outcomes[index], object=None, reason=reason, is_meant=True)
    manifests = (*base.manifests, *answer.made)
    shipped.update(enumerate(answer.made, len(base.manifests)))
    results = (*base.results, *answer.results)
    return Base(base.placed, tuple(outcomes), manifests, shipped, results, base.needs_values)


def _of_gateways(topology: Topology, sync: SyncList) -> dict[Ref, GatewaySync]:
    """What the sync list says of each hub Gateway, by its class."""
    classes = {ref: topology.nodes[ref].gateway_class for ref in topology.gateways}
    return {ref: GatewaySync(sync.kinds(of), sync.spoke_class(of)) for ref, of in classes.items()}
