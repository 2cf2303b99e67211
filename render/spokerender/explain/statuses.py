"""Answer the status that each policy would get on each spoke (GEP-713); equal ones are merged."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from spokerender.explain.lookup import group_by_object, select_results
from spokerender.explain.values import ACCEPTED, AncestorStatus, PolicyStatus
from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import (
    NOT_KNOWN,
    Attachment,
    Condition,
    StatusEntry,
    Truth,
)
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.kinds.table import find_row
from spokerender.model import Manifest, Ref
from spokerender.rendering.values.bundles import Bundle
from spokerender.topology.conflicts import find_admitting_gateways, find_gateway_listeners
from spokerender.topology.doors import is_decided_by_age

PROGRAMMED = "Programmed"
OVERRIDDEN = "Overridden"
_CARRIED_OUT = (PROGRAMMED, "Enforced")
_UNSETTLING = frozenset({codes.SHARED_SECRET.code, codes.MIXED_BALANCING.code})
"""Findings about several policies of which one is carried out, and files do not say which."""
_TRUTH = {True: Truth.TRUE, False: Truth.FALSE, None: Truth.UNKNOWN}


def statuses(
    fleet: JudgedFleet, spoke: str = "", kind: str = "", more: Iterable[Result] = ()
) -> tuple[PolicyStatus, ...]:
    """Return the statuses of a fleet, or of one spoke or kind, sorted by policy, then by spoke.

    Policies that attach to nothing come first. Those that no spoke gets are among the answers
    unless one spoke is selected. `more` are findings beside those of the fleet: those of rendering.
    """
    selected_kind = kind.casefold()
    spokes_of: dict[PolicyStatus, list[str]] = {}
    shared: dict[int, tuple[tuple[PolicyStatus, bool], ...]] = {}
    for name, judged in fleet.judged.items():
        if spoke not in ("", name):
            continue
        bundle = fleet.bundles[name]
        if id(judged) not in shared:  # spokes of one blueprint share what has none of their values
            shared[id(judged)] = tuple(
                (status, bundle.filled(status) is status) for status in _judged_statuses(judged)
            )
        for status, is_shared in shared[id(judged)]:
            if selected_kind in ("", status.policy.kind.casefold()):
                spoke_status = status if is_shared else _with_values(status, bundle)
                spokes_of.setdefault(spoke_status, []).append(name)
    for manifest, attachment in fleet.nowhere if not spoke else ():
        if selected_kind in ("", manifest.ref.kind.casefold()):
            spokes_of[_unplaced_status(manifest, attachment)] = []
    results_of = group_by_object((*more, *fleet.results))
    answers = (
        _unsettled(
            replace(
                status, spokes=tuple(names), results=select_results(results_of, [status.hub], names)
            )
        )
        for status, names in spokes_of.items()
    )
    return tuple(sorted(answers, key=lambda item: (item.is_attached, item.hub, item.spokes)))


def _judged_statuses(judged: JudgedBlueprint) -> Iterator[PolicyStatus]:
    undecided = {ref for item in judged.judgement.effective if item.others for ref in item.stack}
    for ref, attachment in judged.judgement.attachments.items():
        variant = judged.variants[ref]
        yield PolicyStatus(
            policy=ref,
            version=str(variant.object["apiVersion"]),
            hub=variant.manifest.ref,
            origin=variant.manifest.origin,
            targets=attachment.targets
            or tuple(sorted(link.ref for link in variant.node.attachments if link.ref.name)),
            ancestors=tuple(_ancestors(judged, attachment)),
            has_ancestors=attachment.has_ancestors,
            is_likely=ref in undecided
            or _shares_open_ports(judged, attachment)
            or any(not contention.orders.is_certain for contention in attachment.contentions),
        )


def _shares_open_ports(judged: JudgedBlueprint, attachment: Attachment) -> bool:
    """Tell whether listeners that age decides about may share a port with those of the policy."""
    topology = judged.judgement.topology
    row = find_row(attachment.policy.group, attachment.policy.kind)
    if row is None or not row.reach.whole_ports:
        return False
    nodes = {topology.nodes.get(ref.whole) for ref in attachment.ancestors}
    return any(
        is_decided_by_age(topology, parent.ref, listener.name)
        for node in nodes
        if node is not None
        for gateway in find_admitting_gateways(topology, node)
        for parent, listener in find_gateway_listeners(topology)[gateway.ref]
    )


def _unplaced_status(manifest: Manifest, attachment: Attachment) -> PolicyStatus:
    """Return the status of a policy that no spoke gets, as if the hub were a cluster."""
    is_written = not attachment.is_silent
    entries = [
        AncestorStatus(ancestor, (attachment.accepted, attachment.resolved_refs), is_written)
        for ancestor in attachment.ancestors or (manifest.ref,)
    ]
    return PolicyStatus(
        policy=manifest.ref,
        version=str(manifest.object["apiVersion"]),
        hub=manifest.ref,
        origin=manifest.origin,
        targets=attachment.targets,
        ancestors=tuple(_with_summary(attachment, entries)),
    )


def _with_values(status: PolicyStatus, bundle: Bundle) -> PolicyStatus:
    """Return the status with a spoke's values, by which its lists are sorted anew."""
    filled = bundle.filled(status)
    ancestors = tuple(sorted(filled.ancestors, key=lambda entry: entry.ancestor))
    return replace(filled, targets=tuple(sorted(filled.targets)), ancestors=ancestors)


