"""What a policy declares: its strategy and its rules, each with its place in the object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from render.judging.effective.model import AttachedPolicy
from render.kinds import Kind, Merge, Merging, Process, Role, read
from render.model import FieldPath, Ref, shown


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

_STRATEGIES = {str(merge): merge for merge in Merge}
_TARGETS = {"targetRef", "targetRefs", "targetSelectors"}
_ANY = "*"


@dataclass(frozen=True, slots=True)
class Sourced:
    """A rule's value, and who wrote which part of it.

    `leaves` are paths inside of the value, each with a policy and the field of its object;
    () alone where one policy wrote all of it. None as a value is what a merge patch removes with.
    """

    value: Any
    leaves: Mapping[FieldPath, tuple[Ref, FieldPath]]


Rules = Mapping[FieldPath, Sourced]
"""Rules by their places below the spec proper."""


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """What one policy brings to a path.

    `target` is the level of the path that it is attached to. `is_empty` means that it gives way
    to what it would replace. `asked` is the strategy by which it wants to be merged into the
    closest policy above (`mergeType`). `ignored` are keys that stand beside the spec proper, where
    nobody reads them, and `beside` is the field they stand beside. `scope` are the `matches` of
    the route rules that it is for; None where it is for all of them.
    """

    policy: Ref
    target: Ref
    side: Side
    strategy: Merge
    rules: Rules
    is_empty: bool
    asked: Merge | None = None
    ignored: tuple[str, ...] = ()
    beside: str = ""
    scope: tuple[Any, ...] | None = None


def declared(policy: AttachedPolicy) -> tuple[Declared, ...]:
    """Read what the policy declares: one block, or none to two of the RFC's (`Process.SINGLE`).

    A policy has its strategy in `strategy` beside its rules, else its kind's default. Of a bare
    spec the rules are defaults (GEP-713, and kuadrant-operator's `Proper()`).
    """
    merging = policy.kind.merged
    fields = _FIELDS.get(merging.process, {})
    blocks = [
        _block(policy, merging, field, side)
        for field, side in fields.items()
        if isinstance(policy.spec.get(field), Mapping)
    ]
    if merging.process is Process.SINGLE and blocks:
        return tuple(blocks)
    return (blocks[0] if blocks else _block(policy, merging, "", Side.DEFAULTS),)


def _block(policy: AttachedPolicy, merging: Merging, field: str, side: Side) -> Declared:
    place: FieldPath = ("spec", field) if field else ("spec",)
    bare = _without(policy.spec, _beside_rules(policy.kind, merging))
    proper = policy.spec[field] if field else bare
    scope, proper = _scoped(proper) if merging.process is Process.SINGLE else (None, proper)
    strategy = _strategy(proper) if merging.process in _FIELDS else None
    if strategy is not None:
        proper = _without(proper, {"strategy"})
    patterns = tuple(tuple(pattern.split(".")) for pattern in merging.rules)
    rules = {
        path: Sourced(value, {(): (policy.ref, (*place, *path))})
        for path, value in _rules(proper, patterns, ())
    }
    substance = tuple(merging.substance.split(".")) if merging.substance else ()
    return Declared(
        policy=policy.ref,
        target=policy.ref,
        side=side,
        strategy=strategy or merging.default,
        rules=rules,
        is_empty=not (read(proper, substance) if substance else rules),
        asked=dict(merging.merge_types).get(str(policy.spec.get("mergeType"))),
        ignored=tuple(shown(path) for path, _ in _rules(bare, patterns, ())) if field else (),
        beside=field,
        scope=scope,
    )


def _beside_rules(kind: Kind, merging: Merging) -> set[str]:
    """The fields of `spec` that are no rules: targets, and where the spec proper stands."""
    named = {
        rule.path.split(".")[1].removesuffix("[]")
        for rule in kind.references
        if rule.role is not Role.BACKEND and rule.path.startswith("spec.")
    }
    asking = {"mergeType"} if merging.merge_types else set()
    return _TARGETS | named | asking | set(_FIELDS.get(merging.process, ()))


def _without(data: Mapping[str, Any], keys: set[str]) -> Mapping[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _strategy(proper: Mapping[str, Any]) -> Merge | None:
    """The strategy that is named; what is none of ours stays a field like any other."""
    name = proper.get("strategy")
    return _STRATEGIES.get(name) if isinstance(name, str) else None


def _rules(
    data: Mapping[str, Any], patterns: tuple[tuple[str, ...], ...], path: FieldPath
) -> Iterator[tuple[FieldPath, Any]]:
    """Cut data at the ends of the patterns, and wherever no pattern leads any further."""
    for key, value in data.items():
        here = (*path, key)
        ahead = tuple(pattern[1:] for pattern in patterns if pattern[0] in (key, _ANY))
        if ahead and all(ahead) and isinstance(value, Mapping):
            yield from _rules(value, ahead, here)
        else:
            yield here, value


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
