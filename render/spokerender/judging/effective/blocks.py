"""The blocks of a policy: a strategy with the rules that it is for, and the paths they are for."""

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
    """The direction of a strategy: rules that give way to more specific policies, or that don't."""

    DEFAULTS = "defaults"
    OVERRIDES = "overrides"


_FIELDS = {
    Process.KUADRANT: {"defaults": Side.DEFAULTS, "overrides": Side.OVERRIDES},
    Process.GEP_713: {"defaults": Side.DEFAULTS, "overrides": Side.OVERRIDES},
    Process.SINGLE: {"override": Side.OVERRIDES, "default": Side.DEFAULTS},
}
"""The fields of `spec` in which the spec proper may stand, by the process that reads them."""

_STRATEGIES = {str(merge): merge for merge in (Merge.ATOMIC, Merge.PATCH, Merge.MERGE)}


class PolicyBlock(Struct, frozen=True, eq=False):
    """A policy, or its defaults or overrides, as it takes part on a path.

    `target` is the level of the path that it is attached to. It gives way to what it would replace
    if it `is_empty`; `asked` is the strategy by which it asks to be merged into the closest policy
    above all routes (`Merging.asking`). `keeps` is set if it keeps its fields from the levels below
    (`Fields.lock`); `marks` are the values that separate them from others' (`Fields.apart`).
    `ignored` are keys beside the spec proper, in the field `beside`, which no controller reads.
    `scope` has the `matches` of the route rules that it is for; None where it is for all of them.
    It takes the place of others without being carried out if it `is_hollow`. `explain_merged` is as
    in `AttachedPolicy`.
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
    """Tell whether a level is a gateway, a listener, or the class or namespace of gateways."""
    return (target.group, target.kind) in PARENTS or target.kind in ("GatewayClass", "Namespace")


def read_blocks(policy: AttachedPolicy, merging: Merging | None = None) -> tuple[PolicyBlock, ...]:
    """Read a policy's blocks: one, or up to two of the RFC's (`Process.SINGLE`).

    A policy has its strategy in `strategy` beside its rules, else its kind's default. The rules of
    a bare spec are defaults (GEP-713, and kuadrant-operator's `Proper()`). `merging` is that of its
    kind, unless the path has another one.
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
    strategy = _read_strategy(proper) if merging.process in _FIELDS else None
    if strategy is not None:
        proper = _without(proper, {"strategy"})
    if not proper:
        proper = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in merging.implied
        }
    if merging.counts:
        proper = {key: value for key, value in proper.items() if key in merging.counts}
    ignored = tuple(map(shown, source_rules(policy.ref, bare, merging.rules, ())))
    return PolicyBlock(
        policy=policy.ref,
        target=policy.ref,
        side=side,
        strategy=strategy or merging.default,
        rules=source_rules(policy.ref, proper, merging.rules, place),
        is_empty=bool(merging.substance)
        and not read_value(proper, split_pattern(merging.substance)),
        asked=_read_asked_strategy(policy, merging),
        keeps=_keeps_fields(policy, merging),
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


def _read_asked_strategy(policy: AttachedPolicy, merging: Merging) -> Merge | None:
    if merging.asking is None:
        return None
    return dict(merging.asking.types).get(str(policy.spec.get(merging.asking.field)))


def _keeps_fields(policy: AttachedPolicy, merging: Merging) -> bool:
    if merging.fields.lock is None:
        return False
    field, value = merging.fields.lock
    return bool(read_value(policy.spec, split_pattern(field)) == value)


def _without(data: Mapping[str, Any], keys: AbstractSet[str]) -> Mapping[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _read_strategy(proper: Mapping[str, Any]) -> Merge | None:
    """Return the named strategy; another value of the field is a rule like any other."""
    name = proper.get("strategy")
    return _STRATEGIES.get(name) if isinstance(name, str) else None


def _split_scope(proper: Mapping[str, Any]) -> tuple[tuple[Any, ...] | None, Mapping[str, Any]]:
    """Split off the `matches` of the entries of `rules`; entries with other fields stay."""
    entries = proper.get("rules")
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        return None, proper
    scope = tuple(entry["matches"] for entry in entries if "matches" in entry)
    if not scope:
        return None, proper
    is_bare = all(set(entry) == {"matches"} for entry in entries)
    return scope, _without(proper, {"rules"}) if is_bare else proper


def read_rule_matches(objects: DataByRef, path: RequestPath) -> Json:
    """Return the `matches` of the path's rule; None if the route is not given or has none."""
    route = objects.get(path.route) if path.route is not None else None
    return rules_by_name(route).get(path.rule, {}).get("matches")


def rules_by_name(route: Mapping[str, Any] | None) -> Mapping[str, Mapping[str, Any]]:
    """Return the rules of a route by their names (`rule_sections`); the first one of a name."""
    rules = as_list(read_value(route, ("spec", "rules")))
    entries = [entry for entry in rules if isinstance(entry, Mapping)]
    names = tuple(as_text(entry.get("name")) for entry in entries)
    return dict(reversed(list(zip(name_rules(names), entries, strict=True))))


def is_in_scope(block: PolicyBlock, matches: Json) -> bool:
    """Tell whether a block is for a rule: for all of them, or for one with the same matches.

    Kuadrant's RFC: a policy repeats a rule's `matches` to be for that rule only.
    """
    return block.scope is None or any(
        have_same_items(matches, repeated) for repeated in block.scope
    )


def have_same_items(one: Json, other: Json) -> bool:
    """Compare lists in any order: any one of the matches suffices."""
    if not (isinstance(one, list) and isinstance(other, list)):
        return False
    return all(item in other for item in one) and all(item in one for item in other)
