"""Objects of a hub, and one of them to change."""

from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

Json = dict[str, Any]
Hub = list[Json]
_Item = TypeVar("_Item")


class NothingThereError(Exception):
    """A hub has nothing that a change is for."""


def of(hub: Hub, *kinds: str) -> list[Json]:
    """Return the objects of some kinds."""
    return [one for one in hub if one["kind"] in kinds]


def choose(random: Random, items: Sequence[_Item]) -> _Item:
    """Return one of the items; raise `NothingThereError` if there is none."""
    if not items:
        raise NothingThereError
    return random.choice(items)
