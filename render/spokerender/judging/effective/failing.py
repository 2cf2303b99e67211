"""Errors in policies on a path: requests fail there, or the field of an error is left out."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from spokerender.judging.effective.blocks import PolicyBlock
from spokerender.judging.effective.outcomes import Overruled, PolicyOutcome
from spokerender.judging.effective.strategies import overlap
from spokerender.kinds.merging import Merging
from spokerender.model import FieldPath
from spokerender.model.shapes import as_mapping


def find_failing(
    merging: Merging, in_force: Iterable[PolicyBlock], outcome: PolicyOutcome
) -> PolicyOutcome:
    """Return what is in force, with what makes requests fail, if anything does."""
    if not merging.fails:
        return replace(outcome, failing="")
    failures = dict(_list_failures(in_force, outcome))
    why = next(iter(failures.values()), "")
    if why and not outcome.failing and _fails_open(merging, outcome, failures):
        return _leave_out(merging, outcome, why)
    return replace(outcome, failing=why or outcome.failing)


def _list_failures(
    in_force: Iterable[PolicyBlock], outcome: PolicyOutcome
) -> Iterator[tuple[FieldPath, str]]:
    """Yield why requests fail: what a policy has wrong counts where no other one took its place."""
    for block in in_force:
        fields = [rule.field for rule in outcome.rules if rule.policy == block.policy]
        for path, why in block.failures:
            if any(overlap(field, path) for field in fields):
                yield path, why


def _fails_open(merging: Merging, outcome: PolicyOutcome, failures: Iterable[FieldPath]) -> bool:
    """Tell whether all that is wrong is in a field that is left out then, by a switch in it."""
    if merging.opens is None:
        return False
    field, switch = merging.opens
    values = {rule.path: rule.value for rule in outcome.rules}
    is_on = values.get((field, switch), as_mapping(values.get((field,))).get(switch)) is True
    return is_on and all(path[1:2] == (field,) for path in failures)


def _leave_out(merging: Merging, outcome: PolicyOutcome, why: str) -> PolicyOutcome:
    """Return what is in force without the field of which something is wrong."""
    field = (merging.opens or ())[:1]
    left_out = tuple(
        Overruled(rule.policy, rule.key, rule.policy, why)
        for rule in outcome.rules
        if rule.path[:1] == field
    )
    rules = tuple(rule for rule in outcome.rules if rule.path[:1] != field)
    return replace(outcome, rules=rules, overruled=(*outcome.overruled, *left_out))
