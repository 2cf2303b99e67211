"""Annotations, labels and files by which an engine does something else than apply what is listed.

Each is a row with its source. Whoever may write into the hub, the placement or the output could
pass the guard by one: the object is in the tree, and the engine leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.model.asking import ask


def _always(_: str) -> bool:
    return True


class Mark(Struct, frozen=True):
    """An annotation that an engine obeys.

    `key` is its key, or a domain with its `/` for all keys in that. `effect` goes on where the mark
    is named. `acts` says whether a value has the effect. With `is_label` a label does as well.
    `is_refused` is set where what is in the tree would not be on the spoke, or not under its name.
    """

    key: str
    effect: str
    is_refused: bool = True
    is_label: bool = False
    acts: Callable[[str], bool] = _always


class Marked(Struct, frozen=True):
    """A mark that an object has: where it stands, and what it does."""

    field: str
    key: str
    mark: Mark


class Marks:
    """What all engines obey, looked up by key."""

    def __init__(self, *rows: tuple[Mark, ...]) -> None:
        """Index the rows."""
        marks = [mark for each in rows for mark in each]
        self._by_key: dict[str, list[Mark]] = {}
        for mark in marks:
            self._by_key.setdefault(mark.key, []).append(mark)

    def of(self, metadata: Mapping[str, Any]) -> Iterator[Marked]:
        """The marks that metadata has and that do something there."""
        for field in ("annotations", "labels"):
            pairs = metadata.get(field)
            for key, value in pairs.items() if isinstance(pairs, Mapping) else ():
                for mark in self._named(key):
                    is_read = mark.is_label or field == "annotations"
                    if is_read and isinstance(value, str) and ask(mark.acts, value):
                        yield Marked(field, key, mark)

    def _named(self, key: str) -> Iterator[Mark]:
        domain, slash, _ = key.partition("/")
        for name in (key, domain + slash):
            yield from self._by_key.get(name, ())
