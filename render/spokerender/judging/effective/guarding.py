"""Measures how far the effective policies restrict access (`Traits.guarding`)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.effective import outcomes
from spokerender.judging.effective.blocks import PolicyBlock
from spokerender.judging.effective.constants import Vain, find_truth, find_vain, is_for_everybody
from spokerender.kinds.columns import NOTHING, FieldCondition, Guarding, Traits
from spokerender.kinds.fields import REMOVE, apply_edits, find_values, read_value
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Process
from spokerender.model import FieldPath, grouped, shown
from spokerender.model.shapes import Json, as_list, as_mapping, as_text

ANY_RULE = Guarding("*")
"""The part of a kind without guarding parts in its row: each of its rules restricts access."""
_FULL = 2
_MOST_CONDITIONS = 2_000


class Strength(Struct, frozen=True):
    """The extent to which policies restrict access on a path.

    `parts` is the sum over the fields that restrict access: 2 for each, but 1 for a field that
    lapses, or that refuses some callers and admits all others. `whole` is True if one of the fields
    restricts every request. `rules` has the conditions of each restricting rule, and None for a
    rule that restricts nothing: it never applies, or it lets everybody pass.
    """

    parts: int = 0
    whole: bool = False
    rules: Mapping[str, frozenset[str] | None] = {}

    def covers(self, other: "Strength") -> bool:
        """Return whether this protection is at least as strong as `other`."""
        return self.parts >= other.parts and self.whole >= other.whole


NO_STRENGTH = Strength()


def guards(kind: Kind, outcome: outcomes.PolicyOutcome) -> bool:
    """Return whether an effective rule restricts access."""
    return measure_rules(kind, outcome.rules).parts > 0


def opens(kind: Kind, outcome: outcomes.PolicyOutcome) -> bool:
    """Return whether an effective rule admits every caller, as its author intended."""
    whole = outcomes.join_rules(outcome.rules)
    return any(
        find_values(whole, part.field) and not _is_closed(part, whole)
        for part in kind.traits.guarding
    )


def measure_outcome(kind: Kind, outcome: outcomes.PolicyOutcome) -> Strength:
    """Return the strength of the rules in force; if unknown, of all rules that may be in force."""
    return measure_rules(kind, outcome.asked)


def measure_rules(kind: Kind, rules: Iterable[outcomes.EffectiveRule]) -> Strength:
    """Return the strength of the rules of a kind that are in force on a path.

    If a kind's policies apply side by side (`Process.ALL`), the strongest policy counts.
    """
    if kind.merged.process is not Process.ALL:
        return measure_spec(kind.traits, outcomes.join_rules(rules))
    by_policy = grouped((rule.policy, rule) for rule in rules)
    specs = [outcomes.join_rules(item) for item in by_policy.values()]
    # A policy that admits everybody does so whatever the other policies of the part ask.
    guarding = kind.traits.guarding
    closed = tuple(
        it for it in guarding if it.beside != "any" or not any(lets_all_in(it, s) for s in specs)
    )
    if guarding and not closed:
        return NO_STRENGTH
    traits = kind.traits if closed == guarding else replace(kind.traits, guarding=closed)
    strengths = [measure_spec(traits, spec) for spec in specs]
    return max(strengths, key=lambda item: (item.parts, item.whole), default=NO_STRENGTH)


def measure_alone(policy: outcomes.AttachedPolicy, blocks: Iterable[PolicyBlock]) -> Strength:
    """Return the strength of one policy by itself: all its restrictions, not only of access."""
    traits = policy.kind.traits
    guarding = (*traits.guarding, *traits.besides) if traits.guarding else ()
    rules = (
        outcomes.EffectiveRule(path, rule.value, policy.ref, ())
        for block in blocks
        for path, rule in block.rules.items()
    )
    return measure_rules(replace(policy.kind, traits=replace(traits, guarding=guarding)), rules)


def measure_spec(traits: Traits, whole: Mapping[str, Any]) -> Strength:
    """Return the strength of the spec `whole`: a policy's rules, without targets and strategy."""
    whole = expand_named(traits, whole)
    conditions = read_conditions(whole, traits.conditions)
    apart = {pattern.removesuffix("[]") for pattern in traits.conditions}
    closed, rules = 0, dict[str, frozenset[str] | None]()
    for part in traits.guarding or (ANY_RULE,):
        own = dict(measure_part(part, whole))
        own = {name: own[name] for name in own if name not in apart}
        if any(each is not None for each in own.values()):
            closed += 1 if _lapses(part, whole) or _is_off(part, whole) else _FULL
        # Two parts may have one field, and then the part that restricts counts.
        rules.update(
            {name: own[name] for name in own if own[name] is not None or name not in rules}
        )
    if conditions is None:
        return Strength(rules=dict.fromkeys(rules))
    joined = {name: own if own is None else own | conditions for name, own in rules.items()}
    return Strength(closed, any(own is not None and not own for own in joined.values()), joined)


