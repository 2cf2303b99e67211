"""Finds free texts that still contain a hub gateway's name or hostname.

A CEL predicate, rego, the name of an xDS listener or of a generated Service has its own grammar:
such texts are never rewritten, but reported. Sources: GEP-1762 (`<gateway>-<class>`), Envoy Gateway
(`<namespace>/<gateway>/<listener>`).
"""

import re
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from typing import Any

from spokerender.findings.codes.shipping import FREE_STRING
from spokerender.findings.results import Result
from spokerender.model import FieldPath, Manifest, PlacedGateway, shown
from spokerender.model.shapes import Json
from spokerender.model.slots import consult
from spokerender.rendering.retarget.hostnames import list_changed_hostnames, rewritten


def remaining(
    manifest: Manifest,
    data: Mapping[str, Any],
    changes: Container[FieldPath],
    placed: tuple[PlacedGateway, ...],
    hub_classes: tuple[str, ...],
) -> list[Result]:
    """Return warnings about texts in `spec` or annotations with a name that differs on the spoke.

    `data` is the object before retargeting; texts at the paths of its `changes` are left out.
    """
    old_names = tuple(
        dict.fromkeys(
            name
            for place, hub_class in zip(placed, hub_classes, strict=True)
            for name in (
                *([place.hub.full_name, f"{place.hub.name}-{hub_class}"] if place.moved else ()),
                *list_changed_hostnames(place.hostnames),
            )
        )
    )
    if not old_names:
        return []
    new = tuple(dict.fromkeys(text for place in placed for text in rewritten(place.hostnames)))
    return [
        FREE_STRING.result(
            f'still contains "{stale}" of the hub, which has another name on the spoke; free texts '
            "are not rewritten",
            cure="change it with an override on these spokes, if it means this gateway",
            resource=manifest.ref,
            field=shown(field),
            origin=manifest.origin,
        )
        for value, path in (
            (data["metadata"].get("annotations"), ("metadata", "annotations")),
            (data.get("spec"), ("spec",)),
        )
        for field, text in _texts(value, path, changes)
        # First without recording: nearly all results are empty, which holds for all values.
        if (stale := _stale(text, old_names, new) and consult(_stale, text, old_names, new))
    ]


def _stale(text: str, old_names: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Return the first old name in a text that is not part of a new name; otherwise empty.

    If the result is empty for a text with slots, it is empty for all values of the slots: an old
    name that a value completes is then a part of a new name.
    """
    return next((old for old in _pattern(old_names, new).findall(text) if old not in new), "")


@lru_cache(maxsize=256)
def _pattern(old_names: tuple[str, ...], new: tuple[str, ...]) -> re.Pattern[str]:
    # New names are searched for as well, the longest first: an old name inside a new one does not
    # count. A pattern takes the first of its alternatives that matches.
    longest_first = sorted({*old_names, *new}, key=len, reverse=True)
    return re.compile(
        r"(?<![A-Za-z0-9-])(" + "|".join(map(re.escape, longest_first)) + r")(?![A-Za-z0-9-])"
    )


def _texts(
    value: Json,
    path: FieldPath,
    changes: Container[FieldPath],
) -> Iterator[tuple[FieldPath, str]]:
    if path in changes:
        return
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, (dict, Mapping)):  # a dict is told fast
        for key, item in value.items():
            yield from _texts(item, (*path, key), changes)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index), changes)
