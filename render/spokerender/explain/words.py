"""Effective rules as text: the credentials that they accept, their limits, their conditions.

Fields without a text are written as they are, so that nothing is left out.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.phrasing import joined
from spokerender.formats.yamlio.emit import flow
from spokerender.judging.effective.constants import write_predicate
from spokerender.judging.effective.guarding import are_fulfilled
from spokerender.judging.effective.outcomes import EffectiveRule, join_rules
from spokerender.judging.effective.rates import read_times
from spokerender.judging.effective.scales import traits_of_policies
from spokerender.kinds.columns import Traits
from spokerender.kinds.fields import REMOVE, Edits, apply_edits, find_values
from spokerender.kinds.kind import Kind
from spokerender.model import grouped
from spokerender.model.memo import remembered
from spokerender.model.shapes import Json, as_list, as_mappings

_LABELS = {"access": "who", "limits": "limit"}


@remembered
def label_rule(kind: Kind, rule: EffectiveRule) -> str:
    """Return the label of a rule: the sort of its restriction, or the policy's kind."""
    traits = traits_of_policies(kind)
    parts = [(part.field, part.about) for part in (*traits.guarding, *traits.besides)]
    # Conditions have no sort of their own, so they get that of the first part.
    conditions = [(name, parts[0][1]) for name in traits.conditions if parts]
    whole = join_rules((rule,))
    for field, about in (*conditions, *parts):
        if about in _LABELS and find_values(whole, field):
            return _LABELS[about]
    return kind.kind


class RuleWords(Struct, frozen=True):
    """A rule as text: the credentials that it requires, and the requests that it lets pass.

    `credentials` have a kind of credential and its issuers. `rates` have a value and the names of
    its fields for number and time; `per` says what is counted separately. `where` says which
    requests the rule is for, `asks` which conditions they must fulfil. `rest` are all other fields.
    """

    credentials: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rates: tuple[tuple[Json, tuple[str, ...]], ...] = ()
    per: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the texts in one line."""
        takes = [f"{kind} of {joined(of)}" if of else kind for kind, of in self.credentials]
        rates = [
            " per ".join(str(read_times(rate.get(key))) for key in keys)
            for rate, keys in self.rates
        ]
        each, asks, where = ("for each ", self.per), ("only if ", self.asks), ("where ", self.where)
        parts = (("", takes), ("", rates), each, asks, where)
        words = " ".join(f"{lead}{joined(items)}" for lead, items in parts if items)
        return ", ".join(filter(None, (words, *self.rest)))


@remembered
def read_words(kind: Kind, rule: EffectiveRule) -> RuleWords:
    """Return the texts for a rule, whose value must have no slots (placeholders)."""
    whole, edits = join_rules((rule,)), Edits()
    words = _take_words(kind.traits, whole, edits)
    # Without any words the rule is written as it is, with its key in front.
    if words == RuleWords():
        return RuleWords(rest=tuple(flatten(rule.value, rule.key)))
    rest = apply_edits(whole, edits)
    # `whole` is the policy; the rest is wanted of this rule only.
    for step in rule.path:
        rest = rest.get(str(step)) if isinstance(rest, dict) else None
    return replace(words, rest=tuple(flatten(_prune(rest))) if rest else ())


def _take_words(traits: Traits, whole: dict[str, Any], edits: Edits) -> RuleWords:
    """Return the texts for fields of `whole`; `edits` gets a removal of each of these fields."""

    def take(pattern: str) -> Iterator[Any]:
        for path, value in find_values(whole, pattern):
            # Removed as soon as it is in words, so that the rest has no field twice.
            edits[path] = REMOVE
            yield value

    checks = [
        (
            str(check.takes),
            tuple(str(own) for _, own in (find_values(value, check.of) if check.of else ())),
        )
        for check in traits.checks
        for value in take(check.field)
    ]
    rates = [
        (rate, scale.rate)
        for scale in traits.scales
        if scale.rate
        for value in take(scale.field)
        # A rate may be a list of rates or a single one.
        for rate in as_mappings(as_list(value) or [value])
    ]
    per = take(traits.counters.each) if traits.counters is not None else ()
    patterns = [("where", name) for name in traits.conditions if traits.guarding]
    for part in (*traits.guarding, *traits.besides):
        # An opening that is fulfilled takes the part's restriction away.
        if any(are_fulfilled(whole, opening) for opening in part.unless):
            continue
        for word, names in (("asks", part.asks), ("where", part.when)):
            patterns += [(word, f"{part.rules or part.field}.{name}") for name in names]
    conditions = grouped(
        (word, write_predicate(each) or flow(each))
        for word, pattern in patterns
        for value in take(pattern)
        for each in as_list(value) or [value]
    )
    texts = {word: tuple(each) for word, each in conditions.items()}
    return RuleWords(tuple(checks), tuple(rates), tuple(map(str, per)), **texts)


def flatten(value: Json, place: str = "") -> Iterator[str]:
    """Yield the fields of a value, each as path and value."""
    if isinstance(value, dict) and (value or not place):
        for key, item in value.items():
            yield from flatten(item, f"{place}.{key}" if place else key)
    else:
        yield f"{place}: {flow(value)}"


def _prune(value: Json) -> Json:
    """Return a value without empty mappings and lists inside."""
    if isinstance(value, dict):
        return {key: left for key, item in value.items() if (left := _prune(item)) not in ({}, [])}
    return list(filter(None, map(_prune, value))) if isinstance(value, list) else value