def _lapses(part: Guarding, whole: Mapping[str, Any]) -> bool:
    return part.lapses is not None and are_fulfilled(whole, (part.lapses,))


def drop_idle(traits: Traits, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a policy's rules without the named rules that never apply and the fields never read.

    References to named conditions are replaced by the conditions.
    """
    whole = expand_named(traits, whole)
    unread = {
        path: REMOVE
        for pattern, condition in traits.unread
        if are_fulfilled(whole, (condition,))
        for path, _ in find_values(whole, pattern)
    }
    idle = {
        path: REMOVE
        for part in (*traits.guarding, *traits.besides)
        if part.several in ("all", "any")
        for path, rule in find_values(whole, part.rules)
        if isinstance(path[-1], str) and read_conditions(rule, part.when) is None
    }
    edits = {**idle, **unread}
    return apply_edits(whole, edits) if edits else whole


def expand_named(traits: Traits, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a policy's rules, in which named conditions replace the references to them.

    Only the first `_MOST_CONDITIONS` conditions are inserted; further references are unchanged.
    """
    field, key, entries = traits.named
    named = as_mapping(whole.get(field))
    if not named:
        return whole
    left = _MOST_CONDITIONS

    def expand(value: Json) -> Json:
        nonlocal left
        if isinstance(value, list):
            return [expand(item) for item in value]
        if not isinstance(value, Mapping):
            return value
        name = as_text(value.get(key))
        if name and name in named:
            conditions = as_list(as_mapping(named[name]).get(entries))
            left -= 1 + len(conditions)
            # Hostile input could refer to a long list from many places.
            return value if left < 0 else {"all": conditions}
        return {name: expand(item) for name, item in value.items()}

    expanded = {name: expand(item) for name, item in whole.items() if name != field}
    return expanded if left >= 0 else {field: named, **expanded}


def measure_part(
    part: Guarding, whole: Mapping[str, Any]
) -> Iterator[tuple[str, frozenset[str] | None]]:
    """Yield each rule in a restricting field with its conditions, or with None if it is void."""
    is_closed = _is_closed(part, whole)
    for path, rule in find_values(whole, part.rules or part.field):
        # A rule that denies without conditions denies everybody.
        is_hollow = part.rules and part.beside != "all" and _is_hollow(rule)
        is_hollow = is_hollow or any(are_fulfilled(rule, each) for each in part.void)
        is_void = not is_closed or is_hollow or _lets_all_pass(part, rule)
        yield shown(path), None if is_void else read_conditions(rule, part.when)


def _is_hollow(rule: Json) -> bool:
    """Return whether a rule has only empty lists, such as a limit without rates."""
    # `dict` first: a check against the abstract class alone is slow, and specs have many mappings.
    if isinstance(rule, (dict, Mapping)):
        return bool(rule) and all(map(_is_hollow, rule.values()))
    return bool(rule == [])


def read_conditions(data: Json, patterns: Iterable[str]) -> frozenset[str] | None:
    """Return as texts the conditions in `data` that may not hold; None if one never holds."""
    values = [value for pattern in patterns for _, value in find_values(data, pattern)]
    truths = list(map(find_truth, values))
    if False in truths:
        return None
    return frozenset(repr(v) for v, truth in zip(values, truths, strict=True) if not truth)


def _lets_all_pass(part: Guarding, rule: Json) -> bool:
    """Return whether a rule lets every request pass, by conditions that are always true."""
    asked = [find_truth(v) for pattern in part.asks for _, v in find_values(rule, pattern)]
    if asked and all(asked):
        return True
    texts = [find_truth(v) for pattern in part.lets for _, v in find_values(rule, pattern)]
    if part.denying and are_fulfilled(rule, part.denying):
        return bool(texts) and all(truth is False for truth in texts)
    return any(texts)


def _is_closed(part: Guarding, whole: Mapping[str, Any]) -> bool:
    if all(value == "" for _, value in find_values(whole, part.field)):
        return False
    is_off = _is_off(part, whole) and not _refuses_some(part, whole)
    return not (is_off or lets_all_in(part, whole))


def _is_off(part: Guarding, whole: Mapping[str, Any]) -> bool:
    return any(are_fulfilled(whole, opening) for opening in part.unless)


def _refuses_some(part: Guarding, whole: Mapping[str, Any]) -> bool:
    """Return whether a rule in a restricting field (`part`) refuses the requests it matches."""
    kinds = part.everybody
    if kinds is None or kinds.given is None:
        return False
    rules = find_values(whole, kinds.rules)
    return any(not are_fulfilled(rule, (kinds.given,)) for _, rule in rules)


def lets_all_in(part: Guarding, whole: Mapping[str, Any]) -> bool:
    """Return whether a rule of a part applies to every request and admits it (`Everybody`)."""
    kinds = part.everybody
    if kinds is None or not are_fulfilled(whole, kinds.where):
        return False
    return is_for_everybody(whole, kinds)


def list_vain(traits: Traits, whole: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str, bool]]:
    """Yield each field that restricts nothing in fact, the reason, and whether that is certain.

    Rules without any condition are left out, as they admit everybody on purpose.
    """
    written, whole = whole, expand_named(traits, whole)
    for part in traits.guarding:
        if _lapses(part, whole) and measure_spec(traits, whole).parts < _FULL:
            yield tuple(part.field.split(".")), "lets requests pass that it can't check", False
        yield from _list_vain_rules(part, written, whole)
        kinds = part.everybody
        if kinds is None or _is_off(part, whole):
            continue
        meant = replace(kinds, rules="rule")
        for path, rule in (
            find_values(whole, kinds.rules) if are_fulfilled(whole, kinds.where) else ()
        ):
            if rule != {} and is_for_everybody({"rule": rule}, meant):
                is_whole = is_for_everybody({"rule": rule}, replace(meant, exceptions=()))
                but = "" if is_whole else " but those that it excludes"
                yield path, f"is for every request{but}", False


