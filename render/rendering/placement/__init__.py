"""Placement: which gateway goes to which spokes, and as what.

A source turns the documents of one kind into `Declarations`. To add a source, write one
module beside `static` and add its row to `SOURCES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from render.config import PlacementDocument
from render.rendering.placement import static
from render.rendering.placement.assign import Assigner, implied_texts
from render.rendering.placement.decide import decide, unplaced
from render.rendering.values.placement import Declarations

Source = Callable[[Sequence[PlacementDocument]], Declarations]

SOURCES: Mapping[str, Source] = {
    "Placement": static.declare,
}

__all__ = [
    "SOURCES",
    "Assigner",
    "decide",
    "implied_texts",
    "unplaced",
]
