"""Answer the status that routes, Gateways and ListenerSets would get; equal ones are one."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from spokerender.explain.lookup import group_by_object, select_results
from spokerender.explain.values import RoutingStatus
from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import Truth
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.model import Ref
from spokerender.rendering.values.bundles import Variant


def routing_statuses(
    fleet: JudgedFleet, spoke: str = "", kind: str = "", more: Iterable[Result] = ()
) -> tuple[RoutingStatus, ...]:
    """Return the statuses of a fleet, or of one spoke or kind, sorted by kind, then by object.

    What is refused comes first. Those that no spoke gets are among the answers unless one spoke is
    selected: their status is the one that they would get on the hub. `more` are findings beside
    those of the fleet.
    """
    spokes_of: dict[RoutingStatus, list[str]] = {}
    for judged, names in _group_by_blueprint(fleet, spoke):
        for status in _judged_statuses(judged):
            if kind.casefold() not in ("", status.ref.kind.casefold()):
                continue
            if fleet.bundles[names[0]].filled(status) is status:  # no spoke's value is in it
                spokes_of.setdefault(status, []).extend(names)
                continue
            for name in names:
                spokes_of.setdefault(fleet.bundles[name].filled(status), []).append(name)
    for manifest, parents, holder in fleet.nowhere_routing if not spoke else ():
        if kind.casefold() in ("", manifest.ref.kind.casefold()):
            version, ref = str(manifest.object["apiVersion"]), manifest.ref
            status = RoutingStatus(ref, version, ref, manifest.origin, parents, holder)
            spokes_of.setdefault(status, [])
    results_of = group_by_object((*more, *fleet.results))
    place = {name: number for number, name in enumerate(fleet.judged)}
    answers = (
        replace(
            status,
            spokes=tuple(sorted(names, key=place.__getitem__)),
            results=select_results(results_of, [status.hub], names),
        )
        for status, names in spokes_of.items()
    )
    return tuple(sorted(answers, key=_place))


def _place(status: RoutingStatus) -> tuple[str, bool, Ref, tuple[str, ...]]:
    is_refused = any(condition.status is Truth.FALSE for condition in status.conditions)
    return status.ref.kind, not is_refused, status.hub, status.spokes


def _group_by_blueprint(
    fleet: JudgedFleet, spoke: str
) -> Iterable[tuple[JudgedBlueprint, list[str]]]:
    """Return each judged blueprint with its spokes: a thousand spokes may share one."""
    groups: dict[int, tuple[JudgedBlueprint, list[str]]] = {}
    for name, judged in fleet.judged.items():
        if spoke in ("", name):
            groups.setdefault(id(judged), (judged, []))[1].append(name)
    return groups.values()


def _judged_statuses(judged: JudgedBlueprint) -> Iterator[RoutingStatus]:
    if judged.routing is None:
        return
    for ref, parents in judged.routing.routes.items():
        if ref in judged.variants:
            yield replace(_about(ref, judged.variants[ref]), parents=parents)
    for ref, holder in judged.routing.holders.items():
        if ref in judged.variants:
            yield replace(_about(ref, judged.variants[ref]), holder=holder)


def _about(ref: Ref, variant: Variant) -> RoutingStatus:
    version, manifest = str(variant.object["apiVersion"]), variant.manifest
    return RoutingStatus(ref, version, manifest.ref, manifest.origin)
