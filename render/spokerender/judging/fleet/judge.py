"""Judges a fleet by blueprints, or spoke by spoke if necessary, and collects the findings."""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

from spokerender.findings.codes.advice import CLUSTER_OWNED
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.phrasing import listed
from spokerender.findings.results import Result
from spokerender.judging.advice import advise, advise_fleet
from spokerender.judging.advice.view import AdvisedObject, FleetView, JudgedSpokeView, Spokes
from spokerender.judging.attachment.attach import check_definition
from spokerender.judging.attachment.contentions import find_flips
from spokerender.judging.attachment.statuses import Attachment
from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.judging.fleet.hosts import list_hosts
from spokerender.judging.fleet.judged import (
    Aspect,
    JudgedBlueprint,
    JudgedFleet,
    JudgedHub,
    Refused,
)
from spokerender.judging.routing.values import HolderStatus, ParentStatus
from spokerender.kinds.crds import CRD_KIND
from spokerender.kinds.owned import find_owned
from spokerender.model import GATEWAY, Manifest, Ref, grouped, shown
from spokerender.model.memo import memoised
from spokerender.model.slots import Values, fill, holds_slots, recording
from spokerender.model.spokes import make_labels_key
from spokerender.rendering.values import bundles
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.places import hub_line

_Key = tuple[bundles.Blueprint, tuple[tuple[Ref, str], ...], tuple[object, ...]]
Unshipped = tuple[tuple[Manifest, Attachment], ...]
"""Policies that no spoke gets, with their attachments on the hub."""


def find_shipped(rendered: Rendered) -> frozenset[Ref]:
    """Return the hub's objects that at least one spoke gets."""
    return frozenset(
        variant.manifest.ref
        for blueprint, _ in bundles.sharing(rendered.bundles.values())
        for variant in blueprint.variants
    )


def find_unshipped(rendered: Rendered, attachments: Mapping[Ref, Attachment]) -> Unshipped:
    """Return the policies that no spoke gets though their kind is listed to be synced."""
    shipped = find_shipped(rendered)
    manifests = {manifest.ref: manifest for manifest in rendered.hub.manifests}
    return tuple(
        (manifests[ref], attachment)
        for ref, attachment in attachments.items()
        if ref not in shipped and (ref.group, ref.kind) in rendered.sync.listed_anywhere
    )


def check_hub(rendered: Rendered, unshipped: Unshipped) -> tuple[Result, ...]:
    """Return the findings about unsynced policies, CRDs of policies, and fields left by exports."""
    policies = ((manifest, fault) for manifest, item in unshipped for fault in item.faults)
    crds = (
        (manifest, fault)
        for manifest in rendered.hub.crds
        for fault in check_definition(manifest.object)
    )
    faults = tuple(
        fault.result(manifest.ref, manifest.origin) for manifest, fault in (*policies, *crds)
    )
    return (*faults, *_find_leftovers(rendered))


def _find_leftovers(rendered: Rendered) -> Iterator[Result]:
    """Yield a finding for each hub object with fields that only the exporting cluster sets."""
    catalogue = rendered.hub.catalogue
    for manifest in rendered.hub.manifests:
        kind = catalogue.kind(manifest.ref.group, manifest.ref.kind)
        owned = list(find_owned(manifest.object, kind.owned, catalogue.marks))
        # CRDs are no policies, and inventory is a hub's export by its nature.
        if owned and manifest.ref.kind != CRD_KIND and not kind.is_inventory:
            first = min(owned, key=partial(hub_line, manifest))
            yield CLUSTER_OWNED.result(
                f"it has fields that only its cluster gives it: {listed(map(shown, owned))}",
                cure="remove these lines, or let spokerender import write the export",
                resource=manifest.ref,
                field=shown(first),
                origin=manifest.origin,
            )


