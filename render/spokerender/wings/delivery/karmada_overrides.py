"""What of an object differs between spokes, as rules of a Karmada override policy.

Each spoke has a rule for all places at which not all agree, also the one whose object is the
template. So a rule stays right when another spoke's object becomes the template, and replacing
never fails: maps are looked into where all have the same keys, and replaced whole where they have
not. Labels and annotations are told key by key, since Karmada adds its own to these maps.

Source: Karmada f8fdd02, pkg/util/overridemanager (a JSON patch; labels and annotations before it).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

Json = dict[str, Any]
Path = tuple[str, ...]

_TOLD_ELSEWHERE = ("apiVersion", "kind", "metadata")
_KEYED = {"labels": "labelsOverrider", "annotations": "annotationsOverrider"}


def rules(objects: Mapping[str, Json]) -> list[Json]:
    """A rule for each way in which an object is, with the spokes on which it is so.

    `objects` is an object as each spoke has it, by the spoke's name; the first is the template.
    """
    spokes: dict[str, list[str]] = {}
    for name, value in objects.items():
        spokes.setdefault(_exact(value), []).append(name)
    ways = [objects[names[0]] for names in spokes.values()]
    overriders = zip(spokes.values(), _overriders(ways), strict=True)
    return [
        {"targetCluster": {"clusterNames": names}, "overriders": each}
        for names, each in overriders
        if each
    ]


def _overriders(ways: Sequence[Json]) -> list[Json]:
    found: list[Json] = [{} for _ in ways]
    metadata = [way.get("metadata") or {} for way in ways]
    for field, overrider in _KEYED.items():
        for each, told in zip(found, _keyed([m.get(field) or {} for m in metadata]), strict=True):
            if told:
                each[overrider] = told
    plain = [*_places(ways, (), _TOLD_ELSEWHERE)]
    plain += _places(metadata, ("metadata",), _KEYED)
    for each, way in zip(found, ways, strict=True):
        patches = [patch for path in plain for patch in _patch(path, way, ways)]
        if patches:
            each["plaintext"] = patches
    return found


def _keyed(maps: Sequence[Mapping[str, str]]) -> Iterator[list[Json]]:
    """What each adds to labels or annotations, and takes away of the template's."""
    keys = [
        key
        for key in dict.fromkeys(key for each in maps for key in each)
        if len({each.get(key) for each in maps}) > 1
    ]
    for each in maps:
        added = {key: each[key] for key in keys if key in each}
        removed = {key: maps[0][key] for key in keys if key not in each and key in maps[0]}
        told = (("add", added), ("remove", removed))
        yield [{"operator": operator, "value": value} for operator, value in told if value]


def _places(maps: Sequence[Json], path: Path, but: Collection[str]) -> Iterator[Path]:
    """Where they differ, below maps in which a key may be missing."""
    for key in dict.fromkeys(key for each in maps for key in each):
        if key not in but:
            yield from _differing([each.get(key) for each in maps], (*path, key))


def _differing(values: Sequence[Any], path: Path) -> Iterator[Path]:
    first = values[0]
    if len({_exact(value) for value in values}) == 1:
        return
    if all(
        isinstance(value, dict) and value.keys() == first.keys() and None not in value.values()
        for value in values
    ):
        for key in first:
            yield from _differing([value[key] for value in values], (*path, key))
    else:
        yield path


def _patch(path: Path, way: Json, ways: Sequence[Json]) -> Iterator[Json]:
    place = "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in path)
    value = _at(way, path)
    if value is not None:
        operator = "add" if any(_at(each, path) is None for each in ways) else "replace"
        yield {"path": place, "operator": operator, "value": value}
    elif _at(ways[0], path) is not None:
        yield {"path": place, "operator": "remove"}


def _at(value: Any, path: Path) -> Any:  # noqa: ANN401  (JSON)
    for part in path:
        value = value.get(part)
    return value


def _exact(value: object) -> str:
    """JSON text tells 1 from true and from 1.0, which Python's `==` does not."""
    return json.dumps(value, sort_keys=True)
