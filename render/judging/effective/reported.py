"""What a controller says of an accepted policy beside GEP-713: its own conditions.

Each has its own idea of when a policy is overridden, and of what a merge is (`Reports`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from render.judging.effective.levels import is_above_routes
from render.judging.effective.model import AttachedPolicy, EffectivePolicy, Programmed, Reason
from render.kinds import Reports
from render.model import Ref


@dataclass(frozen=True, slots=True)
class Reported:
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
    path, outweighs the rest.
    """
    if not found:
        return (Reported("Attached", False, "Pending", "it is on no path"),)
    shares = {_share(policy, item) for item in found}
    if "none" in shares:
        return (Reported("Attached", False, "Overridden", "others on its target give all of it"),)
    if "some" in shares:
        return (Reported("Attached", True, "Merged", "others on its target give a part"),)
    return (Reported("Attached", True, "Attached", "all of what is merged is its own"),)


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
    if not own:
        return "none"
    return "all" if own == set().union(*of_side) else "some"


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
