"""The status that each policy would get on each spoke, equal ones told once (GEP-713)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from render.judging.attachment.model import Attachment, Condition, Truth
from render.judging.audit import Audit, Judged
from render.judging.audit.filling import filled, held_in
from render.model import Origin, Ref
from render.model.slots import Values

PROGRAMMED = "Programmed"
_TRUTH = {True: Truth.TRUE, False: Truth.FALSE, None: Truth.UNKNOWN}


@dataclass(frozen=True, slots=True)
class AncestorStatus:
    """What a status says of one ancestor: a Gateway, or the target where none is reached."""

    ancestor: Ref
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class PolicyStatus:
    """One policy's status, on all spokes on which it is that.

    `version` is what its `apiVersion` says. `policy` is what it is called there, and `hub` what
    it is on the hub. `is_likely` is set where the cluster decides who is older, and the status
    may turn out otherwise.
    """

    policy: Ref
    version: str
    hub: Ref
    origin: Origin
    targets: tuple[Ref, ...]
    ancestors: tuple[AncestorStatus, ...]
    spokes: tuple[str, ...] = ()
    is_likely: bool = False


def statuses(audit: Audit, spoke: str = "", kind: str = "") -> tuple[PolicyStatus, ...]:
    """The statuses of a fleet, or of one spoke or kind, sorted by policy, then by spoke."""
    wanted = kind.casefold()
    found: dict[PolicyStatus, list[str]] = {}
    of_case: dict[int, tuple[tuple[PolicyStatus, bool], ...]] = {}
    for name, judged in audit.judged.items():
        if spoke not in ("", name):
            continue
        if id(judged) not in of_case:
            of_case[id(judged)] = tuple((each, bool(held_in(each))) for each in _of(judged))
        for status, has_slots in of_case[id(judged)]:
            if wanted in ("", status.policy.kind.casefold()):
                own = _own(status, audit.bundles[name].values) if has_slots else status
                found.setdefault(own, []).append(name)
    told = (replace(status, spokes=tuple(names)) for status, names in found.items())
    return tuple(sorted(told, key=lambda status: (status.hub, status.spokes)))


def _own(status: PolicyStatus, values: Values) -> PolicyStatus:
    """The status with a spoke's values, by which its lists are sorted anew."""
    own = filled(status, values)
    if own is status:
        return status
    ancestors = tuple(sorted(own.ancestors, key=lambda each: each.ancestor))
    return replace(own, targets=tuple(sorted(own.targets)), ancestors=ancestors)


def _of(judged: Judged) -> Iterator[PolicyStatus]:
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
            ancestors=tuple(
                AncestorStatus(ancestor, tuple(_conditions(judged, attachment, ancestor)))
                for ancestor in attachment.ancestors
            ),
            is_likely=ref in undecided
            or any(not each.orders.is_certain for each in attachment.contentions),
        )


def _conditions(judged: Judged, attachment: Attachment, ancestor: Ref) -> Iterator[Condition]:
    """GEP-713: a policy that is not accepted is not programmed, nor said not to be."""
    yield attachment.accepted
    yield attachment.resolved_refs
    programmed = judged.programmed.get((attachment.policy, ancestor))
    if programmed is not None and attachment.is_accepted:
        yield Condition(
            PROGRAMMED, _TRUTH[programmed.status], programmed.reason, programmed.message
        )
        for own in judged.judgement.reported.get((attachment.policy, ancestor), ()):
            yield Condition(own.type, _TRUTH[own.status], own.reason, own.message)
