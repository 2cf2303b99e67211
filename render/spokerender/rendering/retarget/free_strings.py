"""Free texts that still have a gateway's old name or hostname in them.

A CEL predicate, rego, an xDS listener name or a generated Service name is a text of its own
grammar: it is never rewritten, but a change that passes it by is told (reference catalogue:
GEP-1762's `<gateway>-<class>`, Envoy Gateway's `<namespace>/<gateway>/<listener>`).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from typing import Any

from spokerender.findings.codes.shipping import FREE_STRING
from spokerender.findings.results import Result
from spokerender.model import FieldPath, Manifest, PlacedGateway, shown
from spokerender.model.asking import ask
from spokerender.rendering.retarget.hostnames import rewritten, suffixes


def remaining(
    manifest: Manifest,
    data: Mapping[str, Any],
    changes: Container[FieldPath],
    placed: tuple[PlacedGateway, ...],
    hub_classes: tuple[str, ...],
) -> list[Result]:
    """A warning per text under `spec` that still has what the retargeting changed elsewhere.

    `data` is the object before the `changes`: what is changed is no free text.
    """
    wanted = dict.fromkeys(
        needle
        for place, hub_class in zip(placed, hub_classes, strict=True)
        for needle in _needles(place, hub_class)
    )
    if not wanted:
        return []
    new = tuple(dict.fromkeys(text for place in placed for text in rewritten(place.hostnames)))
    return [
        FREE_STRING.result(
            f'still has "{stale}" of the hub, which is another on the spoke; free texts are '
            "not rewritten",
            cure="mend it per spoke with an override, if it means this gateway",
            resource=manifest.ref,
            field=shown(field),
            origin=manifest.origin,
        )
        for field, text in _texts(data.get("spec"), ("spec",), changes)
        if (stale := _stale(text, tuple(wanted), new) and ask(_stale, text, tuple(wanted), new))
    ]


def _stale(text: str, wanted: tuple[str, ...], new: tuple[str, ...]) -> str:
    """The first of the wanted that is in a text, and not in one of the new; empty if none is.

    Where slots say that none is, none is with their values either: a longer new one may only hide
    one.
    """
    return next((old for old in _pattern(wanted, new).findall(text) if old not in new), "")


@lru_cache(maxsize=256)
def _pattern(wanted: tuple[str, ...], new: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted({*wanted, *new}, key=len, reverse=True)
    return re.compile(
        r"(?<![A-Za-z0-9-])(" + "|".join(map(re.escape, longest_first)) + r")(?![A-Za-z0-9-])"
    )


def _needles(place: PlacedGateway, hub_class: str) -> Iterator[str]:
    if place.moved:
        yield place.hub.full_name
        yield f"{place.hub.name}-{hub_class}"
    yield from suffixes(place.hostnames)


def _texts(
    value: Any,  # noqa: ANN401  (JSON of any shape)
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
