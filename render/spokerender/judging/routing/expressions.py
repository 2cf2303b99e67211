"""The regular expressions of a rule's matches: whether they are in RE2's syntax."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spokerender.model.shapes import as_mappings, as_text

_RULE = "''.matches(self) in [true, false]"
_TYPE = "RegularExpression"
_FIELDS = ("value", "service", "method")
"""The fields of an entry that are expressions, if its type says so."""

_Holds = Callable[[str, Any], bool]
"""Evaluates a CEL rule on a value."""


def is_expression(holds: _Holds, entry: Mapping[str, Any]) -> bool:
    """Tell whether the values of an entry are expressions, if they have to be."""
    if entry.get("type") != _TYPE:
        return True
    return all(holds(_RULE, as_text(entry.get(field))) for field in _FIELDS)


def are_expressions(holds: _Holds, rule: Mapping[str, Any]) -> bool:
    """Tell whether all expressions in the matches of a rule are in RE2's syntax."""
    return all(is_expression(holds, entry) for entry in _list_entries(rule))


def _list_entries(rule: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for match in as_mappings(rule.get("matches")):
        for field in match.values():
            yield from [field] if isinstance(field, Mapping) else as_mappings(field)
