"""Rules in force in words: the credentials they take, how many requests pass, who is let in.

Fields for which there are no words are written as they are, so that nothing is left out.
"""

from collections.abc import Iterator
from typing import Any

from spokerender.findings.phrasing import joined
from spokerender.formats.yamlio.emit import flow
from spokerender.judging.effective.constants import write_predicate
from spokerender.judging.effective.guarding import are_fulfilled
from spokerender.judging.effective.outcomes import EffectiveRule, join_rules
from spokerender.judging.effective.rates import read_times
from spokerender.judging.effective.scales import traits_of_policies
from spokerender.kinds.columns import CredentialCheck, Traits
from spokerender.kinds.fields import REMOVE, Edits, apply_edits, find_values
from spokerender.kinds.kind import Kind
from spokerender.model import grouped
from spokerender.model.shapes import Json, as_list, as_mappings

_LABELS = {"access": "who", "limits": "limit"}


def label_rule(kind: Kind, rule: EffectiveRule) -> str:
    """Return the label for a rule: what it restricts, or the kind of its policy."""
    traits = traits_of_policies(kind)
    parts = [(part.field, part.about) for part in (*traits.guarding, *traits.besides)]
    conditions = [(name, parts[0][1]) for name in traits.conditions if parts]
    whole = join_rules((rule,))
    for field, about in (*conditions, *parts):
        if about in _LABELS and find_values(whole, field):
            return _LABELS[about]
    return kind.kind


def describe_rule(kind: Kind, rule: EffectiveRule) -> str:
    """Describe a rule, whose value has no slots; what has no words by its fields."""
    whole, edits = join_rules((rule,)), Edits()
    words = " ".join(_write_words(kind.traits, whole, edits))
    if not words:
        return ", ".join(flatten(rule.value, rule.key))
    rest = apply_edits(whole, edits)
    for step in rule.path:
        rest = rest.get(str(step)) if isinstance(rest, dict) else None
    return ", ".join([words, *(flatten(_prune(rest)) if rest else ())])


def _write_words(traits: Traits, whole: dict[str, Any], edits: Edits) -> Iterator[str]:
    """Yield the words for fields, and have `edits` take these away."""

    def take(pattern: str) -> Iterator[Any]:
        for path, value in find_values(whole, pattern):
            edits[path] = REMOVE
            yield value

    checks = [
        _write_credential(check, value) for check in traits.checks for value in take(check.field)
    ]
    rates = [
        " per ".join(str(read_times(rate.get(key))) for key in scale.rate)
        for scale in traits.scales
        if scale.rate
        for value in take(scale.field)
        for rate in as_mappings(as_list(value) or [value])
    ]
    yield from map(joined, filter(None, (checks, rates)))
    if traits.counters is not None and (each := list(take(traits.counters.each))):
        yield f"for each {joined(each)}"
    patterns = [("where", name) for name in traits.conditions if traits.guarding]
    for part in (*traits.guarding, *traits.besides):
        if any(are_fulfilled(whole, opening) for opening in part.unless):
            continue
        for word, names in (("only if", part.asks), ("where", part.when)):
            patterns += [(word, f"{part.rules or part.field}.{name}") for name in names]
    conditions = grouped(
        (word, write_predicate(each) or flow(each))
        for word, pattern in patterns
        for value in take(pattern)
        for each in as_list(value) or [value]
    )
    yield from (f"{word} {joined(texts)}" for word, texts in conditions.items())


def _write_credential(check: CredentialCheck, value: Json) -> str:
    owners = [str(own) for _, own in find_values(value, check.of)] if check.of else []
    return f"{check.takes} of {joined(owners)}" if owners else check.takes


def flatten(value: Json, place: str = "") -> Iterator[str]:
    """Yield the fields of a value, each as its path and what is there."""
    if isinstance(value, dict) and (value or not place):
        for key, item in value.items():
            yield from flatten(item, f"{place}.{key}" if place else key)
    else:
        yield f"{place}: {flow(value)}"


def _prune(value: Json) -> Json:
    """Return a value without mappings and lists in it of which nothing is left."""
    if isinstance(value, dict):
        return {key: left for key, item in value.items() if (left := _prune(item)) not in ({}, [])}
    return list(filter(None, map(_prune, value))) if isinstance(value, list) else value
