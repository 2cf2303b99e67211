"""The conditions of accepted policies: `Programmed` (GEP-713), and each controller's own.

Controllers differ in when they report a policy as overridden or merged (`Reports`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.phrasing import listed
from spokerender.judging.effective.blocks import is_above_routes, read_blocks
from spokerender.judging.effective.outcomes import (
    AttachedPolicy,
    EffectivePolicy,
    Overruled,
    Programmed,
    Reason,
)
from spokerender.kinds.kind import Reports
from spokerender.model import GATEWAY, Ref, grouped
from spokerender.topology.paths import RequestPath

_PLACES_SHOWN = 3


class _Share(Struct, frozen=True):
    """The share of a policy in the effective policy on one path.

    `holds` is True if a rule of the policy is in force; `lost` are its overruled rules. `unknown`
    is the reason if the share is unknown. `is_beyond` is True if the controller applies nothing to
    the path's hostnames; `refused` is the message if the controller refuses a predicate.
    """

    path: RequestPath
    holds: bool
    lost: tuple[Overruled, ...]
    unknown: str = ""
    is_beyond: bool = False
    refused: str = ""


def find_programmed_by_gateway(
    policies: Iterable[AttachedPolicy], in_force: Iterable[EffectivePolicy]
) -> Mapping[tuple[Ref, Ref], Programmed]:
    """Return `Programmed` by policy and Gateway, for Gateways with a path that the policy is on.

    It is also returned for target Gateways without a path, and for all targets of a policy that is
    on no path.
    """
    shares = _index_shares(in_force)
    conditions = {}
    for policy in policies:
        by_gateway = grouped((share.path.gateway, share) for share in shares.get(policy.ref, ()))
        for gateway, gateway_shares in by_gateway.items():
            conditions[policy.ref, gateway] = _sum_up(policy, gateway_shares)
        # GEP-713 gives every accepted policy this condition, also one that is on no path.
        for target in {target.whole for target in policy.targets} - by_gateway.keys():
            if not by_gateway or (target.group, target.kind) == GATEWAY:
                conditions[policy.ref, target] = _sum_up(policy, ())
    return conditions


def _index_shares(in_force: Iterable[EffectivePolicy]) -> Mapping[Ref, list[_Share]]:
    shares: dict[Ref, list[_Share]] = {}
    splits: dict[int, Mapping[Ref, tuple[bool, tuple[Overruled, ...]]]] = {}
    for item in tuple(in_force):  # all alive at once, so that no two outcomes have one id
        split = splits.get(id(item.likely))
        if split is None:
            likely = item.likely
            holding = {*likely.policies, *(lost.policy for lost in likely.refused)}
            overruled = (it for it in likely.overruled if it.policy != it.by)
            lost_by_policy = grouped((it.policy, it) for it in overruled)
            split = splits[id(likely)] = {
                policy: (policy in holding, tuple(lost_by_policy.get(policy, ())))
                for policy in item.stack
            }
        refused = next((lost.why for lost in item.likely.refused), "")
        for policy, (holds, lost) in split.items():
            share = _Share(item.path, holds, lost, item.likely.unknown, item.is_beyond, refused)
            shares.setdefault(policy, []).append(share)
    return shares


def _sum_up(policy: AttachedPolicy, shares: Sequence[_Share]) -> Programmed:
    """Return the condition of a policy; unknown if it depends on a path that may not exist."""
    condition = _sum_up_sure(policy, shares)
    surely = [share for share in shares if share.path.is_certain]
    if len(surely) < len(shares) and condition.reason != _sum_up_sure(policy, surely).reason:
        path = next(share.path for share in shares if not share.path.is_certain)
        why = f"it depends on whether {path.levels[-1]} is attached, which files can't tell"
        return Programmed(None, Reason.NOT_KNOWN, why)
    return condition


def _sum_up_sure(  # noqa: PLR0911  (one for each reason)
    policy: AttachedPolicy, shares: Sequence[_Share]
) -> Programmed:
    """Return the condition of a policy with these shares; no shares mean that it is on no path."""
    if not shares:
        return _explain_idle(policy)
    name = policy.kind.kind
    unknown = next((share.unknown for share in shares if share.unknown), "")
    if unknown:
        return Programmed(None, Reason.NOT_KNOWN, unknown)
    if all(share.is_beyond and not share.lost for share in shares):
        message = f"{name} is not enforced: its hostnames reach beyond those of their listeners"
        return Programmed(False, Reason.UNKNOWN, message)
    losing = [share for share in shares if share.lost]
    refused = next((share.refused for share in shares if share.refused), "")
    is_first = not (losing and policy.kind.traits.each_alone)
    if refused and is_first and any(share.holds for share in shares):
        message = f"{name} is not programmed: a predicate does not compile: {refused}"
        return Programmed(False, Reason.REFUSED, message)
    if any(share.is_beyond and share.holds for share in shares):
        message = f"{name} is not enforced: nothing is made for hostnames beyond their listeners'"
        return Programmed(False, Reason.UNKNOWN, message)
    if not losing:
        return Programmed(True, Reason.PROGRAMMED, f"{name} is programmed")
    overrulers = _describe_overrulers(losing)
    # GEP-713: overridden is a policy of which no rule is in force, on any path.
    if any(share.holds for share in shares):
        message = f"{name} is partially programmed; overridden {overrulers}"
        return Programmed(True, Reason.PARTIALLY, message)
    return Programmed(False, Reason.OVERRIDDEN, f"{name} is overridden {overrulers}")


def _describe_overrulers(losing: Sequence[_Share]) -> str:
    """Return the overriding policies: `by AuthPolicy a/b on HTTPRoute a/c [rule-1] and 2 more`."""
    places_by_policy: dict[Ref, dict[Ref, None]] = {}
    for share in losing:
        for item in share.lost:
            places_by_policy.setdefault(item.by, {})[share.path.levels[-1]] = None
    texts = []
    for policy, places in sorted(places_by_policy.items()):
        is_one_more = len(places) == _PLACES_SHOWN + 1  # its name is as short as "and 1 more"
        texts.append(f"by {policy} on {listed(list(places), _PLACES_SHOWN + is_one_more)}")
    return "; ".join(texts)


def _explain_idle(policy: AttachedPolicy) -> Programmed:
    """Return the condition `Programmed` of an accepted policy that is on no path."""
    name = policy.kind.kind
    if policy.idle:
        return Programmed(None, Reason.NOT_KNOWN, policy.idle)
    if not policy.row.merged.is_known:
        return Programmed(None, Reason.NOT_KNOWN, policy.row.merged.explain_unknown())
    blocks = read_blocks(policy)
    if all(block.scope is not None for block in blocks):
        message = (
            f"{name} is not enforced yet: no rule of a route that it is attached to has the "
            f"matches in spec.{blocks[0].beside}.rules"
        )
        return Programmed(False, Reason.UNKNOWN, message)
    return Programmed(False, Reason.UNKNOWN, f"{name} is not in the path to any existing routes")


class ReportedCondition(Struct, frozen=True):
    """A condition that a controller defines; `status` is None if it is unknown."""

    type: str
    status: bool | None
    reason: str
    message: str


_InForce = Sequence[EffectivePolicy]
CountedPaths = Sequence[tuple[EffectivePolicy, bool | None]]
"""Effective policies, each with whether its path is ready; None means that this is uncertain."""


def find_controller_conditions(
    policies: Iterable[AttachedPolicy],
    in_force: Iterable[EffectivePolicy],
    programmed: Mapping[tuple[Ref, Ref], Programmed],
    counted: CountedPaths | None = None,
) -> Mapping[tuple[Ref, Ref], tuple[ReportedCondition, ...]]:
    """Return the conditions that controllers define themselves, for each key of `programmed`."""
    in_force = tuple(in_force)
    policies_by_ref = {policy.ref: policy for policy in policies}
    reports = {policy.kind.controller.reports for policy in policies_by_ref.values()}
    of_all = _index_shares(in_force) if Reports.KUADRANT in reports and counted is None else {}
    shares = _index_counted(counted) if counted is not None else of_all
    in_force_by_key = grouped(
        ((ref, item.path.gateway), item) for item in in_force for ref in item.stack
    )
    reported = {}
    for key, condition in programmed.items():
        policy = policies_by_ref.get(key[0])
        report = _REPORTS.get(policy.kind.controller.reports) if policy is not None else None
        if policy is not None and report is not None:
            own = in_force_by_key.get(key, [])
            # Kuadrant writes one condition for all Gateways.
            whole = _sum_up(policy, shares[key[0]]) if key[0] in shares else condition
            if counted is not None and key[0] not in shares and whole.reason is not Reason.UNKNOWN:
                whole = _explain_idle(policy)
            reported[key] = report(policy, own, whole)
    return reported


def _index_counted(counted: CountedPaths) -> Mapping[Ref, list[_Share]]:
    """Return each policy's shares on paths that may be ready, and refused shares on other paths."""
    ready = (
        item if state else replace(item, path=replace(item.path, is_certain=False))
        for item, state in counted
        if state is not False
    )
    shares = _index_shares(ready)
    for policy, others in _index_shares(item for item, state in counted if state is False).items():
        refused = (replace(share, holds=False, lost=()) for share in others if share.refused)
        if policy in shares:
            shares[policy].extend(refused)
    return shares


