"""What a controller says of an accepted policy beside GEP-713: its own conditions.

Each has its own idea of when a policy is overridden, and of what a merge is (`Reports`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from spokerender.judging.effective.levels import is_above_routes
from spokerender.judging.effective.model import (
    AttachedPolicy,
    EffectivePolicy,
    Overruled,
    Programmed,
    Reason,
)
from spokerender.kinds import Reports
from spokerender.model import Ref


class Reported(Struct, frozen=True):
    """A condition of a controller's own; `status` is None where nobody can tell."""

    type: str
    status: bool | None
    reason: str
    message: str


Found = Sequence[EffectivePolicy]


def reported_on(
    policies: Iterable[AttachedPolicy],
    in_force: Iterable[EffectivePolicy],
    programmed: Mapping[tuple[Ref, Ref], Programmed],
) -> Mapping[tuple[Ref, Ref], tuple[Reported, ...]]:
    """The conditions of each policy for each of its Gateways, as `programmed_on` has them."""
    by_ref = {policy.ref: policy for policy in policies}
    on: dict[tuple[Ref, Ref], list[EffectivePolicy]] = {}
    for item in in_force:
        for ref in item.stack:
            on.setdefault((ref, item.path.gateway), []).append(item)
    reported = {}
    for key, condition in programmed.items():
        policy = by_ref.get(key[0])
        report = _REPORTS.get(policy.kind.controller.reports) if policy is not None else None
        if policy is not None and report is not None:
            reported[key] = report(policy, on.get(key, ()), condition)
    return reported


def _envoy_gateway(policy: AttachedPolicy, found: Found, _: Programmed) -> tuple[Reported, ...]:
    """Overridden, also where it is so in part; Merged on both partners."""
    by: dict[Ref, None] = {}
    partners: dict[Ref, None] = {}
    for item in found:
        outcome = item.likely
        if policy.ref in outcome.merged:
            partners.update(dict.fromkeys(ref for ref in outcome.merged if ref != policy.ref))
        else:
            lost = (each.by for each in outcome.overruled if each.policy == policy.ref)
            by.update(dict.fromkeys(ref for ref in lost if ref != policy.ref))
    reported = []
    if by:
        reported.append(Reported("Overridden", True, "Overridden", f"overridden by {_names(by)}"))
    if partners:
        reported.append(Reported("Merged", True, "Merged", f"merged with {_names(partners)}"))
    return tuple(reported)


def _kgateway(policy: AttachedPolicy, found: Found, _: Programmed) -> tuple[Reported, ...]:
    """Attached: whether it gave all, some or none of what those on its side of a path merge to.

    The sides are what is above all routes, and routes: they are merged apart. None, on any one
    path, outweighs the rest. A Gateway needs no routes for it.
    """
    if not found and not any(map(is_above_routes, policy.targets)):
        return (Reported("Attached", None, "Pending", "it is on no path that files tell of"),)
    unknown = next((item.likely.unknown for item in found if item.likely.unknown), "")
    shares = {_share(policy, item) for item in found if not item.likely.failing}
    if unknown or ("unknown" in shares and "none" not in shares):
        why = f"how much of it is merged with others, {policy.kind.controller.id} alone can tell"
        return (Reported("Attached", None, "NotKnown", unknown or why),)
    status, reason, message = next(_ATTACHED[each] for each in _ATTACHED if each in {*shares, ""})
    return (Reported("Attached", status, reason, message),)


_ATTACHED = {
    "none": (False, "Overridden", "others on its target give all of it"),
    "some": (True, "Merged", "others on its target give a part"),
    "": (True, "Attached", "all of what is merged is its own"),
}
"""What is said of a policy's shares, the one first that outweighs the others."""


def _share(policy: AttachedPolicy, item: EffectivePolicy) -> str:
    side = _side(policy.ref, item)
    given: dict[Ref, set[str]] = {}
    for rule in item.likely.rules:
        given.setdefault(rule.policy, set()).add(rule.key)
    for lost in item.likely.overruled:
        if _side(lost.policy, item) != _side(lost.by, item):
            given.setdefault(lost.policy, set()).add(lost.key)
    of_side = [keys for ref, keys in given.items() if _side(ref, item) == side]
    own = given.get(policy.ref, set())
    lost_here = [each for each in item.likely.overruled if each.policy == policy.ref]
    if not own and lost_here:
        is_open = any(_may_be_merged(policy, each, item) for each in lost_here)
        return "unknown" if is_open else "none"
    return "all" if own == set().union(*of_side) else "some"


def _may_be_merged(policy: AttachedPolicy, lost: Overruled, item: EffectivePolicy) -> bool:
    """Whether a field may be that of both: by a setting, or as a listener is opened (kgateway).

    On an HTTPS listener the Gateway's and the listener's own are merged, on others they are apart.
    """
    places = {item.targets[item.stack.index(ref)] for ref in (lost.policy, lost.by)}
    if len(places) > 1 and all(map(is_above_routes, places)):
        return True
    return lost.key.partition(".")[0] in policy.row.merged.fields.deep


def _side(policy: Ref, item: EffectivePolicy) -> bool:
    """Whether a policy is above all routes on a path."""
    return is_above_routes(item.targets[item.stack.index(policy)])


def _agentgateway(policy: AttachedPolicy, _: Found, __: Programmed) -> tuple[Reported, ...]:
    """Attached, where what it names is there; a Gateway needs no routes for that."""
    if not policy.targets:
        return (Reported("Attached", False, "Pending", "what it names is not there"),)
    return (Reported("Attached", True, "Attached", "it is attached"),)


def _kuadrant(policy: AttachedPolicy, found: Found, programmed: Programmed) -> tuple[Reported, ...]:
    """Enforced, which is what GEP-713 calls Programmed, but for its reasons.

    One that has no record to make is done with its work.
    """
    if policy.kind.traits.records is not None and not found:
        return (Reported("Enforced", True, "Enforced", "it has no DNS record to make"),)
    reason = "Enforced" if programmed.status else str(programmed.reason)
    message = programmed.message.replace("programmed", "enforced")
    if programmed.reason is Reason.NOT_KNOWN:
        message = programmed.message
    return (Reported("Enforced", programmed.status, reason, message),)


def _names(refs: Iterable[Ref]) -> str:
    return ", ".join(map(str, sorted(refs)))


_REPORTS: Mapping[Reports, Callable[[AttachedPolicy, Found, Programmed], tuple[Reported, ...]]] = {
    Reports.ENVOY_GATEWAY: _envoy_gateway,
    Reports.KGATEWAY: _kgateway,
    Reports.AGENTGATEWAY: _agentgateway,
    Reports.KUADRANT: _kuadrant,
}
