"""The status that routes, Gateways and ListenerSets would get; equal answers are joined."""

from collections.abc import Container, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from spokerender.explain.lookup import ObjectFindings, group_by_blueprint, list_bundles
from spokerender.explain.values import RoutingStatus
from spokerender.findings.phrasing import joined
from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.judging.judgement import Judgement
from spokerender.judging.routing.values import HolderStatus, ParentStatus
from spokerender.kinds.merging import DIRECT
from spokerender.model import GATEWAY_API, Manifest, Ref, grouped
from spokerender.rendering.values.alike import Alike, AlikeFleet, AlikeSpokes
from spokerender.rendering.values.bundles import Bundle
from spokerender.topology.paths import make_class_ref

_AFFECTED = "PolicyAffected"
_Beside = tuple[Ref, Ref, tuple[Condition, ...]]


class AffectedTargets:
    """The targets of a cluster's policies, with the conditions that their policies cause.

    GEP-2648 defines `PolicyAffected`, GEP-713 a condition for each kind of policy; a controller's
    row has the conditions that it writes (`Controller.affects`). A policy that is known by its CRD
    alone has that of GEP-2648, in the domain of the controller of the GatewayClass.
    """

    def __init__(self, judgement: Judgement) -> None:
        """Index the policies by target; a section of an object is a target of its own."""
        self._attachments = judgement.attachments
        self._topology = judgement.topology
        self._policies: Mapping[Ref, list[AttachedPolicy]] = grouped(
            (target, policy)
            for each in judgement.in_force
            for policy in each.policies
            for target in policy.targets
            # A controller without such a condition in its row writes none.
            if policy.kind.controller.affects[0] or policy.kind.merging is DIRECT
        )
        self._sections = grouped((ref.whole, ref) for ref in self._policies if ref.section_name)

    def of_holder(self, ref: Ref, holder: HolderStatus) -> HolderStatus:
        """Return a Gateway's status, with the conditions for the Gateway and for each listener."""
        listeners = tuple(
            replace(
                listener,
                conditions=(*listener.conditions, *self._find(ref.section(listener.name), [ref])),
            )
            for listener in holder.listeners
        )
        conditions = (*holder.conditions, *self._find(ref, ()))
        return replace(holder, conditions=conditions, listeners=listeners)

    def of_route(self, ref: Ref, parents: Iterable[ParentStatus]) -> tuple[ParentStatus, ...]:
        """Return a route's statuses by parent; accepted ones get the conditions of its policies."""
        parents = tuple(parents)
        attached = [item.parent for item in parents if item.refusal is None]
        above = [ref for parent in attached for ref in self._list_sections(parent)]
        # Conditions are about the route, so they are the same below each parent.
        conditions = self._find(ref, dict.fromkeys(above)) if attached else ()
        return tuple(
            replace(item, conditions=(*item.conditions, *conditions))
            # A parent that refuses the route has no policy that could affect it.
            if item.parent in attached
            else item
            for item in parents
        )

    def list_beside(self, known: Container[Ref]) -> Iterator[_Beside]:
        """Yield each target not in `known`, with its first policy and its conditions."""
        for ref in sorted({target.whole for target in self._policies}):
            if ref not in known and (conditions := self._find(ref, ())):
                first = self._policies[next(iter((*self._sections.get(ref, ()), ref)))][0]
                yield ref, first.ref, conditions

    def _list_sections(self, parent: Ref) -> Iterable[Ref]:
        node = self._topology.nodes.get(parent.whole)
        names = [listener.name for listener in node.listeners] if node is not None else []
        yield parent.whole
        yield from map(parent.section, [parent.section_name] if parent.section_name else names)

    def _find(self, target: Ref, above: Iterable[Ref]) -> tuple[Condition, ...]:
        """Return the conditions of a target; `above` are the objects that it is attached to."""
        policies = list(self._policies.get(target, ()))
        for ref in above:
            inherited = self._policies.get(ref, ())
            # By GEP-713 a policy of a Gateway affects routes only if its kind is inherited.
            policies += [it for it in inherited if it.kind.controller.affects_below]
        # The object of GEP-2648 is the whole one, whichever of its sections a policy names.
        for ref in self._sections.get(target, ()):
            policies += [it for it in self._policies[ref] if it.kind.merging is DIRECT]
        by_type = grouped((item, it) for it in policies for item in self._list_types(it, target))
        return tuple(self._write(*item, by_type[item]) for item in sorted(by_type))

    def _list_types(self, policy: AttachedPolicy, target: Ref) -> Iterable[tuple[str, str]]:
        """Return the types of the conditions that a policy causes on a target, with reasons."""
        type_, reason = policy.kind.controller.affects
        if type_:
            return ((type_.format(policy.kind.kind), reason),)
        nodes, gateways = self._topology.nodes, self._topology.ships_with(target.whole)
        classes = {nodes[ref].gateway_class for ref in gateways or self._topology.gateways}
        class_nodes = (self._topology.find(make_class_ref(name)) for name in classes)
        domains = {node.controller.partition("/")[0] for node in class_nodes if node is not None}
        names = (f"{domain}/{_AFFECTED}" for domain in domains or {GATEWAY_API})
        return ((name, _AFFECTED) for name in names)

    def _write(self, type_: str, reason: str, policies: list[AttachedPolicy]) -> Condition:
        refs = dict.fromkeys(policy.ref for policy in policies)
        accepted = {self._attachments[ref].accepted.status for ref in refs}
        # One accepted policy is enough; the others may still come to nothing.
        truth = Truth.TRUE if Truth.TRUE in accepted else Truth.UNKNOWN
        return Condition(type_, truth, reason, f"affected by {joined(refs)}")


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
