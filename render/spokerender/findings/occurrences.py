"""Merging equal findings of many spokes into one."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.results import Result
from spokerender.model.slots import Values, fill_ref, fill_text


class Occurrence(Struct, frozen=True, eq=False):
    """A finding on some spokes; `values` replace its slots when it is reported.

    `key` is equal for findings that count as one although they differ, such as in the values of
    their spokes.
    """

    result: Result
    spokes: tuple[str, ...]
    key: Result | None = None
    values: Values = field(default_factory=dict)


def merge_occurrences(occurrences: Iterable[Occurrence]) -> tuple[Result, ...]:
    """Merge findings that are equal or share a key; the first one's text gets all spokes.

    Their order stays; the spokes of a finding are sorted.
    """
    alike: dict[Result, list[Occurrence]] = {}
    for occurrence in occurrences:
        alike.setdefault(occurrence.result, []).append(occurrence)
    spokes_of: dict[Result, set[str]] = {}
    for first, *others in _join_groups(alike.values()):
        result = replace(fill_result(first.result, first.values), spokes=())
        spokes_of.setdefault(result, set()).update(*(each.spokes for each in (first, *others)))
    return tuple(
        replace(result, spokes=tuple(sorted(names))) for result, names in spokes_of.items()
    )


def _join_groups(groups: Iterable[list[Occurrence]]) -> list[list[Occurrence]]:
    """Join groups of equal findings that share a key."""
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


def fill_result(result: Result, values: Values) -> Result:
    """Replace the slots in the texts of a finding, and in the object that it is about."""
    return replace(
        result,
        message=fill_text(result.message, values),
        cure=fill_text(result.cure, values),
        resource=fill_ref(result.resource, values) if result.resource else None,
    )
