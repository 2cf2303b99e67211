"""Input of a given size that was written to cost much: by who may write it."""

from __future__ import annotations

from benchmarks.hostile import crds, fleets, hubs, ocm, placements, texts, trees
from benchmarks.hostile.refusals import HOSTILE, write_hostile

__all__ = ["AUTHORS", "HOSTILE", "write_hostile"]

AUTHORS = {
    "the hub": (*hubs.SHAPES, *ocm.SHAPES),
    "the placement": placements.SHAPES,
    "the fleet file and what it names": fleets.SHAPES,
    "CRDs": crds.SHAPES,
    "texts and pipes": texts.SHAPES,
    "the committed tree": trees.SHAPES,
}
