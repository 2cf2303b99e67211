"""Exports of many spokes: objects that are equal up to what a cluster writes are one object."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.explain.observed.snapshots import LiveObject, Snapshot, collect_objects, is_work
from spokerender.formats.yamlio.lists import ItemTemplate, ListReader
from spokerender.model import Ref
from spokerender.model.refs import FieldPath, identity
from spokerender.model.shapes import Json
from spokerender.model.sources import Files

_REMEMBERED = 8_000_000
"""Characters of objects."""
_IDENTIFYING = (("uid",), ("resourceVersion",), ("creationTimestamp",))
_SAME = "0"


class SnapshotReader:
    """Reads exports of spokes, one after the other."""

    def __init__(
        self, lists: ListReader, check: Callable[[dict[str, Any]], Ref | None], *, with_times: bool
    ) -> None:
        """Start.

        `lists` reads the files; `check` returns the identity of an object, or None if anything is
        wrong with it. Without `with_times` it does not matter when a condition changed.
        """
        self._lists = lists
        self._check = check
        self._with_times = with_times
        self._kinds: dict[ItemTemplate, _Texts] = {}
        self._objects: dict[object, tuple[Ref, LiveObject]] = {}
        self._size = 0

    def read(self, files: Files, values: Mapping[str, Any]) -> Snapshot | None:
        """Return the objects of an export; None if it must be read in the common way.

        That is so where it is no list as kubectl prints it, or anything is wrong with an object.
        Objects have slots for values of the spoke, and conditions have no messages.
        """
        own = self._lists.select_own(values)
        objects: dict[Ref, LiveObject] = {}
        dated: dict[Ref, LiveObject] = {}
        for _, data in files:
            items = self._lists.read(data, own)
            if items is None:
                return None
            for template, texts in items:
                entry = self._find(template, texts, own)
                if entry is None or entry[0] in objects:
                    return None
                ref, live = entry
                objects[ref] = live
                if self._with_times and live.get("status"):
                    dated[ref] = template.fill(texts)
        return collect_objects(objects.items(), frozenset(own), dated)

    def _find(
        self, template: ItemTemplate, texts: Sequence[str], own: Mapping[str, str]
    ) -> tuple[Ref, LiveObject] | None:
        kind = self._kinds.get(template)
        if kind is None:
            self._make_room(template)
            kind = self._kinds[template] = _Texts.of(template)
        common = kind.make_common(texts)
        entry = self._objects.get((template, common))
        if entry is not None:
            return entry
        exact = template.fill(texts, own)
        ref = self._check(exact)
        if ref is None:
            return None
        live = template.fill(common)
        if is_work(ref) or identity(live) != identity(exact):
            return ref, exact
        self._make_room(template)
        entry = ref, {**live, "status": _without_messages(live.get("status"))}
        self._objects[template, common] = entry
        return entry

    def _make_room(self, template: ItemTemplate) -> None:
        self._size += sum(map(len, template.parts))
        if self._size > _REMEMBERED:
            self._objects.clear()
            self._kinds.clear()
            self._size = 0


class _Texts(Struct, frozen=True):
    """The short texts of a template by their numbers: those of no interest, and generations."""

    ignored: tuple[int, ...]
    generation: int | None
    observed: tuple[int, ...]

    @classmethod
    def of(cls, template: ItemTemplate) -> "_Texts":
        paths, numbers = template.paths, sorted(template.plain)
        return cls(
            tuple(n for n, path in enumerate(paths) if _is_ignored(path)),
            next((n for n in numbers if paths[n] == ("metadata", "generation")), None),
            tuple(n for n in numbers if _is_in_status(paths[n], "observedGeneration")),
        )

    def make_common(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return the same texts wherever a difference means nothing.

        Of a generation, it only counts whether it is earlier than that of the object.
        """
        common = [*texts]
        for number in self.ignored:
            common[number] = _SAME
        if self.generation is not None and texts[self.generation].isdigit():
            current = int(texts[self.generation])
            common[self.generation] = "1"
            for number in self.observed:
                if texts[number].isdigit():
                    common[number] = str(int(int(texts[number]) >= current))
        return tuple(common)


def _is_ignored(path: FieldPath) -> bool:
    if path[0] == "metadata":
        return path[1:] in _IDENTIFYING
    return _is_in_status(path, "lastTransitionTime")


def _is_in_status(path: FieldPath, name: str) -> bool:
    return path[0] == "status" and path[-1] == name


def _without_messages(status: Json) -> Json:
    if isinstance(status, Mapping):
        return {key: _without_messages(item) for key, item in status.items() if key != "message"}
    return [_without_messages(item) for item in status] if isinstance(status, list) else status
