"""The status that each policy would have on each spoke (GEP-713); equal ones are joined."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace

from spokerender.explain.lookup import ObjectFindings, group_by_blueprint, list_bundles
from spokerender.explain.values import AncestorStatus, PolicyStatus
from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import (
    NOT_KNOWN,
    TARGET_NOT_FOUND,
    Attachment,
    Condition,
    StatusEntry,
    Truth,
)
from spokerender.judging.fleet.combining import combine_conditions
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.judging.fleet.worlds import World
from spokerender.kinds.columns import PARTIALLY_VALID
from spokerender.kinds.merging import Writes
from spokerender.kinds.table import find_row
from spokerender.model import Manifest, Ref
from spokerender.rendering.values.alike import Alike, AlikeFleet, AlikeSpokes
from spokerender.rendering.values.bundles import Bundle

ACCEPTED = "Accepted"
PROGRAMMED = "Programmed"
ENFORCED = "Enforced"
OVERRIDDEN = "Overridden"
_CARRIED_OUT = (PROGRAMMED, ENFORCED)
_UNSETTLING = frozenset({codes.SHARED_SECRET.code, codes.MIXED_BALANCING.code})
"""Findings about several policies, only one of which is implemented; files do not say which."""
_TRUTH = {True: Truth.TRUE, False: Truth.FALSE, None: Truth.UNKNOWN}


def share_statuses(
    fleet: JudgedFleet, spoke: str = "", kind: str = "", more: Iterable[Result] = ()
) -> tuple[Alike[PolicyStatus], ...]:
    """Return the statuses of a fleet, or of one spoke or kind, sorted by policy and spoke.

    Policies that attach to nothing come first. Policies that no spoke gets are included unless one
    spoke is selected. Spokes that differ only in their own values share a status. `more` are the
    findings of rendering.
    """
    selected_kind = kind.casefold()
    findings = ObjectFindings(more, fleet.results)
    # Alike statuses are joined before findings are looked up, which is done once a group.
    sharing: dict[PolicyStatus, list[Bundle]] = {}
    for judged, bundles in group_by_blueprint(fleet, spoke):
        for status in _judged_statuses(judged):
            if selected_kind in ("", status.policy.kind.casefold()):
                for each, part in _settle(status, bundles, findings):
                    sharing.setdefault(each, []).extend(part)
    # A single spoke is asked about what it gets, and not about the rest of the hub.
    for manifest, attachment in fleet.nowhere if not spoke else ():
        if selected_kind in ("", manifest.ref.kind.casefold()):
            by_world = {
                world: _unplaced_status(manifest, judged.attachments[manifest.ref])
                for world, judged in fleet.hub_in_worlds().items()
            }
            unplaced = _combine(by_world) if by_world else _unplaced_status(manifest, attachment)
            sharing[unplaced] = []

    def finish(status: PolicyStatus, spokes: AlikeSpokes) -> PolicyStatus:
        names = spokes.names
        ancestors = tuple(sorted(status.ancestors, key=attrgetter("ancestor")))
        results = findings.select([status.hub], names)
        targets = tuple(sorted(status.targets))
        return replace(status, targets=targets, ancestors=ancestors, spokes=names, results=results)

    shared = AlikeFleet(list_bundles(fleet, spoke)).share(
        sharing.items(), attrgetter("hub"), finish
    )
    return tuple(sorted(shared, key=lambda alike: place_status(alike.common)))


def place_status(status: PolicyStatus) -> tuple[bool, Ref, tuple[str, ...]]:
    """Return the sort key of a status: unattached policies first, policy, spokes."""
    return is_attached(status), status.hub, status.spokes


def is_attached(status: PolicyStatus) -> bool:
    """Return whether the policy attaches to a target, as far as files show."""
    return any(
        condition.type == ACCEPTED and condition.status is not Truth.FALSE
        for ancestor in status.ancestors
        if ancestor.ancestor.kind
        for condition in ancestor.conditions
    )


def _judged_statuses(judged: JudgedBlueprint) -> Iterator[PolicyStatus]:
    # Worlds exist only where the ages of objects decide something.
    worlds = {
        world: {status.policy: status for status in _write_statuses(one)}
        for world, one in judged.in_worlds().items()
    }
    if not worlds:
        yield from _write_statuses(judged)
        return
    # Worlds judge the same policies, so the first one's list has all.
    for policy in judged.judgement.attachments:
        yield _combine({world: by_policy[policy] for world, by_policy in worlds.items()})


def _combine(by_world: Mapping[World, PolicyStatus]) -> PolicyStatus:
    """Return the status of a policy, joined over all possible orders of creation (worlds)."""
    worlds, each = list(by_world), list(by_world.values())
    entries = [{entry.ancestor: entry for entry in status.ancestors} for status in each]
    ancestors = []
    for ancestor in dict.fromkeys(ancestor for of_world in entries for ancestor in of_world):
        own = [of_world.get(ancestor) for of_world in entries]
        is_written = any(entry is not None and entry.is_written for entry in own)
        conditions = [
            # An entry that is written in one world only is absent in the others.
            entry.conditions if entry is not None and entry.is_written is is_written else ()
            for entry in own
        ]
        combined = combine_conditions(worlds, each[0].policy, conditions)
        ancestors.append(AncestorStatus(ancestor, combined, is_written))
    targets = dict.fromkeys(target for status in each for target in status.targets)
    return replace(each[0], targets=tuple(targets), ancestors=tuple(ancestors))


def _write_statuses(judged: JudgedBlueprint) -> Iterator[PolicyStatus]:
    for ref, attachment in judged.judgement.attachments.items():
        variant = judged.variants[ref]
        yield PolicyStatus(
            policy=ref,
            version=str(variant.object["apiVersion"]),
            hub=variant.manifest.ref,
            origin=variant.manifest.origin,
            targets=attachment.targets
            # A policy without a target that holds shows the targets that it names.
            or tuple(sorted(link.ref for link in variant.node.attachments if link.ref.name)),
            ancestors=tuple(_ancestors(judged, attachment)),
            has_ancestors=attachment.has_ancestors,
        )


def _unplaced_status(manifest: Manifest, attachment: Attachment) -> PolicyStatus:
    """Return the status of a policy that no spoke gets, as if the hub were a cluster."""
    entries = [
        AncestorStatus(ancestor, list_conditions(attachment, ()), not attachment.is_silent)
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


def _settle(
    status: PolicyStatus, bundles: Sequence[Bundle], findings: ObjectFindings
) -> Iterator[tuple[PolicyStatus, Sequence[Bundle]]]:
    """Yield the status with its spokes; as Unknown for those with a finding of `_UNSETTLING`."""
    for result in findings.about(status.hub):
        if result.code in _UNSETTLING:
            names = frozenset(result.spokes)
            concerned = [bundle for bundle in bundles if bundle.spoke.name in names]
            bundles = [bundle for bundle in bundles if bundle.spoke.name not in names]
            if concerned:
                yield _unsettled(status, result.message), concerned
    if bundles:
        yield status, bundles


def _unsettled(status: PolicyStatus, reason: str) -> PolicyStatus:
    ancestors = tuple(
        replace(
            entry,
            conditions=tuple(
                Condition(condition.type, Truth.UNKNOWN, NOT_KNOWN, reason)
                # Only True becomes unknown: False is certain.
                if condition.type in _CARRIED_OUT and condition.status is Truth.TRUE
                else condition
                for condition in entry.conditions
            ),
        )
        for entry in status.ancestors
    )
    return replace(status, ancestors=ancestors)


def _ancestors(judged: JudgedBlueprint, attachment: Attachment) -> list[AncestorStatus]:
    """Return the entries of a policy's status."""
    own = judged.judgement.entries.get(attachment.policy)
    if own:
        entries = [_own_entry(judged, attachment, entry) for entry in own]
    else:
        entries = [
            AncestorStatus(
                ancestor,
                _conditions(judged, attachment, ancestor),
                # An empty list of entries means that the controller writes none.
                is_written=own is None and not attachment.is_silent,
            )
            for ancestor in attachment.ancestors
        ]
    entries = _with_summary(attachment, entries)
    if attachment.room is None or len(entries) <= attachment.room:
        return entries
    # Envoy Gateway keeps 16 entries, and puts entries that report a problem first
    # (`TruncatePolicyAncestors`).
    entries.sort(key=lambda entry: not any(item.type == OVERRIDDEN for item in entry.conditions))
    return sorted(entries[: attachment.room], key=lambda entry: entry.ancestor)


