"""Rules: the parts of a policy that are in force or not as one, each with where it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.kinds.cutting import cut
from spokerender.kinds.fields import found
from spokerender.kinds.merging import Writes
from spokerender.model import FieldPath, Ref

_ANY = "*"


class Sourced(Struct, frozen=True, eq=False):
    """A rule's value, and who wrote which part of it.

    `leaves` are paths inside of the value, each with a policy and the field of its object;
    () alone where one policy wrote all of it. None as a value is what a merge patch removes with.
    """

    value: Any
    leaves: Mapping[FieldPath, tuple[Ref, FieldPath]]


Rules = Mapping[FieldPath, Sourced]
"""Rules by their places below the spec proper."""


def rules_of(
    policy: Ref, proper: Mapping[str, Any], patterns: tuple[str, ...], place: FieldPath
) -> dict[FieldPath, Sourced]:
    """The rules of a spec proper, which stands at `place` (`spokerender.kinds.cutting`)."""
    return {
        path: Sourced(value, {(): (policy, (*place, *field))})
        for path, field, value in cut(proper, patterns)
    }


def written_rules(policy: Ref, spec: Mapping[str, Any], writes: Writes) -> dict[FieldPath, Sourced]:
    """The rules that a controller makes of a policy's fields (`Writes`)."""
    rules: dict[FieldPath, Sourced] = {}
    for rule, pattern in writes.rules:
        for field, value in found(spec, pattern):
            name = value.get(writes.name) if isinstance(value, Mapping) and writes.name else ""
            path = tuple(str(name) if part == _ANY else part for part in rule.split("."))
            rules.setdefault(path, Sourced(value, {(): (policy, ("spec", *field))}))
    return rules
