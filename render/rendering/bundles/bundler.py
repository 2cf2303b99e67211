"""Making the bundles, one spoke at a time, with a memory of every distinct blueprint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from render.findings.results import Result
from render.model import Manifest, PlacedGateway, Ref, Spoke, slots
from render.rendering import overrides
from render.rendering.bundles.known import known_texts
from render.rendering.checks import HubSide, spoke_results
from render.rendering.overrides import Evaluator
from render.rendering.placement import Assigner
from render.rendering.retarget import GatewaySync, Retargeter
from render.rendering.values.bundles import (
    Blueprint,
    Bundle,
    Evaluated,
    Outcome,
    Outcomes,
    Variant,
)
from render.rendering.values.placement import Decision
from render.rendering.values.sync import SyncList
from render.topology import Topology, node
from render.topology.hub import Hub


@dataclass(frozen=True, slots=True, eq=False)
class _Base:
    """A blueprint before its overrides; `variants` by the index of their hub manifest, in order."""

    outcomes: Outcomes
    variants: Mapping[int, Variant]
    told: tuple[Result, ...]
    checked: tuple[Result, ...]


class Bundler:
    """Makes the bundles of a fleet, one spoke at a time, remembering every distinct blueprint."""

    def __init__(
        self,
        hub: Hub,
        topology: Topology,
        decision: Decision,
        sync: SyncList,
        *,
        held: bool = True,
    ) -> None:
        """With `held` false no slot is used: each spoke is then a blueprint of its own."""
        self._hub = hub
        self._topology = topology
        self._decision = decision
        self._side = HubSide(topology, hub.catalogue, sync.own_classes)
        self._retargeter = Retargeter(hub, topology, _of_gateways(topology, sync))
        known = known_texts(hub, topology, decision) if held else None
        self._assigner = Assigner(decision, topology, known)
        self._evaluator = Evaluator(held=known is not None)
        self._depends = tuple(self._retargeter.depends_on(m) for m in hub.manifests)
        self._targets = _targets(hub, decision)
        self._outcomes: dict[tuple[Any, ...], Outcome] = {}
        self._bases: dict[tuple[PlacedGateway, ...], _Base] = {}
        self._variants: dict[tuple[Any, ...], Variant] = {}
        self._blueprints: dict[tuple[Any, ...], Blueprint] = {}
        self._checked: dict[tuple[Any, ...], tuple[Result, ...]] = {}
        self._plain: set[tuple[int, int]] = set()
        self.used: set[int] = set()

    def bundle(self, spoke: Spoke) -> Bundle:
        """What one spoke gets."""
        placed, held, faults = self._assigner.assign(spoke)
        base = self._base(placed)
        while True:
            evaluated = self._evaluated(spoke, placed, base.outcomes, held)
            key = (
                placed,
                tuple(
                    (index, tuple((e.override.number, e.key) for e in patches))
                    for index, patches in evaluated.items()
                ),
            )
            blueprint = self._blueprints.get(key) or self._blueprint(placed, base, evaluated)
            if blueprint is not None:
                break
        self._blueprints[key] = blueprint
        values = dict(held)
        for patches in evaluated.values():
            for patch in patches:
                values.update(patch.values)
                faults += patch.results
        return Bundle(spoke, blueprint, values, faults)

    def _base(self, placed: tuple[PlacedGateway, ...]) -> _Base:
        """What every hub object becomes where the gateways are placed so, not yet overridden."""
        known = self._bases.get(placed)
        if known is not None:
            return known
        by_ref = {place.hub: place for place in placed}
        outcomes = tuple(
            self._outcome(index, manifest, by_ref)
            for index, manifest in enumerate(self._hub.manifests)
        )
        variants = {
            index: self._variant(index, outcome, ())
            for index, outcome in enumerate(outcomes)
            if outcome.object is not None
        }
        told = tuple(result for outcome in outcomes for result in outcome.results)
        checked = self._checks(placed, tuple(variants.values()))
        known = self._bases[placed] = _Base(outcomes, variants, told, checked)
        return known

    def _outcome(
        self, index: int, manifest: Manifest, placed: Mapping[Ref, PlacedGateway]
    ) -> Outcome:
        """What one object becomes; asked once for each way in which its gateways are placed."""
        key = (index, tuple(placed.get(gateway) for gateway in self._depends[index]))
        known = self._outcomes.get(key)
        if known is None:
            known = self._outcomes[key] = self._retargeter.outcome(manifest, placed)
        return known

    def _evaluated(
        self,
        spoke: Spoke,
        placed: tuple[PlacedGateway, ...],
        outcomes: Outcomes,
        held: Mapping[str, Any],
    ) -> dict[int, tuple[Evaluated, ...]]:
        """The spoke's overrides for each object that ships there, by the object's index."""
        found: dict[int, list[Evaluated]] = {}
        for override in self._decision.overrides_of_spoke.get(spoke.name, ()):
            for index in self._targets[override.number]:
                if outcomes[index].object is None:
                    continue
                evaluated = self._evaluator.evaluate(
                    override,
                    self._hub.manifests[index],
                    partial(self._context, index, spoke, placed, held),
                    held=(override.number, index) not in self._plain,
                )
                found.setdefault(index, []).append(evaluated)
        return {index: tuple(found[index]) for index in sorted(found)}

    def _context(
        self,
        index: int,
        spoke: Spoke,
        placed: tuple[PlacedGateway, ...],
        held: Mapping[str, Any],
    ) -> dict[str, Any]:
        """What an override may speak of; `gateway` only where there is exactly one."""
        manifest = self._hub.manifests[index]
        metadata = manifest.object["metadata"]
        context: dict[str, Any] = {
            "spoke": spoke.context,
            "policy": {
                "kind": manifest.ref.kind,
                "name": manifest.ref.name,
                "namespace": manifest.ref.namespace,
                "labels": metadata.get("labels") or {},
                "annotations": metadata.get("annotations") or {},
            },
        }
        here = [place for place in placed if place.hub in self._topology.ships_with(manifest.ref)]
        if len(here) == 1:
            target = here[0].ref
            context["gateway"] = {
                "name": slots.fill_text(target.name, held),
                "namespace": slots.fill_text(target.namespace, held),
            }
        return context

    def _blueprint(
        self,
        placed: tuple[PlacedGateway, ...],
        base: _Base,
        evaluated: Mapping[int, tuple[Evaluated, ...]],
    ) -> Blueprint | None:
        """Build a blueprint; None where an override turns out to need its values in the open."""
        before = len(self._plain)
        patched = {
            index: self._variant(index, base.outcomes[index], patches)
            for index, patches in evaluated.items()
        }
        if len(self._plain) > before:
            return None
        variants = tuple(patched.get(index, variant) for index, variant in base.variants.items())
        is_alike = all(base.variants[index].node == new.node for index, new in patched.items())
        checked = base.checked if is_alike else self._checks(placed, variants)
        told = (result for variant in patched.values() for result in variant.results)
        results = dict.fromkeys((*base.told, *told, *checked))
        return Blueprint(placed, base.outcomes, variants, tuple(results))

    def _variant(self, index: int, outcome: Outcome, patches: tuple[Evaluated, ...]) -> Variant:
        key = (index, id(outcome), tuple((e.override.number, e.key) for e in patches))
        known = self._variants.get(key)
        if known is None:
            known = self._variants[key] = self._patched(index, outcome, patches)
        return known

    def _patched(self, index: int, outcome: Outcome, patches: tuple[Evaluated, ...]) -> Variant:
        manifest = self._hub.manifests[index]
        data = outcome.object
        assert data is not None  # noqa: S101  (only what ships has variants)
        first = last = node(outcome.ref, data, self._hub.catalogue)
        results: list[Result] = []
        for patch in patches:
            self.used.add(patch.override.number)
            data, fault = overrides.applied(data, patch, manifest)
            before, last = last, node(outcome.ref, data, self._hub.catalogue)
            if fault is None and last.attachments != first.attachments:
                fault = overrides.reference_changed(patch.override, manifest)
            results += [fault] if fault is not None else []
            if last != before and any(map(slots.has_slot, set(last.texts) - set(before.texts))):
                self._plain.add((patch.override.number, index))
        return Variant(manifest, outcome.ref, data, last, tuple(results), patches)

    def _checks(
        self, placed: tuple[PlacedGateway, ...], variants: tuple[Variant, ...]
    ) -> tuple[Result, ...]:
        """The checks of a spoke's topology, once for equal nodes."""
        key = (placed, tuple(variant.node for variant in variants))
        known = self._checked.get(key)
        if known is None:
            sources = {variant.ref: variant.manifest for variant in variants}
            nodes = [variant.node for variant in variants]
            known = self._checked[key] = spoke_results(nodes, sources, placed, self._side)
        return known


def _of_gateways(topology: Topology, sync: SyncList) -> dict[Ref, GatewaySync]:
    """What the sync list says of each hub Gateway, by its class."""
    classes = {ref: topology.nodes[ref].gateway_class for ref in topology.gateways}
    return {ref: GatewaySync(sync.kinds(of), sync.spoke_class(of)) for ref, of in classes.items()}


def _targets(hub: Hub, decision: Decision) -> dict[int, tuple[int, ...]]:
    """For every override, by number, the indices of the hub manifests that it means."""
    by_kind: dict[str, list[int]] = {}
    for index, manifest in enumerate(hub.manifests):
        by_kind.setdefault(manifest.ref.kind, []).append(index)
    return {
        override.number: tuple(
            index
            for index in by_kind.get(override.model.target.kind, ())
            if overrides.matches(override, hub.manifests[index])
        )
        for override in decision.overrides
    }
