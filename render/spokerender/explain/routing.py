"""Answer the status that routes, Gateways and ListenerSets would get; equal ones are one."""

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter

from msgspec.structs import replace

from spokerender.explain.lookup import ObjectFindings, group_by_blueprint, list_bundles
from spokerender.explain.values import RoutingStatus
from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import Truth
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.model import Manifest, Ref
from spokerender.rendering.values.alike import Alike, AlikeFleet, AlikeSpokes
from spokerender.rendering.values.bundles import Bundle, Variant


def share_routing(
    fleet: JudgedFleet, spoke: str = "", kind: str = "", more: Iterable[Result] = ()
) -> tuple[Alike[RoutingStatus], ...]:
    """Return the statuses of a fleet, or of one spoke or kind, sorted by kind, then by object.

    Spokes that differ in their own values alone share a status. What is refused comes first. Those
    that no spoke gets are among the answers unless one spoke is selected: their status is the one
    that they would get on the hub. `more` are findings beside those of the fleet.
    """
    sharing: dict[RoutingStatus, list[Bundle]] = {}
    for judged, bundles in group_by_blueprint(fleet, spoke):
        for status in _judged_statuses(judged, fleet.hub_gateways):
            if kind.casefold() in ("", status.ref.kind.casefold()):
                sharing.setdefault(status, []).extend(bundles)
    for manifest, parents, holder in fleet.nowhere_routing if not spoke else ():
        if kind.casefold() in ("", manifest.ref.kind.casefold()):
            version, ref = str(manifest.object["apiVersion"]), manifest.ref
            status = RoutingStatus(ref, version, ref, manifest.origin, parents, holder)
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
    """Return its place among others: by kind, what is refused first, by object, then by spoke."""
    is_refused = any(condition.status is Truth.FALSE for condition in status.conditions)
    return status.ref.kind, not is_refused, status.hub, status.spokes


def _judged_statuses(
    judged: JudgedBlueprint, hub_gateways: Mapping[Ref, Manifest]
) -> Iterator[RoutingStatus]:
    if judged.routing is None:
        return
    existing = {place.ref: place.hub for place in judged.blueprint.placed if place.existing}
    for ref, parents in judged.routing.routes.items():
        if ref in judged.variants:
            yield replace(_about(ref, judged.variants[ref]), parents=parents)
    for ref, holder in judged.routing.holders.items():
        if ref in judged.variants:
            yield replace(_about(ref, judged.variants[ref]), holder=holder)
        elif ref in existing and existing[ref] in hub_gateways:
            manifest = hub_gateways[existing[ref]]
            version = str(manifest.object["apiVersion"])
            yield RoutingStatus(ref, version, manifest.ref, manifest.origin, holder=holder)


def _about(ref: Ref, variant: Variant) -> RoutingStatus:
    version, manifest = str(variant.object["apiVersion"]), variant.manifest
    return RoutingStatus(ref, version, manifest.ref, manifest.origin)
