"""Make a review of two states of a fleet."""

from __future__ import annotations

from msgspec.structs import replace

from spokerender.findings.results import Result
from spokerender.review.changes.values import TreeDifferences
from spokerender.review.comparison.states import FleetState
from spokerender.review.meaning.consequences import (
    accept,
    find_consequences,
    split_tightened,
)
from spokerender.review.meaning.matrix import make_matrix
from spokerender.review.values import Review


def make_review(
    before: FleetState,
    after: FleetState,
    differences: TreeDifferences,
    results: tuple[Result, ...] = (),
) -> Review:
    """Compare two states, and apply the suppressions of the later one's fleet file."""
    settings, topology = after.rendered.settings, after.rendered.topology
    consequences, tightened = split_tightened(find_consequences(before, after))
    about = before.about
    names = {*before.rendered.bundles}, {*after.rendered.bundles}
    if all(names) and names[0].isdisjoint(names[1]):
        note = f"{about.name} and {after.about.name} have no spoke in common"
        about = replace(about, note=f"{about.note}; {note}" if about.note else note)
    return Review(
        before=about,
        after=after.about,
        changes=differences.items,
        consequences=accept(consequences, settings.suppressions, topology.labels_of),
        tightened=tightened,
        matrix=make_matrix(before, after),
        results=results,
        left_out=differences.left_out,
    )
