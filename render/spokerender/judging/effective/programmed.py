"""The condition `Programmed`: whether what an accepted policy says is in force where it applies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from spokerender.findings.phrasing import listed
from spokerender.judging.effective.declared import declared
from spokerender.judging.effective.model import (
    AttachedPolicy,
    EffectivePolicy,
    Outcome,
    Overruled,
    Programmed,
    Reason,
)
from spokerender.judging.effective.processes import unknown_kind
from spokerender.model import Ref
from spokerender.topology.node import GATEWAY
from spokerender.topology.paths import RequestPath

_MOST_PLACES = 3
"""How many places a message names: a status is for reading."""


class _Share(Struct, frozen=True):
    """What of a policy is in force on one path, and what overrules the rest of it there.

    `unknown` says why nobody can tell, where nobody can. `is_beyond` is set where the controller
    carries nothing out for the path's hostnames.
    """

    path: RequestPath
    holds: bool
    lost: tuple[Overruled, ...]
    unknown: str = ""
    is_beyond: bool = False


def programmed(
    policies: Iterable[AttachedPolicy], in_force: Iterable[EffectivePolicy]
) -> Mapping[Ref, Programmed]:
    """The condition of each policy, over all paths."""
    given, shares = tuple(policies), _shares(in_force)
    return {
        policy.ref: _told(policy, shares[policy.ref]) if policy.ref in shares else _idle(policy)
        for policy in given
    }


def programmed_on(
    policies: Iterable[AttachedPolicy], in_force: Iterable[EffectivePolicy]
) -> Mapping[tuple[Ref, Ref], Programmed]:
    """The condition of each policy for each Gateway on whose paths it is, by both.

    And for each target that is a Gateway on whose paths it is not, or any if it is on no path:
    GEP-713 gives every accepted policy this condition.
    """
    shares = _shares(in_force)
    result = {}
    for policy in policies:
        gateways: dict[Ref, list[_Share]] = {}
        for share in shares.get(policy.ref, ()):
            gateways.setdefault(share.path.gateway, []).append(share)
        for gateway, those in gateways.items():
            result[policy.ref, gateway] = _told(policy, those)
        for target in {target.whole for target in policy.targets} - gateways.keys():
            if not gateways or (target.group, target.kind) == GATEWAY:
                result[policy.ref, target] = _idle(policy)
    return result


def _shares(in_force: Iterable[EffectivePolicy]) -> Mapping[Ref, list[_Share]]:
    shares: dict[Ref, list[_Share]] = {}
    parts_of: dict[int, Mapping[Ref, tuple[bool, tuple[Overruled, ...]]]] = {}
    for item in tuple(in_force):  # all alive at once, so that no two outcomes have one id
        each = parts_of.get(id(item.likely))
        if each is None:
            each = parts_of[id(item.likely)] = _by_policy(item.stack, item.likely)
        for policy, (holds, lost) in each.items():
            share = _Share(item.path, holds, lost, item.likely.unknown, item.is_beyond)
            shares.setdefault(policy, []).append(share)
    return shares


def _by_policy(
    stack: Sequence[Ref], outcome: Outcome
) -> Mapping[Ref, tuple[bool, tuple[Overruled, ...]]]:
    holding = set(outcome.policies)
    return {
        policy: (
            policy in holding,
            tuple(
                item for item in outcome.overruled if policy == item.policy and policy != item.by
            ),
        )
        for policy in stack
    }


def _told(policy: AttachedPolicy, shares: Sequence[_Share]) -> Programmed:
    """Overridden is what no rule is in force of, on any path (GEP-713)."""
    name = policy.kind.kind
    unknown = next((share.unknown for share in shares if share.unknown), "")
    if unknown:
        return Programmed(None, Reason.NOT_KNOWN, unknown)
    losing = [share for share in shares if share.lost]
    if all(share.is_beyond for share in shares):
        message = f"{name} is not enforced: its hostnames reach beyond those of their listeners"
        return Programmed(False, Reason.UNKNOWN, message)
    if not losing:
        return Programmed(True, Reason.PROGRAMMED, f"{name} is programmed")
    places = _by_overruler(losing)
    if any(share.holds for share in shares):
        return Programmed(
            True, Reason.PARTIALLY, f"{name} is partially programmed; overridden {places}"
        )
    return Programmed(False, Reason.OVERRIDDEN, f"{name} is overridden {places}")


def _by_overruler(losing: Sequence[_Share]) -> str:
    """Who overrides it and where: `by AuthPolicy a/b on HTTPRoute a/c [rule-1] and 2 more`."""
    where: dict[Ref, dict[Ref, None]] = {}
    for share in losing:
        for item in share.lost:
            where.setdefault(item.by, {})[share.path.levels[-1]] = None
    return "; ".join(f"by {by} on {_some(list(places))}" for by, places in sorted(where.items()))


def _some(places: Sequence[Ref]) -> str:
    more = len(places) - _MOST_PLACES
    if more <= 1:
        return ", ".join(map(str, places))
    return listed(places, _MOST_PLACES)


def _idle(policy: AttachedPolicy) -> Programmed:
    """A policy on no path: no route is there, or none with the matches that it repeats.

    What a policy without a target applies to (Istio: a whole namespace) is not computed.
    """
    name = policy.kind.kind
    if not policy.targets:
        message = f"{name} names no target, so where it is in force is not computed"
        return Programmed(False, Reason.UNKNOWN, message)
    if not policy.row.merged.is_known:
        return Programmed(None, Reason.NOT_KNOWN, unknown_kind(policy.row.merged))
    blocks = declared(policy)
    if all(block.scope is not None for block in blocks):
        message = (
            f"{name} is not enforced yet: no rule of a route that it is attached to has the "
            f"matches in spec.{blocks[0].beside}.rules"
        )
        return Programmed(False, Reason.UNKNOWN, message)
    return Programmed(False, Reason.UNKNOWN, f"{name} is not in the path to any existing routes")