def _report_kgateway(
    policy: AttachedPolicy, in_force: _InForce, _: Programmed
) -> tuple[ReportedCondition, ...]:
    """Return Attached: whether all, some or none of the merged fields come from the policy."""
    # kgateway merges policies above routes and policies on routes separately. A path on which the
    # policy gives nothing outweighs all others. A Gateway's policy needs no routes.
    if not in_force and not any(map(is_above_routes, policy.targets)):
        message = "it is on no path that files tell of"
        return (ReportedCondition("Attached", None, "Pending", message),)
    unknown = next((item.likely.unknown for item in in_force if item.likely.unknown), "")
    shares = {_find_share(policy, item) for item in in_force if not item.likely.failing}
    if unknown or ("unknown" in shares and "none" not in shares):
        why = f"how much of it is merged with others, {policy.kind.controller.id} alone can tell"
        return (ReportedCondition("Attached", None, "NotKnown", unknown or why),)
    share = next(share for share in _ATTACHED if share in {*shares, "all"})
    return (ReportedCondition("Attached", *_ATTACHED[share]),)


_ATTACHED = {
    "none": (False, "Overridden", "others on its target give all of it"),
    "some": (True, "Merged", "others on its target give a part"),
    "all": (True, "Attached", "all of what is merged is its own"),
}
"""Status, reason and message by share; if shares differ between paths, the first here counts."""


