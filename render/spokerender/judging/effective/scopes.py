"""Policies that repeat a route rule's `matches` to be for that rule only (Kuadrant's RFC)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.judging.effective.declared import Declared
from spokerender.kinds import read
from spokerender.model import Ref
from spokerender.model.shapes import as_list
from spokerender.topology.node import rule_sections
from spokerender.topology.paths import RequestPath

Objects = Mapping[Ref, Mapping[str, Any]]
"""Routes, as they are on the spoke."""


def matches_of(objects: Objects, path: RequestPath) -> Any:  # noqa: ANN401  (JSON of any shape)
    """The `matches` of the path's rule; None where the route is not given or says none."""
    route = objects.get(path.route) if path.route is not None else None
    return rules_by_name(route).get(path.rule, {}).get("matches")


def rules_by_name(route: Mapping[str, Any] | None) -> Mapping[str, Mapping[str, Any]]:
    """The rules of a route by what they are called (`rule_sections`); the first one of a name."""
    rules = read(route, ("spec", "rules"))
    listed = as_list(rules)
    entries = [entry for entry in listed if isinstance(entry, Mapping)]
    names = [name if isinstance(name := entry.get("name"), str) else "" for entry in entries]
    return dict(reversed(list(zip(rule_sections(names), entries, strict=True))))


def is_meant(block: Declared, matches: Any) -> bool:  # noqa: ANN401  (as above)
    """Whether a block is for a rule: for all of them, or for one with the same matches."""
    return block.scope is None or any(_are_same(matches, repeated) for repeated in block.scope)


def _are_same(one: Any, other: Any) -> bool:  # noqa: ANN401  (as above)
    """Whether two lists have the same matches in them: any of them suffices, so in any order."""
    if not (isinstance(one, list) and isinstance(other, list)):
        return False
    return all(item in other for item in one) and all(item in one for item in other)