def _list_vain_rules(
    part: Guarding, written: Json, whole: Mapping[str, Any]
) -> Iterator[tuple[FieldPath, str, bool]]:
    asking = part.asks if part.denying else (*part.asks, *part.lets)
    for path, rule in find_values(whole, part.rules or part.field):
        if any(are_fulfilled(rule, each) for each in part.void):
            yield path, "restricts no request", False
        for place, asked in ((at, v) for name in asking for at, v in find_values(rule, name)):
            vain = find_vain(asked)
            # A rule that only names a condition does not say that it is true.
            if find_truth(asked) and read_value(written, (*path, *place)) != asked:
                vain = Vain.ALWAYS
            if vain is not None:
                yield (*path, *place), vain.value, vain is Vain.ALWAYS


def are_fulfilled(whole: Json, conditions: Iterable[FieldCondition]) -> bool:
    """Return whether all conditions on fields are fulfilled."""
    return all(_has_value(whole, pattern, values) for pattern, values in conditions)


def _has_value(whole: Json, pattern: str, values: tuple[Any, ...]) -> bool:
    """Return whether a field has one of the `values`; None in `values` is for an absent field."""
    existing = [NOTHING if value in ({}, []) else value for _, value in find_values(whole, pattern)]
    if not values:
        return bool(existing)
    return any(value in values for value in existing) if existing else None in values
