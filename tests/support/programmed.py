"""The condition `Programmed` of policies over all their paths."""

from collections.abc import Iterable

from msgspec.structs import replace

from spokerender.judging.effective.outcomes import AttachedPolicy, EffectivePolicy, Programmed
from spokerender.judging.effective.programmed import find_programmed_by_gateway
from spokerender.model import Ref


def find_programmed(
    policies: Iterable[AttachedPolicy], in_force: Iterable[EffectivePolicy]
) -> dict[Ref, Programmed]:
    """The condition of each policy, as if all paths were those of the first one's gateway."""
    found = tuple(in_force)
    joined = [
        replace(item, path=replace(item.path, gateway=found[0].path.gateway)) for item in found
    ]
    conditions: dict[Ref, Programmed] = {}
    for (policy, _), condition in find_programmed_by_gateway(policies, joined).items():
        conditions.setdefault(policy, condition)
    return conditions
