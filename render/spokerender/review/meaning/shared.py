"""Answers about pairs of values of two states, worked out once for all spokes that have both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.formats.comparing import Change, changes, fingerprint, is_same_json
from spokerender.judging.effective.outcomes import PolicyOutcome
from spokerender.judging.effective.ranking import Shift
from spokerender.judging.effective.rule_changes import compare_rules
from spokerender.kinds.kind import Kind
from spokerender.kinds.table import list_maps
from spokerender.rendering.values.bundles import Bundle, Filler

_Values = tuple[str, ...]
"""Texts that two outcomes share if they are the same, whatever their policies are called."""
_JsonObject = Mapping[str, Any]


class SharedAnswersOfPairs:
    """The answers so far; values are known by their ids, and kept."""

    def __init__(self) -> None:
        self._filler = Filler()
        self._values: dict[int, tuple[PolicyOutcome, _Values]] = {}
        self._same: dict[tuple[int, int], tuple[object, object, bool]] = {}
        self._fields: dict[tuple[int, int], tuple[object, object, tuple[Change, ...]]] = {}
        self._ranks: dict[tuple[int, int, int], tuple[object, tuple[Shift, ...]]] = {}

    def list_values(self, outcome: PolicyOutcome) -> _Values:
        """Return what tells whether two outcomes are the same."""
        entry = self._values.get(id(outcome))
        if entry is None:
            entry = self._values[id(outcome)] = outcome, _list_values(outcome)
        return entry[1]

    def is_same(self, old: _JsonObject, new: _JsonObject) -> bool:
        """Tell whether two objects are the same."""
        key = id(old), id(new)
        if key not in self._same:
            self._same[key] = old, new, is_same_json(old, new)
        return self._same[key][2]

    def list_fields(self, old: _JsonObject, new: _JsonObject) -> tuple[Change, ...]:
        """Return the fields in which two objects differ."""
        key = id(old), id(new)
        if key not in self._fields:
            self._fields[key] = old, new, changes(old, new, list_maps(new))
        return self._fields[key][2]

    def rank(
        self, spoke: Bundle, kind: Kind, before: PolicyOutcome, after: PolicyOutcome
    ) -> tuple[Shift, ...]:
        """Rank two outcomes with the values of a spoke."""
        old, new = (self._filler.fill(side.rules, spoke) for side in (before, after))
        key = id(kind), id(old), id(new)
        if key not in self._ranks:
            self._ranks[key] = (kind, old, new), compare_rules(kind, old, new)
        return self._ranks[key][1]

    def has_values_of(self, spoke: Bundle, before: PolicyOutcome, after: PolicyOutcome) -> bool:
        """Tell whether the rules of two outcomes have other values on other spokes."""
        rules = (before.rules, after.rules)
        return any(self._filler.fill(side, spoke) is not side for side in rules)


def _list_values(outcome: PolicyOutcome) -> _Values:
    rules = outcome.rules or outcome.candidates
    values = sorted(f"{rule.key}={fingerprint(rule.value)}" for rule in rules)
    # Rules that are entries of a list and have names may count in their order.
    placed = [(rule.field[-1], rule.key) for rule in rules if isinstance(rule.field[-1], int)]
    order = ",".join(key for _, key in sorted(placed))
    return (outcome.unknown and "unknown", outcome.failing, order, *values)