def _own_entry(
    judged: JudgedBlueprint, attachment: Attachment, entry: StatusEntry
) -> AncestorStatus:
    """Return an entry as its controller writes it, together with GEP-713's conditions."""
    accepted = [item for item in entry.conditions if item.type == ACCEPTED]
    others = [item for item in entry.conditions if item.type != ACCEPTED]
    # An entry without Accepted is a listener's, where a policy is merged; it has nothing else.
    if accepted:
        accepted += [attachment.resolved_refs]
        if accepted[0].status is not Truth.FALSE:
            accepted += _programmed(judged, attachment, entry.ancestor)
    return AncestorStatus(entry.ancestor, (*accepted, *others))


def _with_summary(attachment: Attachment, entries: list[AncestorStatus]) -> list[AncestorStatus]:
    """Return the entries; an entry for absent targets is added, or (`is_all`) replaces them."""
    summary = attachment.summary
    if summary is None:
        return entries
    conditions = (summary.accepted, attachment.resolved_refs, summary.attached)
    entry = AncestorStatus(summary.ancestor, conditions)
    return [entry] if summary.is_all else [*entries, entry]


def _conditions(
    judged: JudgedBlueprint, attachment: Attachment, ancestor: Ref
) -> tuple[Condition, ...]:
    why = dict(attachment.doubtful).get(ancestor)
    if why is not None and attachment.accepted.status is Truth.TRUE:
        unverified = Condition(ACCEPTED, Truth.UNKNOWN, "Unverified", why)
        attachment = replace(attachment, accepted=unverified)
    own = _programmed(judged, attachment, ancestor) if attachment.is_accepted else ()
    return list_conditions(attachment, own)


