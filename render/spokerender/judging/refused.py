"""Finds CEL predicates that Kuadrant's operator refuses.

If one predicate does not compile, the operator leaves the policies of its kind out of the plugin's
configuration for the path, and requests pass as if these policies did not exist (kuadrant-operator
v1.5.2, istio_extension_reconciler.go, buildWasmConfigs).
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from spokerender.judging.effective.outcomes import (
    EffectivePolicy,
    Overruled,
    PolicyOutcome,
    derive_rule,
)
from spokerender.judging.judgement import KindInForce
from spokerender.kinds.kind import Kind
from spokerender.model.memo import remembered
from spokerender.model.shapes import as_list, as_mapping, as_text
from spokerender.model.slots import has_slot

_REQUEST = ("connection", "destination", "request", "source")
_PREDICATE = "predicate"


def leave_out_refused(kinds: Iterable[KindInForce]) -> Iterator[KindInForce]:
    """Yield effective policies by kind, without the rules that Kuadrant's operator refuses.

    A predicate may use variables of kinds that come before on the path, such as `auth`.
    """
    before: list[KindInForce] = []
    for each in sorted(kinds, key=lambda each: each.row.kind):
        row = each.row
        distinct = {id(item.likely): item.likely for item in each.effective}
        is_sound = not row.merged.variable or all(_is_sound(it, row) for it in distinct.values())
        effective = () if is_sound else tuple(_leave_out(it, row, before) for it in each.effective)
        yield each if is_sound else replace(each, effective=effective)
        before.append(each)


def _leave_out(item: EffectivePolicy, row: Kind, before: Sequence[KindInForce]) -> EffectivePolicy:
    names = (
        kind.policies[0].row.merged.variable
        for kind in before
        if any(other.path == item.path for other in kind.effective)
    )
    refused = tuple(_list_refused(item.likely, row, tuple(filter(None, names))))
    if not refused:
        return item
    keys = {lost.key for lost in refused}
    is_whole = row.merged.condition in keys or not row.traits.each_alone
    why = "a predicate beside it does not compile"
    others = (
        Overruled(rule.policy, rule.key, rule.policy, why, rule.field, is_refused=True)
        for rule in item.likely.rules
        if is_whole and rule.key not in keys
    )
    rules = () if is_whole else (rule for rule in item.likely.rules if rule.key not in keys)
    likely = PolicyOutcome(tuple(rules), (*item.likely.overruled, *refused, *others))
    return replace(item, likely=likely)


@remembered
def _is_sound(outcome: PolicyOutcome, row: Kind) -> bool:
    return not any(_list_refused(outcome, row, ()))


def _list_refused(outcome: PolicyOutcome, row: Kind, more: tuple[str, ...]) -> Iterator[Overruled]:
    """Yield the rules with a predicate that does not compile; `more` are variables that exist."""
    names = (*_REQUEST, row.merged.variable, *more)
    for rule in outcome.rules:
        when = row.merged.condition
        where = () if rule.key == when else (when,)
        if where and row.traits.counters is None:
            continue  # Authorino compiles those of an AuthPolicy's rules.
        derived = derive_rule(rule, row)
        value = derived.value if derived is not None else None
        listed = as_mapping(value).get(when) if where else value
        for number, entry in enumerate(as_list(listed)):
            text = as_text(as_mapping(entry).get(_PREDICATE))
            if text and not has_slot(text):
                from spokerender.formats.cel.requests import explain_predicate  # noqa: PLC0415  (the library is slow to start)

                place = (*where, number) if derived is rule else ()
                field = (*rule.field, *place, _PREDICATE)
                if why := explain_predicate(text, names):
                    yield Overruled(rule.policy, rule.key, rule.policy, why, field, is_refused=True)
