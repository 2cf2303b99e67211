"""The placement file of this project: spokes, rules and overrides, written by people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from render.config import PLACEMENT, PlacementDocument, read_placements
from render.config.documents import Document, Named
from render.model import Place, Spoke
from render.rendering.placement.source import Declared, Source
from render.rendering.values.placement import Override, Rule


def declare(documents: Sequence[Document]) -> Declared:
    """Read the documents; they count in the order of their names, whatever files they are in."""
    unsorted, results = read_placements(documents)
    placements = sorted(unsorted, key=lambda each: each.model.metadata.name)
    return Declared(
        spokes=tuple(
            Spoke(
                entry.name,
                entry.labels,
                entry.values,
                place,
                bundle=entry.gateway_api.bundle or "",
                channel=entry.gateway_api.channel or "",
            )
            for entry, place, _ in _entries(placements, "spokes")
        ),
        rules=tuple(
            Rule(number, *entry) for number, entry in enumerate(_entries(placements, "rules"))
        ),
        overrides=tuple(
            Override(number, *entry)
            for number, entry in enumerate(_entries(placements, "overrides"))
        ),
        names=tuple(_names(unsorted)),
        results=tuple(results),
    )


SOURCE = Source((PLACEMENT,), declare)


def _names(placements: Iterable[PlacementDocument]) -> Iterator[Named]:
    """The spokes' names, in the order of the documents."""
    for placement in placements:
        for index, entry in enumerate(placement.model.spec.spokes):
            yield Named("spoke", entry.name, ("spec", "spokes", index, "name"), placement.written)


def _entries(
    placements: Iterable[PlacementDocument], section: str
) -> Iterator[tuple[Any, Place, str]]:
    """The entries of one section of all documents, each with its place and its field."""
    for placement in placements:
        for index, entry in enumerate(getattr(placement.model.spec, section)):
            place: Place = cache(partial(placement.at, "spec", section, index))
            yield entry, place, f"spec.{section}[{index}]"