def _find_share(policy: AttachedPolicy, item: EffectivePolicy) -> str:
    side = _is_above(policy.ref, item)
    keys_by_policy: dict[Ref, set[str]] = {}
    for rule in item.likely.rules:
        keys_by_policy.setdefault(rule.policy, set()).add(rule.key)
    for lost in item.likely.overruled:
        if _is_above(lost.policy, item) != _is_above(lost.by, item):
            keys_by_policy.setdefault(lost.policy, set()).add(lost.key)
    same_side = [keys for ref, keys in keys_by_policy.items() if _is_above(ref, item) == side]
    own_keys = keys_by_policy.get(policy.ref, set())
    own_lost = [lost for lost in item.likely.overruled if lost.policy == policy.ref]
    if not own_keys and own_lost:
        is_open = any(_may_be_merged(lost, item) for lost in own_lost)
        return "unknown" if is_open else "none"
    return "all" if own_keys == set().union(*same_side) else "some"


def _may_be_merged(lost: Overruled, item: EffectivePolicy) -> bool:
    """Return whether kgateway may merge both policies, which depends on the kind of listener."""
    # kgateway merges the policies of a Gateway with those of its HTTPS listeners, and keeps the
    # policies of other listeners apart.
    places = {item.targets[item.stack.index(ref)] for ref in (lost.policy, lost.by)}
    return len(places) > 1 and all(map(is_above_routes, places))


def _is_above(policy: Ref, item: EffectivePolicy) -> bool:
    return is_above_routes(item.targets[item.stack.index(policy)])


def _report_agentgateway(
    policy: AttachedPolicy, _: _InForce, __: Programmed
) -> tuple[ReportedCondition, ...]:
    """Return Attached: True if a target exists, even if a Gateway has no routes."""
    if not policy.targets:
        return (ReportedCondition("Attached", False, "Pending", "what it names is not there"),)
    return (ReportedCondition("Attached", True, "Attached", "it is attached"),)


def _report_kuadrant(
    policy: AttachedPolicy, _: _InForce, programmed: Programmed
) -> tuple[ReportedCondition, ...]:
    """Return Enforced, which is `Programmed` of GEP-713 with other reasons."""
    if policy.kind.traits.records is not None or policy.kind.traits.certificates:
        # kuadrant-operator v1.5.2 enforces DNS and TLS policies once all objects are there that it
        # has to make, even if there are none.
        if policy.is_lacking:
            message = "a listener has no certificate, as the policies for it are refused"
            return (ReportedCondition("Enforced", False, Reason.UNKNOWN, message),)
        message = "its records or certificates, if any, are ready"
        return (ReportedCondition("Enforced", True, "Enforced", message),)
    # A policy of limits that is overridden on one path is not enforced at all (v1.5.2).
    reason = "Enforced" if programmed.status else str(programmed.reason)
    if policy.kind.traits.each_alone and programmed.reason is Reason.PARTIALLY:
        return (ReportedCondition("Enforced", False, Reason.UNKNOWN, programmed.message),)
    message = programmed.message.replace("programmed", "enforced")
    if programmed.reason is Reason.NOT_KNOWN:
        message = programmed.message
    return (ReportedCondition("Enforced", programmed.status, reason, message),)


_Report = Callable[[AttachedPolicy, _InForce, Programmed], tuple[ReportedCondition, ...]]
_REPORTS: Mapping[Reports, _Report] = {
    Reports.KGATEWAY: _report_kgateway,
    Reports.AGENTGATEWAY: _report_agentgateway,
    Reports.KUADRANT: _report_kuadrant,
}
