"""Fields of a live object that differ from its tree.

Fields that the tree does not set are skipped: they are defaults, or a cluster or an engine owns
them. Quantities and durations are equal in every spelling, and empty values are equal to absent
ones. Items of lists that the CRD declares as maps are compared by key, and sets in any order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from spokerender.formats.comparing import ABSENT, fingerprint, is_same_json
from spokerender.judging.validation.structure import SchemaNode, complete
from spokerender.model import FieldPath
from spokerender.model.quantities import parse_quantity
from spokerender.model.shapes import Json
from spokerender.model.times import read_duration

_EMPTY: Sequence[Json] = (None, "", [], {})
_OF_THE_SERVER = ("status",)
_COMPARED_METADATA = ("labels", "annotations")
FindSchema = Callable[[], SchemaNode | None]
"""Returns the schema of a kind, or None if it is unknown."""


class Drifted(Struct, frozen=True, eq=False):
    """A field with its value in the tree and on the cluster; either may be ABSENT."""

    path: FieldPath
    expected: Json
    live: Json


def find_drift(
    expected: Mapping[str, Json], live: Mapping[str, Json], schema: FindSchema, *, full: bool
) -> Iterator[Drifted]:
    """Yield the fields that differ, in the order of the tree's object.

    `live` is without the fields that clusters and engines own. `schema` finds the schema of the
    kind. With `full`, fields that only the cluster has are drift as well.
    """
    comparison = _DriftComparison(schema, full)
    for key in (*expected, *(key for key in live if key not in expected)):
        if key in _OF_THE_SERVER:
            continue
        ours, theirs = expected.get(key, ABSENT), live.get(key, ABSENT)
        if key == "metadata":
            ours, theirs = (
                {name: data[name] for name in _COMPARED_METADATA if name in data}
                for data in (ours, theirs)
            )
        yield from comparison.compare(ours, theirs, (key,))


class _DriftComparison(Struct, frozen=True):
    """The comparison of one object."""

    schema: FindSchema
    is_full: bool

    def compare(self, ours: Json, theirs: Json, path: FieldPath) -> Iterator[Drifted]:
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            for key in ours:
                yield from self.compare(ours[key], theirs.get(key, ABSENT), (*path, key))
            if self.is_full and not theirs.keys() <= ours.keys():
                yield from self._compare_others(ours, theirs, path)
        elif isinstance(ours, list) and isinstance(theirs, list) and not is_same_json(ours, theirs):
            yield from self._compare_lists(ours, theirs, path)
        elif ours is ABSENT:
            if self.is_full and theirs not in _EMPTY:
                yield Drifted(path, ours, theirs)
        elif not self._is_same(ours, theirs, path):
            yield Drifted(path, ours, theirs)

    def _compare_others(self, ours: Json, theirs: Json, path: FieldPath) -> Iterator[Drifted]:
        """Yield the fields that only the cluster has and that are no defaults of the CRD."""
        node = self._find_node(path)
        defaults = complete(node, dict(ours), []) if node is not None else ours
        for key in theirs:
            if key in ours:
                continue
            drift = tuple(self.compare(defaults.get(key, ABSENT), theirs[key], (*path, key)))
            if drift and key in defaults and not isinstance(theirs[key], (Mapping, list)):
                yield Drifted((*path, key), ABSENT, theirs[key])
            else:
                yield from drift

    def _compare_lists(
        self, ours: list[Json], theirs: list[Json], path: FieldPath
    ) -> Iterator[Drifted]:
        node = self._find_node(path)
        list_type = node.list_type if node is not None else ""
        if node is not None and list_type == "map":
            left, right = _by_keys(node, ours), _by_keys(node, theirs)
            if left is not None and right is not None:
                for key, (index, item) in left.items():
                    yield from self.compare(item, right.get(key, (0, ABSENT))[1], (*path, index))
                for key in right.keys() - left.keys():
                    yield Drifted((*path, right[key][0]), ABSENT, right[key][1])
                return
        if list_type == "set":
            if sorted(map(fingerprint, ours)) != sorted(map(fingerprint, theirs)):
                yield Drifted(path, ours, theirs)
            return
        if len(ours) != len(theirs):
            yield Drifted(path, ours, theirs)
            return
        for index, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from self.compare(*pair, (*path, index))

    def _is_same(self, ours: Json, theirs: Json, path: FieldPath) -> bool:
        if theirs is ABSENT or theirs in _EMPTY:
            return ours in _EMPTY and not isinstance(ours, bool)
        if (isinstance(ours, str) and ours == theirs) or is_same_json(ours, theirs):
            return True
        both = (ours, theirs)
        if path[0] == "metadata" or any(
            isinstance(value, bool) or not isinstance(value, str | int | float) for value in both
        ):
            return False
        texts = (str(ours), str(theirs))
        return _is_equal_by(read_duration, *texts) or (
            _is_equal_by(parse_quantity, *texts) and self._may_be_quantity(path)
        )

    def _may_be_quantity(self, path: FieldPath) -> bool:
        """Tell whether a field may be a number or a quantity; a plain text `1.0` is not `1`."""
        node = self._find_node(path)
        return node is None or node.is_either or node.type != "string"

    def _find_node(self, path: FieldPath) -> SchemaNode | None:
        node = self.schema()
        for step in path:
            if node is None:
                break
            if isinstance(step, int):
                node = node.items
            else:
                node = node.properties.get(str(step), node.others)
        return node


def _by_keys(node: SchemaNode, items: list[Json]) -> dict[str, tuple[int, Json]] | None:
    """Return the items with their indexes by the keys of the CRD; None if two have one key."""
    by_keys: dict[str, tuple[int, Json]] = {}
    for index, item in enumerate(items):
        if not isinstance(item, dict) or node.items is None:
            return None
        # A key that an item leaves out has its default.
        defaults = dict(node.items.defaults)
        key = fingerprint([item.get(name, defaults.get(name)) for name in node.list_keys])
        if key in by_keys:
            return None
        by_keys[key] = index, item
    return by_keys


def _is_equal_by(parse: Callable[[str], object], one: str, other: str) -> bool:
    try:
        return parse(one) == parse(other)
    except ValueError:
        return False
