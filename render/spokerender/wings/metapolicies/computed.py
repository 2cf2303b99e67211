"""What a function that is no expression came to: every text and number of it was computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.wings.metapolicies.model import Computed

_WHAT_IT_IS = frozenset(["apiVersion", "kind"])
"""By these an object is known for what it is, so nothing stands for them."""


def made_object(data: Mapping[str, Any]) -> dict[str, Any]:
    """A new object, as an API server makes one: null says no more than nothing does."""
    plain = _without_nulls(data)
    return {key: value if key in _WHAT_IT_IS else computed(value) for key, value in plain.items()}


def computed(data: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    """The data, in which each text and each whole number is `Computed`."""
    if isinstance(data, Mapping):
        return {key: computed(value) for key, value in data.items()}
    if isinstance(data, list):
        return [computed(item) for item in data]
    return Computed(data, None) if isinstance(data, str) or type(data) is int else data


def _without_nulls(data: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    if isinstance(data, Mapping):
        return {key: _without_nulls(value) for key, value in data.items() if value is not None}
    return [_without_nulls(item) for item in data] if isinstance(data, list) else data
