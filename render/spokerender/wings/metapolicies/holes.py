"""Answers without what was computed in them: what is left is equal on many spokes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.wings.metapolicies.model import Computed, Edit

_HELD = frozenset(["object", "merge", "reason", "message", "cure", "field"])
"""The fields of edits that may hold what was computed."""


class _Hole(Struct, frozen=True):
    """Where a value goes that was computed."""

    number: int


def with_holes(edit: Edit, computed: list[Computed]) -> Edit:
    """The edit without what was computed, which goes to the list."""
    changes = {
        name: _holed(getattr(edit, name), computed)
        for name in edit.__struct_fields__
        if name in _HELD
    }
    return replace(edit, **changes)


def _holed(data: Any, computed: list[Computed]) -> Any:  # noqa: ANN401  (JSON of any shape)
    if isinstance(data, Computed):
        computed.append(data)
        return _Hole(len(computed) - 1)
    if isinstance(data, dict):
        return {key: _holed(value, computed) for key, value in data.items()}
    return [_holed(item, computed) for item in data] if isinstance(data, list) else data


def filled(edit: Edit, values: Sequence[str | int]) -> Edit:
    """The edit with values where something was computed."""
    changes = {
        name: _put(getattr(edit, name), values) for name in edit.__struct_fields__ if name in _HELD
    }
    return replace(edit, **changes)


def _put(data: Any, values: Sequence[str | int]) -> Any:  # noqa: ANN401  (JSON of any shape)
    if isinstance(data, _Hole):
        return values[data.number]
    if isinstance(data, dict):
        return {key: _put(value, values) for key, value in data.items()}
    return [_put(item, values) for item in data] if isinstance(data, list) else data
