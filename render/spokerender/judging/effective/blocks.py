"""The blocks of a policy, such as `defaults`: each has a strategy, rules, and a scope."""

from collections.abc import Mapping, Set as AbstractSet
from enum import StrEnum
from typing import Any

from msgspec import Struct

from spokerender.judging.effective.outcomes import AttachedPolicy, ExplainMerged
from spokerender.judging.effective.sourced_rules import Rules, read_written_rules, source_rules
from spokerender.kinds.cutting import find_other_fields
from spokerender.kinds.fields import read_value, split_pattern
from spokerender.kinds.merging import Merge, Merging, Process
from spokerender.model import FieldPath, Ref, shown
from spokerender.model.refs import DataByRef
from spokerender.model.shapes import Json, as_list, as_text
from spokerender.topology.node import PARENTS, name_rules
from spokerender.topology.paths import RequestPath


class Side(StrEnum):
    """The direction of a strategy: more specific policies replace defaults, but not overrides."""

    DEFAULTS = "defaults"
    OVERRIDES = "overrides"


_FIELDS = {
    Process.KUADRANT: {"defaults": Side.DEFAULTS, "overrides": Side.OVERRIDES},
    Process.GEP_713: {"defaults": Side.DEFAULTS, "overrides": Side.OVERRIDES},
    Process.SINGLE: {"override": Side.OVERRIDES, "default": Side.DEFAULTS},
}
"""By process, the fields of `spec` that can hold the spec proper: the rules of the policy."""

_STRATEGIES = {str(merge): merge for merge in (Merge.ATOMIC, Merge.PATCH, Merge.MERGE)}


class PolicyBlock(Struct, frozen=True, eq=False):
    """A policy, or only its defaults or overrides, as an input of merging on a path.

    `target` is the object on the path that the policy is attached to. A block that `is_empty` does
    not replace other blocks. `asked` is the strategy with which the policy requests to be merged
    into the closest policy on a Gateway, listener or class (`Merging.asking`). `keeps` is True if
    more specific policies can't change its fields (`Fields.lock`). `marks` are values by which
    fields of the same name count as different fields (`Fields.apart`). `beside` is the field of
    `spec` that holds the block (or empty); `ignored` has the keys beside this field, without
    effect. `scope` has the `matches` of the route rules that the block is for (None: all rules). A
    block that `is_hollow` has no effect, but excludes other policies.
    """

    policy: Ref
    target: Ref
    side: Side
    strategy: Merge
    rules: Rules
    is_empty: bool
    asked: Merge | None = None
    keeps: bool = False
    marks: tuple[Any, ...] = ()
    ignored: tuple[str, ...] = ()
    beside: str = ""
    scope: tuple[Any, ...] | None = None
    failures: tuple[tuple[FieldPath, str], ...] = ()
    is_hollow: bool = False
    explain_merged: ExplainMerged = lambda *_: ("", "")


def is_above_routes(target: Ref) -> bool:
    """Return whether a target is less specific than a route: a parent, class or namespace."""
    return (target.group, target.kind) in PARENTS or target.kind in ("GatewayClass", "Namespace")


def read_blocks(policy: AttachedPolicy, merging: Merging | None = None) -> tuple[PolicyBlock, ...]:
    """Return the blocks of a policy (rules with a strategy): one, or two at most for `SINGLE`.

    `merging` is how policies merge on the path; None: as the policy's kind says.
    """
    merging = policy.kind.merged if merging is None else merging
    if policy.kind.merged.writes is not None:
        return (_read_written(policy),)
    fields = _FIELDS.get(merging.process, {})
    blocks = [
        _read_block(policy, merging, field, side)
        for field, side in fields.items()
        if isinstance(policy.spec.get(field), Mapping)
    ]
    if merging.process is Process.SINGLE and blocks:
        return tuple(blocks)
    # The rules of a bare spec are defaults (GEP-713, and kuadrant-operator's `Proper()`).
    return (blocks[0] if blocks else _read_block(policy, merging, "", Side.DEFAULTS),)


