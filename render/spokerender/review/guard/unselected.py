"""Gateways that go because a rule of the placement selects no spoke: nobody may have meant that."""

from collections.abc import Iterable

from msgspec.structs import replace

from spokerender.model import Ref
from spokerender.rendering.values.placement import Decision
from spokerender.review.guard.losses import LostObject, Removal
from spokerender.topology.node import GATEWAY


def guard_unselected(removals: Iterable[Removal], decision: Decision) -> tuple[Removal, ...]:
    """Mark the Gateways that go with such a rule, so that their loss must be acknowledged.

    A Gateway that a rule may have given another name is taken for that rule's.
    """
    reasons: dict[Ref | None, str] = {}
    for rule in decision.idle_rules:
        changes = rule.placed_as
        is_renamed = changes.is_mgc or changes.name is not None or changes.namespace is not None
        refs = (None,) if is_renamed else decision.gateways_of_rule[rule.number]
        reason = f"the rule at {rule.origin}, which places it, selects no spoke"
        reasons.update(dict.fromkeys(refs, reason))
    if not reasons:
        return tuple(removals)
    return tuple(
        replace(removal, lost=tuple(_mark(item, reasons) for item in removal.lost))
        for removal in removals
    )


def is_unselected(item: LostObject) -> bool:
    """Tell whether it is a Gateway that was marked."""
    return bool(item.guarded) and (item.ref.group, item.ref.kind) == GATEWAY


def _mark(item: LostObject, reasons: dict[Ref | None, str]) -> LostObject:
    is_lost = not (item.stays or item.replaced or item.guarded)
    if not is_lost or (item.ref.group, item.ref.kind) != GATEWAY:
        return item
    return replace(item, guarded=reasons.get(item.ref, reasons.get(None, "")))
