"""Telling once what was found on many spokes."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.filling import fill_result
from spokerender.findings.results import Result
from spokerender.model.slots import Values


class Occurrence(Struct, frozen=True, eq=False):
    """A finding on some spokes; it may hold slots, which `values` are put in for when it is told.

    `key` is equal for findings that are one although they differ: in the spokes' own values, say.
    """

    result: Result
    spokes: tuple[str, ...]
    key: Result | None = None
    values: Values = field(default_factory=dict)


def once(occurrences: Iterable[Occurrence]) -> tuple[Result, ...]:
    """Findings that are equal, or share a key, are one: in the words of the first, with all spokes.

    They stay in the order in which they came; a finding's spokes are sorted.
    """
    alike: dict[Result, list[Occurrence]] = {}
    for each in occurrences:
        alike.setdefault(each.result, []).append(each)
    spokes_of: dict[Result, set[str]] = {}
    for first, *others in _joined(alike.values()):
        result = replace(fill_result(first.result, first.values), spokes=())
        spokes_of.setdefault(result, set()).update(*(each.spokes for each in (first, *others)))
    return tuple(
        replace(result, spokes=tuple(sorted(names))) for result, names in spokes_of.items()
    )


def _joined(groups: Iterable[list[Occurrence]]) -> list[list[Occurrence]]:
    """Groups of equal findings, those that share a key joined."""
    joined: list[list[Occurrence]] = []
    by_key: dict[Result, list[Occurrence]] = {}
    for group in groups:
        keys = [each.result if each.key is None else each.key for each in group]
        same = next((by_key[key] for key in keys if key in by_key), None)
        if same is None:
            joined.append(same := [])
        same += group
        by_key.update(dict.fromkeys(keys, same))
    return joined
