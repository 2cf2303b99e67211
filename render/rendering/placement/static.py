"""The placement file of this project: spokes, rules and overrides, written by people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

from render.config import PlacementDocument
from render.model import Place, Spoke
from render.rendering.values.placement import Declarations, Override, Rule


def declare(documents: Sequence[PlacementDocument]) -> Declarations:
    """Join the documents; they come sorted by name, so the order of files changes nothing."""
    return Declarations(
        spokes=tuple(
            sorted(
                (
                    Spoke(
                        entry.name,
                        entry.labels,
                        entry.values,
                        place,
                        bundle=entry.gateway_api.bundle or "",
                        channel=entry.gateway_api.channel or "",
                    )
                    for entry, place, _ in _entries(documents, "spokes")
                ),
                key=lambda spoke: spoke.name,
            )
        ),
        rules=tuple(
            Rule(number, *entry) for number, entry in enumerate(_entries(documents, "rules"))
        ),
        overrides=tuple(
            Override(number, *entry)
            for number, entry in enumerate(_entries(documents, "overrides"))
        ),
    )


def _entries(
    documents: Sequence[PlacementDocument], section: str
) -> Iterator[tuple[Any, Place, str]]:
    """The entries of one section of all documents, each with its place and its field."""
    for document in documents:
        for index, entry in enumerate(getattr(document.model.spec, section)):
            place: Place = cache(partial(document.at, "spec", section, index))
            yield entry, place, f"spec.{section}[{index}]"
