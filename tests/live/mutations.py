"""Objects with one thing changed in them, the same for the same seed."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

VALUES: tuple[Any, ...] = (
    None, "", 0, -1, 1, 1.5, True, {}, [], "a", "A b", "x" * 300, "é", "*.example.com", "10s",
    "1h30m", "1d", 2**31, 2**63, 2**64, 1e300, ["a"], ["a", "a"], {"a": "b"}, {"name": "x"}, "true",
    "1", "http://x", [None], [{}], {"": 1}, "-a", "a/b", "999.1.1.1", "::1",
)  # fmt: skip
KEPT = frozenset({"apiVersion", "kind", "name", "namespace"})
"""Without these nobody knows which object it is."""


def mutated(value: dict[str, Any], random: Random) -> dict[str, Any]:
    """A copy in which a field is changed, gone, called otherwise, doubled, or has one too many."""
    made = copy.deepcopy(value)
    path = random.choice([path for path in _places(made) if _may_change(path)])
    holder: Any = made
    for step in path[:-1]:
        holder = holder[step]
    last = path[-1]
    match random.choice(("value", "value", "value", "delete", "unknown", "twice", "rename")):
        case "delete":
            del holder[last]
        case "unknown" if isinstance(holder[last], dict):
            holder[last]["nobodyKnows"] = random.choice(VALUES)
        case "twice" if isinstance(holder[last], list) and holder[last]:
            holder[last].append(copy.deepcopy(random.choice(holder[last])))
        case "rename" if isinstance(holder, dict):
            holder[f"{last}x"] = holder.pop(last)
        case _:
            holder[last] = copy.deepcopy(random.choice(VALUES))
    return made


def _may_change(path: tuple[Any, ...]) -> bool:
    if path[:1] == ("metadata",):
        return len(path) > 1 and path[1] not in KEPT
    return bool(path) and path[0] not in KEPT


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, (*path, index))
