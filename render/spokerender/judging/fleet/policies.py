"""What there is to tell of policies: faults, contentions that turn, and advice."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from spokerender.findings.occurrences import merge_occurrences
from spokerender.findings.results import Fault, Result
from spokerender.judging.advice import advise, advise_fleet
from spokerender.judging.advice.view import SpokeView
from spokerender.judging.attachment import Attachment, check_definition, find_flips
from spokerender.judging.fleet.judged import JudgedBlueprint
from spokerender.judging.fleet.views import SlottedFleetView, Views
from spokerender.model import Manifest, Ref
from spokerender.rendering.values.bundles import in_blueprints, sharing, with_values
from spokerender.rendering.values.provenance import hub_line
from spokerender.rendering.values.rendered import Rendered

JudgedSpokes = Mapping[str, JudgedBlueprint]
_Told = tuple[JudgedBlueprint, SpokeView, tuple[Result, ...]]


Left = tuple[tuple[Manifest, Attachment], ...]


def left_on_hub(rendered: Rendered, attachments: Mapping[Ref, Attachment]) -> Left:
    """The policies of listed kinds that no spoke gets, with what attaches on the hub."""
    shipped = {
        variant.manifest.ref
        for blueprint, _ in sharing(rendered.bundles.values())
        for variant in blueprint.variants
    }
    manifests = {manifest.ref: manifest for manifest in rendered.hub.manifests}
    return tuple(
        (manifests[ref], item)
        for ref, item in attachments.items()
        if ref not in shipped and rendered.sync.is_listed_anywhere((ref.group, ref.kind))
    )


def hub_results(rendered: Rendered, nowhere: Left) -> tuple[Result, ...]:
    """What is wrong with policies that no spoke gets, and with the CRDs of policies."""
    left = ((manifest, fault) for manifest, item in nowhere for fault in item.faults)
    crds = (
        (manifest, fault)
        for manifest in rendered.hub.crds
        for fault in check_definition(manifest.object)
    )
    return tuple(_result(fault, manifest) for manifest, fault in (*left, *crds))


class Findings:
    """What is to be told of judged blueprints, found once for each."""

    def __init__(self, rendered: Rendered, hub: Mapping[Ref, Attachment]) -> None:
        """`hub` has what attaches on the hub."""
        self._hub = hub
        self._views = Views(rendered)
        self._known: dict[int, _Told] = {}

    def of(self, judged: JudgedBlueprint) -> tuple[Result, ...]:
        """What its policies give reason to tell."""
        return self._found(judged)[2]

    def view(self, judged: JudgedBlueprint) -> SpokeView:
        """It as advice sees it."""
        return self._found(judged)[1]

    def _found(
        self, judged: JudgedBlueprint
    ) -> tuple[JudgedBlueprint, SpokeView, tuple[Result, ...]]:
        if id(judged) not in self._known:
            view = self._views.of(judged)
            results = (*_of_case(judged, self._hub), *advise(view))
            self._known[id(judged)] = judged, view, results  # kept, so that its id stays its own
        return self._known[id(judged)]


def policy_results(
    rendered: Rendered,
    judged: JudgedSpokes,
    findings: Findings,
    in_the_open: Collection[str] = (),
) -> tuple[Result, ...]:
    """Everything that the spokes' policies give reason to tell, once for all that share it.

    `in_the_open` are the spokes that were judged with their own values, and not with slots.
    """
    bundles = rendered.bundles
    of_spokes = [(name, bundles[name], findings.of(item)) for name, item in judged.items()]
    held = ((bundle, results) for name, bundle, results in of_spokes if name not in in_the_open)
    own = (
        (bundle, result)
        for name, bundle, results in of_spokes
        if name in in_the_open
        for result in results
    )
    fleet = SlottedFleetView(
        {name: findings.view(item) for name, item in judged.items()},
        {name: bundles[name].values for name in judged},
    )
    return (*merge_occurrences((*in_blueprints(held), *with_values(own))), *advise_fleet(fleet))


def _of_case(judged: JudgedBlueprint, hub: Mapping[Ref, Attachment]) -> Iterator[Result]:
    for ref, item in judged.attachments.items():
        for fault in item.faults:
            yield _result(fault, judged.variants[ref].manifest)
    hub_of = {ref: variant.manifest.ref for ref, variant in judged.variants.items()}
    for flip in find_flips(hub.values(), judged.attachments.values(), hub_of):
        yield _result(flip.fault, judged.variants[flip.policy].manifest)


def _result(fault: Fault, manifest: Manifest) -> Result:
    return fault.result(manifest.ref, hub_line(manifest, fault.field))