class BlueprintFindings:
    """Computes the findings about judged blueprints, and the views that advice needs, once each."""

    def __init__(self, rendered: Rendered, hub: Mapping[Ref, Attachment]) -> None:
        """Prepare; `hub` has the attachments of policies on the hub."""
        self._hub = hub
        self._catalogue = rendered.hub.catalogue
        self._manifests = {manifest.ref: manifest for manifest in rendered.hub.manifests}

    @memoised
    def results(self, judged: JudgedBlueprint) -> tuple[Result, ...]:
        """Return the findings about a blueprint's policies."""
        return (*self._check_attachments(judged), *advise(self.view(judged)))

    def _check_attachments(self, judged: JudgedBlueprint) -> Iterator[Result]:
        for ref, attachment in judged.judgement.attachments.items():
            for fault in attachment.faults:
                manifest = judged.variants[ref].manifest
                yield fault.result(manifest.ref, manifest.origin)
        hub_refs = {ref: variant.manifest.ref for ref, variant in judged.variants.items()}
        for flip in find_flips(self._hub.values(), judged.judgement.attachments.values(), hub_refs):
            manifest = judged.variants[flip.policy].manifest
            yield flip.fault.result(manifest.ref, manifest.origin)

    @memoised
    def view(self, judged: JudgedBlueprint) -> JudgedSpokeView:
        """Return the view of a blueprint; its texts may hold placeholders (slots)."""
        # A Gateway that the spoke has is advised on under the name and lines of the hub's.
        existing = {
            place.ref: self._make_shipped(place.ref, {}, self._manifests[place.hub])
            for place in judged.blueprint.placed
            if place.existing and place.hub in self._manifests
        }
        objects = {ref: self._ship(ref, item) for ref, item in judged.variants.items()}
        return JudgedSpokeView(
            judged.judgement.topology,
            judged.judgement.attachments,
            judged.judgement.effective,
            {**existing, **objects},
            lambda: judged.judgement.faults,
            lambda: (it for paths in judged.judgement.counted.values() for it, _ in paths),
        )

    @memoised
    def _ship(self, ref: Ref, variant: bundles.Variant) -> AdvisedObject:
        """Return the object of a variant; blueprints with the variant get the same object."""
        return self._make_shipped(ref, variant.object, variant.manifest)

    def _make_shipped(self, ref: Ref, data: dict[str, object], manifest: Manifest) -> AdvisedObject:
        kind = self._catalogue.kind(ref.group, ref.kind)
        writes = kind.merged.writes
        folded = self._catalogue.kind(writes.group, writes.kind) if writes else None
        return AdvisedObject(
            ref, kind, data, manifest.ref, manifest.origin, folded, manifest.object
        )


class SlottedFleetView(FleetView, frozen=True, eq=False):
    """The views of a rendered fleet; `values` fills the placeholders (slots), by spoke."""

    values: Mapping[str, Values]

    def resolve(self, spokes: Spokes, data: tuple[Any, ...]) -> Iterator[tuple[Any, Spokes]]:
        """Yield each distinct result of filling the slots in `data`, with the result's spokes."""
        if not holds_slots(data):
            yield data, spokes
            return
        versions = grouped((fill(data, self.values[spoke]), spoke) for spoke in spokes)
        yield from ((version, tuple(names)) for version, names in versions.items())

    def locate(self, result: Result, spokes: Spokes) -> Result:
        """Return a view's finding for these spokes, with each spoke's values for its slots."""
        # All occurrences are of one result, so exactly one comes back.
        (merged,) = merge_occurrences(
            Occurrence(result, (spoke,), values=self.values[spoke]) for spoke in spokes
        )
        return merged


def check_policies(
    rendered: Rendered,
    judged: Mapping[str, JudgedBlueprint],
    findings: BlueprintFindings,
    unslotted: Collection[str] = (),
) -> tuple[Result, ...]:
    """Return all findings about the spokes' policies, each once for the spokes that share it.

    `judged` is by spoke. `unslotted` are the spokes judged with their values, without placeholders.
    """
    by_spoke = [
        (name, rendered.bundles[name], findings.results(item)) for name, item in judged.items()
    ]
    slotted = ((bundle, results) for name, bundle, results in by_spoke if name not in unslotted)
    unshared = (
        (bundle, result)
        for name, bundle, results in by_spoke
        if name in unslotted
        for result in results
    )
    fleet = SlottedFleetView(
        {name: findings.view(item) for name, item in judged.items()},
        {name: rendered.bundles[name].values for name in judged},
    )
    # Results with slots are located once for a blueprint, the others for each spoke.
    occurrences = (*bundles.in_blueprints(slotted), *bundles.with_values(unshared))
    return (*merge_occurrences(occurrences), *advise_fleet(fleet))


