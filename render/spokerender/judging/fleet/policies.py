"""The findings about the policies of a fleet: faults, contentions that turn, and advice."""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

from spokerender.findings.codes.advice import CLUSTER_OWNED
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.phrasing import listed
from spokerender.findings.results import Fault, Result
from spokerender.judging.advice import advise, advise_fleet
from spokerender.judging.advice.view import AdvisedObject, FleetView, JudgedSpokeView, Spokes
from spokerender.judging.attachment.attach import check_definition
from spokerender.judging.attachment.contentions import find_flips
from spokerender.judging.attachment.statuses import Attachment
from spokerender.judging.fleet.judged import JudgedBlueprint
from spokerender.kinds.crds import CRD_KIND
from spokerender.kinds.owned import find_owned
from spokerender.model import Manifest, Ref, shown
from spokerender.model.memo import memoised
from spokerender.model.slots import Values, fill, holds_slots
from spokerender.rendering.values.bundles import Variant, in_blueprints, sharing, with_values
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.places import hub_line

Unshipped = tuple[tuple[Manifest, Attachment], ...]
"""Policies that no spoke gets, with their attachments on the hub."""


def find_shipped(rendered: Rendered) -> frozenset[Ref]:
    """Return the hub's objects that any spoke gets."""
    return frozenset(
        variant.manifest.ref
        for blueprint, _ in sharing(rendered.bundles.values())
        for variant in blueprint.variants
    )


def find_unshipped(rendered: Rendered, attachments: Mapping[Ref, Attachment]) -> Unshipped:
    """Return the policies of listed kinds that no spoke gets."""
    shipped = find_shipped(rendered)
    manifests = {manifest.ref: manifest for manifest in rendered.hub.manifests}
    return tuple(
        (manifests[ref], attachment)
        for ref, attachment in attachments.items()
        if ref not in shipped and rendered.sync.is_listed_anywhere((ref.group, ref.kind))
    )


def check_hub(rendered: Rendered, unshipped: Unshipped) -> tuple[Result, ...]:
    """Return the findings about policies that no spoke gets, and about the CRDs of policies."""
    policies = ((manifest, fault) for manifest, item in unshipped for fault in item.faults)
    crds = (
        (manifest, fault)
        for manifest in rendered.hub.crds
        for fault in check_definition(manifest.object)
    )
    faults = tuple(_locate(fault, manifest) for manifest, fault in (*policies, *crds))
    return (*faults, *_find_leftovers(rendered))


def _find_leftovers(rendered: Rendered) -> Iterator[Result]:
    """Report what hub objects have of the cluster that they were exported from."""
    catalogue = rendered.hub.catalogue
    for manifest in rendered.hub.manifests:
        kind = catalogue.kind(manifest.ref.group, manifest.ref.kind)
        owned = list(find_owned(manifest.object, kind.owned, catalogue.marks))
        if owned and manifest.ref.kind != CRD_KIND and not kind.is_inventory:
            first = min(owned, key=partial(hub_line, manifest))
            yield CLUSTER_OWNED.result(
                f"it has fields that only its cluster gives it: {listed(map(shown, owned))}",
                cure="remove these lines, or let spokerender import write the export",
                resource=manifest.ref,
                field=shown(first),
                origin=manifest.origin,
            )


def _locate(fault: Fault, manifest: Manifest) -> Result:
    return fault.result(manifest.ref, manifest.origin)


class BlueprintFindings:
    """The findings about judged blueprints, and their views for advice; each is made once."""

    def __init__(self, rendered: Rendered, hub: Mapping[Ref, Attachment]) -> None:
        """Start; `hub` has the attachments on the hub."""
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
                yield _locate(fault, judged.variants[ref].manifest)
        hub_refs = {ref: variant.manifest.ref for ref, variant in judged.variants.items()}
        for flip in find_flips(self._hub.values(), judged.judgement.attachments.values(), hub_refs):
            yield _locate(flip.fault, judged.variants[flip.policy].manifest)

    @memoised
    def view(self, judged: JudgedBlueprint) -> JudgedSpokeView:
        """Return the view of a blueprint; its texts may hold slots."""
        existing = {
            place.ref: self._make_shipped(place.ref, {}, self._manifests[place.hub])
            for place in judged.blueprint.placed
            if place.existing
        }
        objects = {ref: self._ship(ref, item) for ref, item in judged.variants.items()}
        return JudgedSpokeView(
            judged.judgement.topology,
            judged.judgement.attachments,
            judged.judgement.effective,
            {**existing, **objects},
            lambda: judged.judgement.faults,
        )

    @memoised
    def _ship(self, ref: Ref, variant: Variant) -> AdvisedObject:
        """Return the object of a variant, the same one for every blueprint that has it."""
        return self._make_shipped(ref, variant.object, variant.manifest)

    def _make_shipped(self, ref: Ref, data: dict[str, object], manifest: Manifest) -> AdvisedObject:
        kind = self._catalogue.kind(ref.group, ref.kind)
        writes = kind.merged.writes
        folded = self._catalogue.kind(writes.group, writes.kind) if writes else None
        return AdvisedObject(
            ref, kind, data, manifest.ref, manifest.origin, folded, manifest.object
        )


class SlottedFleetView(FleetView, frozen=True, eq=False):
    """The views of a rendered fleet, with the values that each spoke has for the slots in its own.

    `values` are by spoke (`spokerender.model.slots`).
    """

    values: Mapping[str, Values]

    def resolve(self, spokes: Spokes, data: tuple[Any, ...]) -> Iterator[tuple[Any, Spokes]]:
        """Yield the data with the spokes' values: each version once, with its spokes."""
        if not holds_slots(data):
            yield data, spokes
            return
        spokes_by_version: dict[tuple[Any, ...], list[str]] = {}
        for spoke in spokes:
            version = fill(data, self.values[spoke])
            spokes_by_version.setdefault(version, []).append(spoke)
        for version, names in spokes_by_version.items():
            yield version, tuple(names)

    def locate(self, result: Result, spokes: Spokes) -> Result:
        """Return a view's finding as one about these spokes, with the values of all of them."""
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
    """Return all findings about the spokes' policies, once for all spokes that share them.

    `judged` are by spoke; `unslotted` are the spokes that were judged without slots.
    """
    bundles = rendered.bundles
    by_spoke = [(name, bundles[name], findings.results(item)) for name, item in judged.items()]
    slotted = ((bundle, results) for name, bundle, results in by_spoke if name not in unslotted)
    unshared = (
        (bundle, result)
        for name, bundle, results in by_spoke
        if name in unslotted
        for result in results
    )
    fleet = SlottedFleetView(
        {name: findings.view(item) for name, item in judged.items()},
        {name: bundles[name].values for name in judged},
    )
    occurrences = (*in_blueprints(slotted), *with_values(unshared))
    return (*merge_occurrences(occurrences), *advise_fleet(fleet))
