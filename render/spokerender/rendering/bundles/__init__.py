"""What each spoke gets: placement, retargeting and overrides, each distinct blueprint made once.

A spoke's bundle depends on how its gateways are placed, which overrides it has, and its own
values. The first two repeat over a fleet and the third are held in slots, so the work grows
with the number of different blueprints, not with spokes times objects.
"""

from __future__ import annotations

from spokerender.rendering.bundles.bundler import Bundler
from spokerender.rendering.bundles.fleet import bundle_fleet

__all__ = ["Bundler", "bundle_fleet"]
