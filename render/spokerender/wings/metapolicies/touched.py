"""What of a spoke an answer has looked at: spokes of which that is equal share the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Touched(Mapping[str, Any]):
    """The values of a spoke's slots; which of them were looked at is kept."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Start with none looked at."""
        self.values_of = values
        self.touched: dict[str, None] = {}

    def __getitem__(self, slot: str) -> Any:  # noqa: ANN401  (a text, or a whole number)
        """The value of a slot."""
        self.touched[slot] = None
        return self.values_of[slot]

    def __iter__(self) -> Iterator[str]:
        """The slots."""
        return iter(self.values_of)

    def __len__(self) -> int:
        """How many slots there are."""
        return len(self.values_of)


def part_of(
    spoke: Mapping[str, Any], path: tuple[str, ...], looked: dict[tuple[str, ...], None]
) -> Any:  # noqa: ANN401  (JSON of any shape)
    """A part of what the placement declares of a spoke; that it was looked at is kept.

    Raises:
        KeyError: there is no such part, which was looked at all the same.

    """
    looked[path] = None
    value: Any = spoke
    for step in path:
        value = value[step]
    return value
