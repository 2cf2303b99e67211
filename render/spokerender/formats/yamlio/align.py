"""Match the entries of a changed collection with the entries that it had before."""

from collections.abc import Collection as Members, Sequence
from typing import Any

from msgspec import Struct

from spokerender.formats.yamlio.construct import key_name
from spokerender.formats.yamlio.nodes import YamlNode
from spokerender.model.shapes import Json

# The table grows with the product of both lengths.
_MOST_COMPARISONS = 10_000
# More than nothing, so that items of one type are paired rather than replaced.
_SAME_TYPE = 0.1


class EntryStep(Struct, frozen=True):
    """An entry of the changed collection: its old index (None: new), name, old and new value."""

    index: int | None
    name: str | None
    old: Json
    new: Json


def plan_entries(keys: Sequence[YamlNode] | None, old: Json, new: Json) -> list[EntryStep]:
    """Return the entries of a changed collection in their new order; `keys` is None for a list."""
    if keys is None:
        pairs = zip(align(old, new), new, strict=True)
        return [EntryStep(at, None, None if at is None else old[at], item) for at, item in pairs]
    names = enumerate(map(key_name, keys))
    places = {name: index for index, name in names if name is not None}
    # A merge key is an entry without data of its own, and stays.
    merges = [name for name in places if name not in old]
    return [
        EntryStep(places.get(name), name, old.get(name), new.get(name))
        for name in order_keys(dict.fromkeys((*places, *old)), (*new, *merges))
        if name in places
        or name not in old
        or not is_same_entry(old[name], new[name])  # not merged
    ]


def is_same_entry(one: Json, other: Json) -> bool:
    """Return whether two values are the same JSON in the same order; in Python, `True` equals 1."""
    # `repr` also tells keys in another order apart, which `==` does not.
    return one is other or (one == other and repr(one) == repr(other))


def order_keys(old: Members[str], new: Members[str]) -> list[str]:
    """Return the keys of a changed mapping in order, given its `old` and its `new` keys.

    Remaining keys keep their order. A new key comes after the key that it follows in `new`, but
    `namespace` comes after `name`.
    """
    result = [name for name in old if name in new]
    before: str | None = None
    for name in new:
        if name not in old:
            # As people write metadata.
            neighbour = "name" if name == "namespace" and "name" in result else before
            result.insert(0 if neighbour is None else result.index(neighbour) + 1, name)
        before = name
    return result


def align(old: list[Any], new: list[Any]) -> list[int | None]:
    """Return, for each new item, the index of the old item that it was made from, or None."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        # Equal ends are cut off first: most changes are about a single item.
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = _align_by_likeness(old[head : len(old) - tail], new[head : len(new) - tail])
    return [
        *range(head),
        *(None if index is None else index + head for index in middle),
        *range(len(old) - tail, len(old)),
    ]


def _align_by_likeness(old: list[Any], new: list[Any]) -> list[int | None]:
    """Return the alignment with the most similar pairs (Needleman and Wunsch, free gaps)."""
    if len(old) * len(new) > _MOST_COMPARISONS:
        return [index if index < len(old) else None for index in range(len(new))]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, before in enumerate(old):
        for j, after in enumerate(new):
            pair = best[i][j] + _likeness(before, after)
            best[i + 1][j + 1] = max(pair, best[i][j + 1], best[i + 1][j])
    result: list[int | None] = [None] * len(new)
    i, j = len(old), len(new)
    while i and j:
        # An equal neighbour means that this item was not used.
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            result[j] = i
    return result


def _likeness(one: Json, other: Json) -> float:
    if one == other:
        return 1.0
    if type(one) is not type(other):
        return 0.0
    if not isinstance(one, dict):
        return _SAME_TYPE
    equal = sum(1 for key, value in one.items() if key in other and other[key] == value)
    return max(_SAME_TYPE, equal / max(len(one), len(other), 1))
