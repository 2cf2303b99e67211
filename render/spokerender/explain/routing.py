"""Answers the status that routes, Gateways and ListenerSets would get; equal answers are joined."""

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from spokerender.explain.affected import AffectedTargets
from spokerender.explain.lookup import ObjectFindings, group_by_blueprint, list_bundles
from spokerender.explain.values import RoutingStatus
from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import Truth
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.judging.routing.values import HolderStatus, ParentStatus
from spokerender.model import Manifest, Ref
from spokerender.rendering.values.alike import Alike, AlikeFleet, AlikeSpokes
from spokerender.rendering.values.bundles import Bundle


def share_routing(
    fleet: JudgedFleet, spoke: str = "", kind: str = "", more: Iterable[Result] = ()
) -> tuple[Alike[RoutingStatus], ...]:
    """Return the statuses of a fleet, or of one spoke or kind, sorted by kind and by object.

    Refused objects come first. Spokes that differ only in their own values share a status. Unless
    one spoke is selected, objects that no spoke gets have the status that they would have on the
    hub. `more` are findings besides those of the fleet.
    """
    sharing: dict[RoutingStatus, list[Bundle]] = {}
    for judged, bundles in group_by_blueprint(fleet, spoke):
        for status in _judged_statuses(judged, fleet.hub_gateways):
            if kind.casefold() in ("", status.ref.kind.casefold()):
                sharing.setdefault(status, []).extend(bundles)
    for manifest, parents, holder in fleet.nowhere_routing if not spoke else ():
        if kind.casefold() in ("", manifest.ref.kind.casefold()):
            status = _about(manifest.ref, manifest.object, manifest, parents, holder)
            sharing.setdefault(status, [])
    findings = ObjectFindings(more, fleet.results)

    def finish(status: RoutingStatus, spokes: AlikeSpokes) -> RoutingStatus:
        names = spokes.names
        return replace(status, spokes=names, results=findings.select([status.hub], names))

    shared = AlikeFleet(list_bundles(fleet, spoke)).share(
        sharing.items(), attrgetter("hub"), finish
    )
    return tuple(sorted(shared, key=lambda alike: place_routing(alike.common)))


def place_routing(status: RoutingStatus) -> tuple[str, bool, Ref, tuple[str, ...]]:
    """Return the sort key of a status: kind, refused objects first, object, spokes."""
    is_refused = any(condition.status is Truth.FALSE for condition in status.conditions)
    return status.ref.kind, not is_refused, status.hub, status.spokes


def _judged_statuses(
    judged: JudgedBlueprint, hub_gateways: Mapping[Ref, Manifest]
) -> Iterator[RoutingStatus]:
    if judged.routing is None:
        return
    # A Gateway that the spoke has is not rendered, but its hub object has a status to show.
    existing = {place.ref: place.hub for place in judged.blueprint.placed if place.existing}
    targets = AffectedTargets(judged.judgement)
    for ref, parents in judged.routing.routes.items():
        if variant := judged.variants.get(ref):
            entries = targets.of_route(ref, parents)
            yield _about(ref, variant.object, variant.manifest, parents=entries)
    for ref, own in judged.routing.holders.items():
        holder = targets.of_holder(ref, own)
        if variant := judged.variants.get(ref):
            yield _about(ref, variant.object, variant.manifest, holder=holder)
        elif ref in existing and (manifest := hub_gateways.get(existing[ref])):
            yield _about(ref, manifest.object, manifest, holder=holder)
    routing = judged.routing
    for ref, policy, affected in targets.list_beside({**routing.routes, **routing.holders}):
        if variant := judged.variants.get(ref):
            about = _about(ref, variant.object, variant.manifest)
        # No spoke gets a Secret, and no file has most Services: the policy stands for these.
        elif not ref.group:
            about = RoutingStatus(ref, "v1", ref, judged.variants[policy].manifest.origin)
        else:
            continue
        yield replace(about, affected=affected)


def _about(
    ref: Ref,
    data: Mapping[str, Any],
    manifest: Manifest,
    parents: tuple[ParentStatus, ...] = (),
    holder: HolderStatus | None = None,
) -> RoutingStatus:
    version = str(data["apiVersion"])
    return RoutingStatus(ref, version, manifest.ref, manifest.origin, parents, holder)