class FleetJudge:
    """Judges a fleet with placeholders (slots), then some of its spokes with their own values.

    `otherwise` are the spokes for whose values a comparison of slots has another result. The
    caller renders these spokes' bundles again without slots, and passes the fleet to `judged`.
    """

    def __init__(
        self,
        rendered: Rendered,
        refused: Refused,
        aspects: Collection[Aspect] = frozenset(Aspect),
        *,
        with_routing: bool = False,
    ) -> None:
        """Judge each blueprint once; `refused` are the objects that API servers refuse."""
        self._refused = refused
        self._values = {name: bundle.values for name, bundle in rendered.bundles.items()}
        hub = {item.ref: item.object for item in rendered.hub.manifests} if with_routing else None
        self._judge = BlueprintJudge(gather_knowledge(rendered), hub)
        self._hub = JudgedHub({})
        if Aspect.HOSTS not in aspects:  # hosts need no objects that no spoke gets
            self._hub = self._judge.judge_hub(rendered.hub, rendered.topology)
        findings = BlueprintFindings(rendered, self._hub.attachments)
        self._findings = findings if Aspect.POLICIES in aspects else None
        # What the judge and the advice ask about slots is recorded together, as a spoke shares all
        # of it or nothing.
        with recording() as record:
            self._shared = self._judge_blueprints(rendered)
            for judged in self._shared.values() if self._findings is not None else ():
                # Computed within the record, and taken from the cache afterwards.
                findings.results(judged)
            for judged in self._shared.values() if Aspect.HOSTS in aspects else ():
                list_hosts(judged.judgement.topology)
        self.otherwise = frozenset(
            name for name, values in self._values.items() if not record.is_true_of(values)
        )

    def judged(self, shown: Rendered) -> JudgedFleet:
        """Return the judged fleet; in `shown`, spokes in `otherwise` are rendered without slots."""
        judged = dict(self._shared)
        for name in self.otherwise:
            values = self._values[name]
            words_by_ref = self._refused.get(name, {})
            refused = {fill(ref, values): words for ref, words in words_by_ref.items()}
            bundle = shown.bundles[name]
            judged[name] = self._judge.judge(bundle.blueprint, refused, bundle.spoke.namespaces)
        unshipped = find_unshipped(shown, self._hub.attachments)
        results: tuple[Result, ...] = ()
        if self._findings is not None:
            policies = check_policies(shown, judged, self._findings, self.otherwise)
            results = (*check_hub(shown, unshipped), *policies)
        routing = tuple(self._find_unshipped_routing(shown))
        gateways = {
            item.ref: item
            for item in shown.hub.manifests
            if (item.ref.group, item.ref.kind) == GATEWAY
        }
        return JudgedFleet(
            judged,
            shown.bundles,
            results,
            unshipped,
            nowhere_routing=routing,
            hub_gateways=gateways,
            hub_in_worlds=self._hub.in_worlds,
        )

    def _find_unshipped_routing(
        self, rendered: Rendered
    ) -> Iterator[tuple[Manifest, tuple[ParentStatus, ...], HolderStatus | None]]:
        """Yield the routes and ListenerSets of synced kinds that no spoke gets, with statuses."""
        routing = self._hub.routing
        if routing is None:
            return
        shipped = find_shipped(rendered)
        for manifest in rendered.hub.manifests:
            ref = manifest.ref
            parents, holder = routing.routes.get(ref, ()), routing.holders.get(ref)
            is_listed = (ref.group, ref.kind) in rendered.sync.listed_anywhere
            if (parents or holder) and is_listed and ref not in shipped:
                yield manifest, parents, holder

    def _judge_blueprints(self, rendered: Rendered) -> dict[str, JudgedBlueprint]:
        """Return judged blueprints by spoke, shared if refused objects and labels are equal."""
        shared: dict[_Key, JudgedBlueprint] = {}
        by_spoke: dict[str, JudgedBlueprint] = {}
        for name, bundle in rendered.bundles.items():
            refused: Mapping[Ref, str] = self._refused.get(name, {})
            labels = bundle.spoke.namespaces
            key = (bundle.blueprint, tuple(sorted(refused.items())), make_labels_key(labels))
            if key not in shared:
                shared[key] = self._judge.judge(bundle.blueprint, refused, labels)
            by_spoke[name] = shared[key]
        return by_spoke
