"""Placement: which gateway goes to which spokes, and as what.

A source turns documents of its own kinds into what they declare. To add one, write a module beside
`static` and add its row to `sources.SOURCES`.
"""

from __future__ import annotations

from spokerender.rendering.placement.assign import Assigner, implied_texts
from spokerender.rendering.placement.decide import decide, unplaced
from spokerender.rendering.placement.sources import declared

__all__ = ["Assigner", "decide", "declared", "implied_texts", "unplaced"]