def _unsettled(status: PolicyStatus) -> PolicyStatus:
    """Return the status as unknown where a finding leaves open which policy is carried out."""
    reasons = [result.message for result in status.results if result.code in _UNSETTLING]
    if not reasons:
        return status
    ancestors = tuple(
        replace(
            entry,
            conditions=tuple(
                Condition(condition.type, Truth.UNKNOWN, NOT_KNOWN, reasons[0])
                if condition.type in _CARRIED_OUT and condition.status is Truth.TRUE
                else condition
                for condition in entry.conditions
            ),
        )
        for entry in status.ancestors
    )
    return replace(status, ancestors=ancestors)


def _ancestors(judged: JudgedBlueprint, attachment: Attachment) -> list[AncestorStatus]:
    """Return its entries; where not all fit, entries that report a problem come first."""
    own = judged.judgement.entries.get(attachment.policy)
    if own:
        entries = [_own_entry(judged, attachment, entry) for entry in own]
    else:
        entries = [
            AncestorStatus(
                ancestor,
                tuple(_conditions(judged, attachment, ancestor)),
                is_written=own is None and not attachment.is_silent,
            )
            for ancestor in attachment.ancestors
        ]
    entries = _with_summary(attachment, entries)
    if attachment.room is None or len(entries) <= attachment.room:
        return entries
    entries.sort(key=lambda entry: not any(item.type == OVERRIDDEN for item in entry.conditions))
    return sorted(entries[: attachment.room], key=lambda entry: entry.ancestor)


def _own_entry(
    judged: JudgedBlueprint, attachment: Attachment, entry: StatusEntry
) -> AncestorStatus:
    """Return an entry as its controller writes it, with the conditions of GEP-713 beside its own.

    An entry without Accepted is a listener's, where a policy is merged: it has nothing else.
    """
    accepted = [item for item in entry.conditions if item.type == ACCEPTED]
    others = [item for item in entry.conditions if item.type != ACCEPTED]
    if accepted:
        accepted += [attachment.resolved_refs]
        if accepted[0].status is not Truth.FALSE:
            accepted += _programmed(judged, attachment, entry.ancestor)
    return AncestorStatus(entry.ancestor, (*accepted, *others))


def _with_summary(attachment: Attachment, entries: list[AncestorStatus]) -> list[AncestorStatus]:
    """Return the entries and the one for targets that do not exist, or that one alone."""
    summary = attachment.summary
    if summary is None:
        return entries
    accepted = Condition("Accepted", Truth.TRUE, "Accepted", "accepted, whatever it names")
    conditions = (accepted, attachment.resolved_refs, summary.attached)
    entry = AncestorStatus(summary.ancestor, conditions)
    return [entry] if summary.is_all else [*entries, entry]


def _conditions(
    judged: JudgedBlueprint, attachment: Attachment, ancestor: Ref
) -> Iterator[Condition]:
    yield attachment.accepted
    yield attachment.resolved_refs
    # GEP-713: a policy that is not accepted has no condition Programmed at all.
    if attachment.is_accepted:
        yield from _programmed(judged, attachment, ancestor)


def _programmed(
    judged: JudgedBlueprint, attachment: Attachment, ancestor: Ref
) -> Iterator[Condition]:
    gateway = _gateway_of(judged, attachment.policy, ancestor)
    programmed = judged.judgement.programmed.get((attachment.policy, gateway))
    if programmed is not None:
        yield Condition(
            PROGRAMMED, _TRUTH[programmed.status], programmed.reason, programmed.message
        )
        for reported in judged.judgement.reported.get((attachment.policy, gateway), ()):
            yield Condition(
                reported.type, _TRUTH[reported.status], reported.reason, reported.message
            )


def _gateway_of(judged: JudgedBlueprint, policy: Ref, ancestor: Ref) -> Ref:
    """Return the Gateway that an ancestor stands for; for a route, one that it is attached to."""
    gateways = [
        gateway for programmed, gateway in judged.judgement.programmed if programmed == policy
    ]
    if ancestor.whole in gateways or not gateways:
        return ancestor.whole
    node = judged.judgement.topology.nodes.get(ancestor.whole)
    parents = {link.ref.whole for link in node.references} if node is not None else set()
    return min((gateway for gateway in gateways if gateway in parents), default=min(gateways))
