"""The status that each policy would get on each spoke, equal ones told once (GEP-713)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from spokerender.explain.about import about, by_object
from spokerender.explain.answers import AncestorStatus, PolicyStatus
from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import NOT_KNOWN, Attachment, Condition, Truth
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.model import Manifest, Ref
from spokerender.rendering.values.bundles import Bundle, is_shared

PROGRAMMED = "Programmed"
OVERRIDDEN = "Overridden"
_CARRIED_OUT = (PROGRAMMED, "Enforced")
_UNSETTLING = frozenset({codes.SHARED_SECRET.code, codes.MIXED_BALANCING.code})
"""What is told of several policies of which one is carried out, and nobody knows which."""
_TRUTH = {True: Truth.TRUE, False: Truth.FALSE, None: Truth.UNKNOWN}


def statuses(
    fleet: JudgedFleet, spoke: str = "", kind: str = "", more: Iterable[Result] = ()
) -> tuple[PolicyStatus, ...]:
    """The statuses of a fleet, or of one spoke or kind, sorted by policy, then by spoke.

    First come those that attach to nothing. What no spoke gets is told where all are asked about.
    `more` are findings beside those of the fleet: what was found when the fleet was rendered.
    """
    wanted = kind.casefold()
    spokes_of: dict[PolicyStatus, list[str]] = {}
    of_case: dict[int, tuple[tuple[PolicyStatus, bool], ...]] = {}
    for name, judged in fleet.judged.items():
        if spoke not in ("", name):
            continue
        if id(judged) not in of_case:
            of_case[id(judged)] = tuple((each, is_shared(each)) for each in _of(judged))
        for status, is_same in of_case[id(judged)]:
            if wanted in ("", status.policy.kind.casefold()):
                own = status if is_same else _own(status, fleet.bundles[name])
                spokes_of.setdefault(own, []).append(name)
    if not spoke:
        nowhere = (_nowhere(manifest, item) for manifest, item in fleet.nowhere)
        spokes_of |= {each: [] for each in nowhere if wanted in ("", each.policy.kind.casefold())}
    results_of = by_object((*more, *fleet.results))
    told = (
        _unsettled(
            replace(status, spokes=tuple(names), results=about(results_of, [status.hub], names))
        )
        for status, names in spokes_of.items()
    )
    return tuple(sorted(told, key=lambda each: (each.is_attached, each.hub, each.spokes)))


def _nowhere(manifest: Manifest, item: Attachment) -> PolicyStatus:
    """The status of a policy that no spoke gets, as if the hub were a cluster."""
    entries = [
        AncestorStatus(ancestor, (item.accepted, item.resolved_refs))
        for ancestor in item.ancestors or (manifest.ref,)
    ]
    return PolicyStatus(
        policy=manifest.ref,
        version=str(manifest.object["apiVersion"]),
        hub=manifest.ref,
        origin=manifest.origin,
        targets=item.targets,
        ancestors=tuple(_summarized(item, entries)),
    )


def _unsettled(status: PolicyStatus) -> PolicyStatus:
    """The status with what a finding leaves open: which of several its controller carries out."""
    why = [each.message for each in status.results if each.code in _UNSETTLING]
    if not why:
        return status
    ancestors = tuple(
        replace(
            entry,
            conditions=tuple(
                Condition(each.type, Truth.UNKNOWN, NOT_KNOWN, why[0])
                if each.type in _CARRIED_OUT and each.status is Truth.TRUE
                else each
                for each in entry.conditions
            ),
        )
        for entry in status.ancestors
    )
    return replace(status, ancestors=ancestors)


def _own(status: PolicyStatus, bundle: Bundle) -> PolicyStatus:
    """The status with a spoke's values, by which its lists are sorted anew."""
    own = bundle.filled(status)
    if own is status:
        return status
    ancestors = tuple(sorted(own.ancestors, key=lambda each: each.ancestor))
    return replace(own, targets=tuple(sorted(own.targets)), ancestors=ancestors)


def _of(judged: JudgedBlueprint) -> Iterator[PolicyStatus]:
    undecided = {ref for item in judged.effective if item.others for ref in item.stack}
    for ref, attachment in judged.attachments.items():
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
            or any(not each.orders.is_certain for each in attachment.contentions),
        )


def _ancestors(judged: JudgedBlueprint, attachment: Attachment) -> list[AncestorStatus]:
    """Its entries; where not all are kept, those first that tell of something bad."""
    entries = [
        AncestorStatus(ancestor, tuple(_conditions(judged, attachment, ancestor)))
        for ancestor in attachment.ancestors
    ]
    entries += _merged(judged, attachment)
    entries = _summarized(attachment, entries)
    if attachment.room is None or len(entries) <= attachment.room:
        return entries
    entries.sort(key=lambda entry: not any(each.type == OVERRIDDEN for each in entry.conditions))
    return sorted(entries[: attachment.room], key=lambda entry: entry.ancestor)


def _summarized(attachment: Attachment, entries: list[AncestorStatus]) -> list[AncestorStatus]:
    """The entries with the one about what attaches to nothing, or that one alone."""
    summary = attachment.summary
    if summary is None:
        return entries
    accepted = Condition("Accepted", Truth.TRUE, "Accepted", "accepted, whatever it names")
    conditions = (accepted, attachment.resolved_refs, summary.attached)
    told = AncestorStatus(summary.ancestor, conditions)
    return [told] if summary.is_all else [*entries, told]


def _conditions(
    judged: JudgedBlueprint, attachment: Attachment, ancestor: Ref
) -> Iterator[Condition]:
    """GEP-713: a policy that is not accepted is not programmed, nor said not to be."""
    yield attachment.accepted
    yield attachment.resolved_refs
    gateway = _gateway_of(judged, attachment.policy, ancestor)
    programmed = judged.programmed.get((attachment.policy, gateway))
    if programmed is not None and attachment.is_accepted:
        yield Condition(
            PROGRAMMED, _TRUTH[programmed.status], programmed.reason, programmed.message
        )
        for own in judged.judgement.reported.get((attachment.policy, gateway), ()):
            yield Condition(own.type, _TRUTH[own.status], own.reason, own.message)


def _merged(judged: JudgedBlueprint, attachment: Attachment) -> Iterator[AncestorStatus]:
    """Entries for the listeners on which it is merged, where its route names no listener.

    Envoy Gateway merges listener by listener, each with what is there.
    """
    partners: dict[Ref, set[Ref]] = {}
    for item in judged.effective:
        if item.likely.merged[1:] == (attachment.policy,):
            partners.setdefault(item.path.section, set()).add(item.likely.merged[0])
    for section in sorted(partners.keys() - set(attachment.ancestors)):
        if section.whole in attachment.ancestors:
            names = ", ".join(map(str, sorted(partners[section])))
            merged = Condition("Merged", Truth.TRUE, "Merged", f"merged with {names}")
            yield AncestorStatus(section, (merged,))


def _gateway_of(judged: JudgedBlueprint, policy: Ref, ancestor: Ref) -> Ref:
    """The Gateway that an ancestor stands for; of a route, one that the policy reaches over it."""
    gateways = [gateway for of, gateway in judged.programmed if of == policy]
    if ancestor.whole in gateways or not gateways:
        return ancestor.whole
    node = judged.topology.nodes.get(ancestor.whole)
    above = {link.ref.whole for link in node.references} if node is not None else set()
    return min((each for each in gateways if each in above), default=min(gateways))
