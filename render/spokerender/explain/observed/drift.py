"""Fields of a live object that are not as its tree sets them.

What the tree does not set is passed over: defaults, and what clusters and engines own. Quantities
and durations are equal in every spelling, and what is empty is equal to what is absent.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from spokerender.formats.comparing import ABSENT, is_same_json
from spokerender.model import FieldPath
from spokerender.model.quantities import parse_quantity
from spokerender.model.shapes import Json
from spokerender.model.times import read_duration

_EMPTY: Sequence[Json] = (None, "", [], {})
_OF_THE_SERVER = ("status",)
_PARSERS: Sequence[Callable[[str], object]] = (parse_quantity, read_duration)
_COMPARED_METADATA = ("labels", "annotations")


class Drifted(Struct, frozen=True, eq=False):
    """A field of which the tree says `expected`, and the cluster `live`; either may be ABSENT."""

    path: FieldPath
    expected: Json
    live: Json


class DriftFinder:
    """Finds drift. Values that many spokes share, such as equal specs, are compared once."""

    def __init__(self, *, full: bool) -> None:
        """Start; with `full`, fields that only the cluster has are drift as well."""
        self._full = full
        self._compared: dict[tuple[str, int, int], tuple[Json, Json, tuple[Drifted, ...]]] = {}

    def find(self, expected: Mapping[str, Json], live: Mapping[str, Json]) -> Iterator[Drifted]:
        """Yield the fields that differ, in the order of the tree's object.

        Args:
            expected: the object as its tree has it.
            live: the object of the cluster, without what clusters and engines own.

        """
        for key in (*expected, *(key for key in live if key not in expected)):
            if key in _OF_THE_SERVER:
                continue
            ours, theirs = expected.get(key, ABSENT), live.get(key, ABSENT)
            if key == "metadata":
                ours, theirs = (
                    {name: data[name] for name in _COMPARED_METADATA if name in data}
                    for data in (ours, theirs)
                )
                yield from _compare(ours, theirs, (key,), full=self._full)
            else:
                yield from self._compare_once(key, ours, theirs)

    def _compare_once(self, key: str, ours: Json, theirs: Json) -> Iterable[Drifted]:
        question = key, id(ours), id(theirs)
        if question not in self._compared:
            drift = tuple(_compare(ours, theirs, (key,), full=self._full))
            self._compared[question] = ours, theirs, drift  # both are kept: ids stay true
        return self._compared[question][2]


def _compare(ours: Json, theirs: Json, path: FieldPath, *, full: bool) -> Iterator[Drifted]:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for key in ours:
            yield from _compare(ours[key], theirs.get(key, ABSENT), (*path, key), full=full)
        for key in theirs if full else ():
            if key not in ours:
                yield from _compare(ABSENT, theirs[key], (*path, key), full=full)
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from _compare(*pair, (*path, index), full=full)
    elif ours is ABSENT:
        if full and theirs not in _EMPTY:
            yield Drifted(path, ours, theirs)
    elif not _is_same(ours, theirs):
        yield Drifted(path, ours, theirs)


def _is_same(ours: Json, theirs: Json) -> bool:
    if theirs is ABSENT or theirs in _EMPTY:
        return ours in _EMPTY and not isinstance(ours, bool)
    if (isinstance(ours, str) and ours == theirs) or is_same_json(ours, theirs):
        return True
    both = (ours, theirs)
    if not all(isinstance(value, str | int | float) for value in both) or any(
        isinstance(value, bool) for value in both
    ):
        return False
    return any(_is_equal_by(parse, str(ours), str(theirs)) for parse in _PARSERS)


def _is_equal_by(parse: Callable[[str], object], one: str, other: str) -> bool:
    try:
        return parse(one) == parse(other)
    except ValueError:
        return False