def list_conditions(attachment: Attachment, own: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return the conditions of a policy, of which `own` are its controller's and `Programmed`."""
    accepted, row = attachment.accepted, find_row(attachment.policy.group, attachment.policy.kind)
    if row is not None and row.merged.writes is not None:
        accepted, own = _report_written(row.merged.writes, attachment, tuple(own))
    # GEP-713: a policy that is not accepted has no condition Programmed at all.
    return accepted, attachment.resolved_refs, *(own if accepted.status is not Truth.FALSE else ())


def _report_written(
    writes: Writes, attachment: Attachment, own: tuple[Condition, ...]
) -> tuple[Condition, tuple[Condition, ...]]:
    """Return `Accepted` and the other conditions of a policy from which another is created.

    Kuadrant's extensions (v1.5.2) report whether the created policy is enforced.
    """
    accepted = attachment.accepted
    if accepted.reason == TARGET_NOT_FOUND:
        own = (Condition(ENFORCED, Truth.FALSE, TARGET_NOT_FOUND, accepted.message),)
        accepted = Condition(ACCEPTED, Truth.TRUE, ACCEPTED, f"its {writes.kind} is written")
    enforced = next((item for item in own if item.type == ENFORCED), None)
    if enforced is None or enforced.status is Truth.TRUE:
        return accepted, own
    if enforced.status is Truth.FALSE:
        message = f"{writes.kind} {attachment.policy.name} is not enforced: {enforced.message}"
        enforced = Condition(ENFORCED, Truth.FALSE, "Unknown", message)
    if writes.is_vital:
        return replace(enforced, type=ACCEPTED), own
    return accepted, (*(item for item in own if item.type != ENFORCED), enforced)


def _programmed(
    judged: JudgedBlueprint, attachment: Attachment, ancestor: Ref
) -> Iterator[Condition]:
    gateway = _gateway_of(judged, attachment.policy, ancestor)
    programmed = judged.judgement.programmed.get((attachment.policy, gateway))
    if programmed is not None:
        status = _TRUTH[programmed.status]
        yield Condition(PROGRAMMED, status, programmed.reason, programmed.message)
        reports = judged.judgement.reported.get((attachment.policy, gateway), ())
        for reported in reports if attachment.accepted.reason != PARTIALLY_VALID else ():
            yield Condition(
                reported.type, _TRUTH[reported.status], reported.reason, reported.message
            )


def _gateway_of(judged: JudgedBlueprint, policy: Ref, ancestor: Ref) -> Ref:
    """Return a Gateway for `ancestor` on which `policy` is programmed; if none, `ancestor`."""
    gateways = [
        gateway for programmed, gateway in judged.judgement.programmed if programmed == policy
    ]
    if ancestor.whole in gateways or not gateways:
        return ancestor.whole
    node = judged.judgement.topology.nodes.get(ancestor.whole)
    parents = {link.ref.whole for link in node.references} if node is not None else set()
    # For several Gateways the smallest, so that the answer does not depend on order.
    return min((gateway for gateway in gateways if gateway in parents), default=min(gateways))
