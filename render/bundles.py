"""What each spoke gets: placement, retargeting and overrides, each distinct case done once.

A spoke's bundle depends on how its gateways are placed, which overrides it has, and its own
values. The first two repeat over a fleet and the third are held in slots, so the work grows
with the number of different cases, not with spokes times objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from render import overrides, slots
from render.checks import HubSide, spoke_results
from render.hub import Hub
from render.model import Manifest, PlacedGateway, Ref, Spoke
from render.overrides import Evaluated, Evaluator
from render.placement import Assigner, Decision, implied_texts
from render.results import Result, Severity
from render.retarget import GatewaySync, Outcome, Retargeter
from render.sync import SyncList
from render.topology import Node, Topology, node

Outcomes = tuple[Outcome, ...]
"""One outcome per hub manifest, in the hub's order."""


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One object as one or more spokes get it; texts may hold slots."""

    manifest: Manifest
    ref: Ref
    object: dict[str, Any]
    node: Node
    results: tuple[Result, ...] = ()
    overrides: tuple[Evaluated, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Everything that spokes which are placed and overridden alike have in common."""

    placed: tuple[PlacedGateway, ...]
    outcomes: Outcomes
    variants: tuple[Variant, ...]
    results: tuple[Result, ...]

    @property
    def has_errors(self) -> bool:
        """Whether it can't be built as it is."""
        return any(result.severity is Severity.ERROR for result in self.results)


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """What one spoke gets: its case, the values of the slots, and what was wrong with them."""

    spoke: Spoke
    case: Case
    values: Mapping[str, Any]
    results: tuple[Result, ...]


class Bundler:
    """Makes the bundles of a fleet, one spoke at a time, remembering every distinct case."""

    def __init__(
        self,
        hub: Hub,
        topology: Topology,
        decision: Decision,
        sync: SyncList,
        *,
        held: bool = True,
    ) -> None:
        """With `held` false no slot is used: each spoke is then a case of its own."""
        self._hub = hub
        self._topology = topology
        self._decision = decision
        self._side = HubSide(topology, hub.catalogue, sync.own_classes)
        self._retargeter = Retargeter(hub, topology, _of_gateways(topology, sync))
        known = _known_texts(hub, decision) if held else None
        self._assigner = Assigner(decision, topology, known)
        self._evaluator = Evaluator(held=known is not None)
        self._depends = tuple(self._retargeter.depends_on(m) for m in hub.manifests)
        self._targets = {
            override.number: tuple(
                index
                for index, manifest in enumerate(hub.manifests)
                if overrides.matches(override, manifest)
            )
            for override in decision.overrides
        }
        self._outcomes: dict[tuple[Any, ...], Outcome] = {}
        self._bases: dict[tuple[PlacedGateway, ...], Outcomes] = {}
        self._variants: dict[tuple[Any, ...], Variant] = {}
        self._cases: dict[tuple[Any, ...], Case] = {}
        self._checked: dict[tuple[Any, ...], tuple[Result, ...]] = {}
        self._plain: set[tuple[int, int]] = set()
        self.used: set[int] = set()

    def bundle(self, spoke: Spoke) -> Bundle:
        """What one spoke gets."""
        placed, held, faults = self._assigner.assign(spoke)
        outcomes = self._base(placed)
        while True:
            evaluated = self._evaluated(spoke, placed, outcomes, held)
            key = (
                placed,
                tuple(
                    (index, tuple((e.override.number, e.key) for e in patches))
                    for index, patches in evaluated.items()
                ),
            )
            case = self._cases.get(key) or self._case(placed, outcomes, evaluated)
            if case is not None:
                break
        self._cases[key] = case
        values = dict(held)
        for patches in evaluated.values():
            for patch in patches:
                values.update(patch.values)
                faults += patch.results
        return Bundle(spoke, case, values, faults)

    def _base(self, placed: tuple[PlacedGateway, ...]) -> Outcomes:
        """What every hub object becomes where the gateways are placed so."""
        known = self._bases.get(placed)
        if known is None:
            by_ref = {place.hub: place for place in placed}
            known = self._bases[placed] = tuple(
                self._outcome(index, manifest, by_ref)
                for index, manifest in enumerate(self._hub.manifests)
            )
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
        here = [place for place in placed if place.hub in self._topology.hangs_on(manifest.ref)]
        if len(here) == 1:
            target = here[0].ref
            context["gateway"] = {
                "name": slots.fill_text(target.name, held),
                "namespace": slots.fill_text(target.namespace, held),
            }
        return context

    def _case(
        self,
        placed: tuple[PlacedGateway, ...],
        outcomes: Outcomes,
        evaluated: Mapping[int, tuple[Evaluated, ...]],
    ) -> Case | None:
        """Build a case; None where an override turns out to need its values in the open."""
        before = len(self._plain)
        variants = tuple(
            self._variant(index, outcome, evaluated.get(index, ()))
            for index, outcome in enumerate(outcomes)
            if outcome.object is not None
        )
        if len(self._plain) > before:
            return None
        results = dict.fromkeys(
            [result for outcome in outcomes for result in outcome.results]
            + [result for variant in variants for result in variant.results]
            + list(self._checks(placed, variants))
        )
        return Case(placed, outcomes, variants, tuple(results))

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


def _known_texts(hub: Hub, decision: Decision) -> frozenset[str] | None:
    """The texts that stay in the open; None, for no slots, where the input uses that plane."""
    known = {text for m in hub.manifests for text in slots.strings_in(m.object)}
    known.update(m.ref.namespace for m in hub.manifests)  # `default` may be spelled out nowhere
    known.update(implied_texts(m.ref.namespace for m in hub.manifests))
    for rule in decision.rules:
        known.update(slots.strings_in(rule.model.as_.model_dump()))
    for override in decision.overrides:
        known.update(slots.strings_in(override.model.model_dump()))
    known.update([text.removeprefix("*.") for text in known])  # hostnames are held without star
    return None if any(map(slots.has_slot, known)) else frozenset(known)


def needs_no_slots(spoke: Spoke) -> bool:
    """Whether a spoke's own values use the slots' plane: it, and no other, goes without them."""
    return any(map(slots.has_slot, slots.strings_in(dict(spoke.values))))