def _read_written(policy: AttachedPolicy) -> PolicyBlock:
    writes = policy.kind.merged.writes
    assert writes is not None  # noqa: S101  (the caller has looked)
    rules = read_written_rules(policy.ref, policy.spec, writes)
    return PolicyBlock(
        policy=policy.ref,
        target=policy.ref,
        side=Side.OVERRIDES if writes.overrides else Side.DEFAULTS,
        strategy=writes.strategy,
        rules=rules,
        is_empty=not rules,
    )


def _read_block(policy: AttachedPolicy, merging: Merging, field: str, side: Side) -> PolicyBlock:
    place: FieldPath = ("spec", field) if field else ("spec",)
    bare = _without(
        policy.spec, find_other_fields(policy.kind, merging) | set(_FIELDS.get(merging.process, ()))
    )
    proper = policy.spec[field] if field else bare
    scope, proper = _split_scope(proper) if merging.process is Process.SINGLE else (None, proper)
    name = proper.get("strategy") if merging.process in _FIELDS else None
    # With another value, the field `strategy` is a rule like any other.
    strategy = _STRATEGIES.get(name) if isinstance(name, str) else None
    if strategy is not None:
        proper = _without(proper, {"strategy"})
    if not proper:
        proper = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in merging.implied
        }
    if merging.counts:
        proper = {key: value for key, value in proper.items() if key in merging.counts}
    asking, lock = merging.asking, merging.fields.lock
    ignored = tuple(map(shown, source_rules(policy.ref, bare, merging.rules, ())))
    return PolicyBlock(
        policy=policy.ref,
        target=policy.ref,
        side=side,
        strategy=strategy or merging.default,
        rules=source_rules(policy.ref, proper, merging.rules, place),
        is_empty=bool(merging.substance)
        and not read_value(proper, split_pattern(merging.substance)),
        asked=dict(asking.types).get(str(policy.spec.get(asking.field))) if asking else None,
        keeps=lock is not None and read_value(policy.spec, split_pattern(lock[0])) in lock[1],
        marks=tuple(
            read_value(policy.spec, split_pattern(apart.by), apart.absent)
            for apart in merging.fields.apart
        ),
        ignored=ignored if field else (),
        beside=field,
        scope=scope,
        failures=policy.failures,
        explain_merged=policy.explain_merged,
    )


def _without(data: Mapping[str, Any], keys: AbstractSet[str]) -> Mapping[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _split_scope(proper: Mapping[str, Any]) -> tuple[tuple[Any, ...] | None, Mapping[str, Any]]:
    """Return the `matches` in `rules` (or None), and the spec without `rules` that have no more."""
    entries = proper.get("rules")
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        return None, proper
    scope = tuple(entry["matches"] for entry in entries if "matches" in entry)
    if not scope:
        return None, proper
    is_bare = all(set(entry) == {"matches"} for entry in entries)
    return scope, _without(proper, {"rules"}) if is_bare else proper


def read_rule_matches(objects: DataByRef, path: RequestPath) -> Json:
    """Return the `matches` of the path's rule; None if there is no such route or no matches."""
    route = objects.get(path.route) if path.route is not None else None
    return rules_by_name(route).get(path.rule, {}).get("matches")


def rules_by_name(route: Mapping[str, Any] | None) -> Mapping[str, Mapping[str, Any]]:
    """Return the rules of a route by name; if several rules have one name, only the first."""
    rules = as_list(read_value(route, ("spec", "rules")))
    entries = [entry for entry in rules if isinstance(entry, Mapping)]
    names = tuple(as_text(entry.get("name")) for entry in entries)
    return dict(reversed(list(zip(name_rules(names), entries, strict=True))))


def is_in_scope(block: PolicyBlock, matches: Json) -> bool:
    """Return whether a block applies to the route rule with these `matches` (Kuadrant's RFC)."""
    return block.scope is None or any(
        have_same_items(matches, repeated) for repeated in block.scope
    )


def have_same_items(one: Json, other: Json) -> bool:
    """Return whether two values are lists with the same items, in any order."""
    # A request needs to fulfil any one of the matches, so their order does not matter.
    if not (isinstance(one, list) and isinstance(other, list)):
        return False
    return all(item in other for item in one) and all(item in one for item in other)
