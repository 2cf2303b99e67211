"""Errors in effective policies: requests fail, or the controller omits the faulty field."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from spokerender.judging.effective import outcomes
from spokerender.judging.effective.blocks import PolicyBlock
from spokerender.kinds.fields import find_opened, overlap
from spokerender.kinds.merging import Merging
from spokerender.model import FieldPath


def settle_errors(
    merging: Merging, in_force: Iterable[PolicyBlock], outcome: outcomes.PolicyOutcome
) -> outcomes.PolicyOutcome:
    """Return the outcome after policies' errors: `failing` is set, or faulty rules are removed."""
    if not merging.fails:
        return replace(outcome, failing="")
    failures = dict(_list_failures(in_force, outcome))
    spec = outcomes.join_rules(outcome.rules)
    opened = {path: find_opened(merging.opens, spec, path[1:]) for path in failures}
    if failures and not outcome.failing and all(opened.values()):
        return _leave_out(outcome, {part: failures[path] for path, part in opened.items()})
    return replace(outcome, failing=next(iter(failures.values()), outcome.failing))


def _list_failures(
    in_force: Iterable[PolicyBlock], outcome: outcomes.PolicyOutcome
) -> Iterator[tuple[FieldPath, str]]:
    """Yield the errors (field and reason) in fields that no other policy has replaced."""
    for block in in_force:
        fields = [rule.field for rule in outcome.rules if rule.policy == block.policy]
        for path, why in block.failures:
            if any(overlap(field, path) for field in fields):
                yield path, why


def _leave_out(
    outcome: outcomes.PolicyOutcome, parts: Mapping[FieldPath, str]
) -> outcomes.PolicyOutcome:
    """Return the outcome without the faulty `parts`: rules, or entries of rules, with reasons."""
    rules, left_out = list[outcomes.EffectiveRule](), list[outcomes.Overruled]()
    for rule in outcome.rules:
        own = {part: why for part, why in parts.items() if overlap(rule.path, part)}
        if not own:
            rules.append(rule)
            continue
        why = next(iter(own.values()))
        left_out.append(outcomes.Overruled(rule.policy, rule.key, rule.policy, why))
        entries = {part[-1] for part in own if len(part) > len(rule.path)}
        if isinstance(rule.value, list) and entries:
            left = [item for number, item in enumerate(rule.value) if number not in entries]
            rules += [replace(rule, value=left)] if left else []
    return replace(outcome, rules=tuple(rules), overruled=(*outcome.overruled, *left_out))
