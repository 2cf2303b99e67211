"""What expressions walk over, counted: the functions of ours that stand around lists and maps."""

from __future__ import annotations

from typing import Any

from spokerender.formats.cel.costs import BUDGET

_STEP = 40
"""What a step of a loop costs of the budget: about as much as so many characters."""


def walked(items: Any) -> Any:  # noqa: ANN401  (a list, or a map)
    """What a loop runs over: each step of one costs."""
    BUDGET.spend(_STEP * (len(items) + 1), "walking a list")
    return items


def listed(items: list[Any]) -> list[Any]:
    """The same, where the loop makes a list, which is copied with each item that is added."""
    BUDGET.spend(_STEP * (len(items) + 1) + len(items) * len(items), "walking a list")
    return items


def keys(found: dict[Any, Any]) -> list[str]:
    """The keys of a map, sorted."""
    BUDGET.spend(len(found), "keys()")
    return sorted(map(str, found))


def flattened(lists: list[list[Any]]) -> list[Any]:
    """The items of lists, in one."""
    BUDGET.spend(sum(map(len, lists)), "flattening lists")
    return [item for each in lists for item in each]


def refused(_: object) -> list[Any]:
    """A map where a list is made. Raises `ValueError`."""
    message = "it walks a map, whose order is chance: walk keys() of it, which are sorted"
    raise ValueError(message)
