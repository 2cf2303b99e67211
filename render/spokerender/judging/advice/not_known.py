"""Kinds of which nobody can tell what is in force: told once a kind, not once a policy.

What their controllers do with several policies is in no source that was read, or the kind is one
that nobody has read. Nothing else is concluded from such policies.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.fleet import FleetView
from spokerender.judging.effective.processes import unknown_kind
from spokerender.model import Ref

Kind = tuple[str, str]


def check(fleet: FleetView) -> Iterator[Result]:
    """Yield a result for each kind, at its first policy, with all spokes that it concerns."""
    first: dict[Kind, Result] = {}
    where: dict[Kind, set[str]] = {}
    for view, spokes in fleet.cases:
        for kind, (policy, why) in _unknown(view).items():
            if kind not in first:
                first[kind] = fleet.told(_told(view, policy, why), spokes)
            where.setdefault(kind, set()).update(spokes)
    for kind, result in sorted(first.items()):
        yield replace(result, spokes=tuple(sorted(where[kind])))


def _unknown(view: SpokeView) -> dict[Kind, tuple[Ref, str]]:
    """The kinds of which something is not known on a spoke: a policy of each, and why.

    It is the first by its name on the hub, which is the same on every spoke.
    """
    targets: dict[Kind, list[tuple[Ref, str]]] = {}
    for effective in view.effective:
        if effective.likely.unknown:
            each = [(policy, effective.likely.unknown) for policy in effective.stack]
            targets.setdefault((effective.group, effective.kind), []).extend(each)
    for policy, attachment in view.policies:
        if attachment.targets and not policy.kind.merged.is_known:
            why = unknown_kind(policy.kind.merged)
            targets.setdefault((policy.ref.group, policy.ref.kind), []).append((policy.ref, why))
    return {
        kind: min(each, key=lambda told: (view.hub(told[0]), told[1]))
        for kind, each in targets.items()
    }


def _told(view: SpokeView, policy: Ref, why: str) -> Result:
    return view.result(
        codes.NOT_KNOWN,
        policy,
        f"what is in force of policies of kind {policy.kind} is not known: {why}",
        "say under policyKinds in fleet.yaml how they come together, if you know; nothing is "
        "concluded from them until then",
    )
