"""What a policy declares: its strategy and its rules, each with its place in the object."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Any

from msgspec import Struct

from spokerender.judging.effective.model import AttachedPolicy
from spokerender.judging.effective.rules import Rules, rules_of, written_rules
from spokerender.kinds.cutting import beside_rules
from spokerender.kinds.fields import read, segments
from spokerender.kinds.merging import Merge, Merging, Process
from spokerender.model import FieldPath, Ref, shown


class Side(StrEnum):
    """Whether rules give way to those of more specific policies, or don't let them pass."""

    DEFAULTS = "defaults"
    OVERRIDES = "overrides"


_FIELDS = {
    Process.KUADRANT: {"defaults": Side.DEFAULTS, "overrides": Side.OVERRIDES},
    Process.GEP_713: {"defaults": Side.DEFAULTS, "overrides": Side.OVERRIDES},
    Process.SINGLE: {"override": Side.OVERRIDES, "default": Side.DEFAULTS},
}
"""The fields of `spec` in which the spec proper may stand, by the process that reads them."""

_STRATEGIES = {str(merge): merge for merge in (Merge.ATOMIC, Merge.PATCH, Merge.MERGE)}


class Declared(Struct, frozen=True, eq=False):
    """What one policy brings to a path.

    `target` is the level of the path that it is attached to. `is_empty` means that it gives way
    to what it would replace. `asked` is the strategy by which it wants to be merged into the
    closest policy above all routes (`Merging.asking`). `keeps` is set where it keeps its fields
    from the levels below (`Fields.lock`). `marks` are the values by which its fields are apart from
    others' (`Fields.apart`), in that order. `ignored` are keys that stand beside the spec proper,
    where nobody reads them, and `beside` is the field they stand beside. `scope` are the `matches`
    of the route rules that it is for; None where it is for all of them. `failing` as for
    `AttachedPolicy`.
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
    failing: str = ""


def declared(policy: AttachedPolicy, merging: Merging | None = None) -> tuple[Declared, ...]:
    """Read what the policy declares: one block, or none to two of the RFC's (`Process.SINGLE`).

    A policy has its strategy in `strategy` beside its rules, else its kind's default. Of a bare
    spec the rules are defaults (GEP-713, and kuadrant-operator's `Proper()`). `merging` is that of
    its kind, unless the path has another one.
    """
    merging = policy.kind.merged if merging is None else merging
    if policy.kind.merged.writes is not None:
        return (_written(policy),)
    fields = _FIELDS.get(merging.process, {})
    blocks = [
        _block(policy, merging, field, side)
        for field, side in fields.items()
        if isinstance(policy.spec.get(field), Mapping)
    ]
    if merging.process is Process.SINGLE and blocks:
        return tuple(blocks)
    return (blocks[0] if blocks else _block(policy, merging, "", Side.DEFAULTS),)


def _written(policy: AttachedPolicy) -> Declared:
    """What the policy that its controller writes declares; each rule is told where it is from."""
    writes = policy.kind.merged.writes
    assert writes is not None  # noqa: S101  (it was asked for)
    rules = written_rules(policy.ref, policy.spec, writes)
    return Declared(
        policy=policy.ref,
        target=policy.ref,
        side=Side.OVERRIDES if writes.overrides else Side.DEFAULTS,
        strategy=writes.strategy,
        rules=rules,
        is_empty=not rules,
    )


def _block(policy: AttachedPolicy, merging: Merging, field: str, side: Side) -> Declared:
    place: FieldPath = ("spec", field) if field else ("spec",)
    bare = _without(
        policy.spec, beside_rules(policy.kind, merging) | set(_FIELDS.get(merging.process, ()))
    )
    proper = policy.spec[field] if field else bare
    scope, proper = _scoped(proper) if merging.process is Process.SINGLE else (None, proper)
    strategy = _strategy(proper) if merging.process in _FIELDS else None
    if strategy is not None:
        proper = _without(proper, {"strategy"})
    if merging.counts:
        proper = {key: value for key, value in proper.items() if key in merging.counts}
    return Declared(
        policy=policy.ref,
        target=policy.ref,
        side=side,
        strategy=strategy or merging.default,
        rules=rules_of(policy.ref, proper, merging.rules, place),
        is_empty=bool(merging.substance) and not read(proper, segments(merging.substance)),
        asked=_asked(policy, merging),
        keeps=_keeps(policy, merging),
        marks=tuple(
            read(policy.spec, segments(apart.by), apart.absent) for apart in merging.fields.apart
        ),
        ignored=_ignored(policy, merging, bare) if field else (),
        beside=field,
        scope=scope,
        failing=policy.failing,
    )


def _asked(policy: AttachedPolicy, merging: Merging) -> Merge | None:
    if merging.asking is None:
        return None
    return dict(merging.asking.types).get(str(policy.spec.get(merging.asking.field)))


def _keeps(policy: AttachedPolicy, merging: Merging) -> bool:
    if merging.fields.lock is None:
        return False
    field, value = merging.fields.lock
    return bool(read(policy.spec, segments(field)) == value)


def _ignored(policy: AttachedPolicy, merging: Merging, bare: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(map(shown, rules_of(policy.ref, bare, merging.rules, ())))


def _without(data: Mapping[str, Any], keys: AbstractSet[str]) -> Mapping[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _strategy(proper: Mapping[str, Any]) -> Merge | None:
    """The strategy that is named; what is none of ours stays a field like any other."""
    name = proper.get("strategy")
    return _STRATEGIES.get(name) if isinstance(name, str) else None


def _scoped(proper: Mapping[str, Any]) -> tuple[tuple[Any, ...] | None, Mapping[str, Any]]:
    """The `matches` of the entries of `rules`, and the rest; entries with more in them stay."""
    entries = proper.get("rules")
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        return None, proper
    scope = tuple(entry["matches"] for entry in entries if "matches" in entry)
    if not scope:
        return None, proper
    is_bare = all(set(entry) == {"matches"} for entry in entries)
    return scope, _without(proper, {"rules"}) if is_bare else proper
