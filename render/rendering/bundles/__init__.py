"""What each spoke gets: placement, retargeting and overrides, each distinct case done once.

A spoke's bundle depends on how its gateways are placed, which overrides it has, and its own
values. The first two repeat over a fleet and the third are held in slots, so the work grows
with the number of different cases, not with spokes times objects.
"""

from __future__ import annotations

from render.rendering.bundles.bundler import Bundler
from render.rendering.bundles.known import needs_no_slots
from render.rendering.bundles.values import Bundle, Case, Outcomes, Variant

__all__ = ["Bundle", "Bundler", "Case", "Outcomes", "Variant", "needs_no_slots"]
