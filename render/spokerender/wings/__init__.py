"""The table of wings. To add one: a package here with its `Wing`, and a row below."""

from __future__ import annotations

from spokerender.wings import delivery, metapolicies, publishing
from spokerender.wings.wing import Wing

WINGS: tuple[Wing, ...] = (publishing.WING, metapolicies.WING, delivery.WING)
"""In the order in which they contribute: a metapolicy may read what publishing copies."""
