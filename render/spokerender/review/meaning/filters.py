"""The filters of a rule before and after a change: what is told of them otherwise, who they ask."""

from collections.abc import Mapping

from spokerender.findings.codes import review as codes
from spokerender.formats.comparing import ABSENT, fingerprint
from spokerender.model import Ref
from spokerender.model.shapes import Json, as_list
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.review.meaning.drafts import Cause, Draft
from spokerender.review.values import Topic

RuleFilters = tuple[SpokeView, Way, Json]
"""The filters of a rule in one state, with a path to it."""


def leave_out_compared(
    before: RuleFilters, after: RuleFilters, earlier: Mapping[Ref, Ref]
) -> tuple[Json, Json]:
    """Return the filters on both sides, without those that come or go and are told of otherwise.

    Where both sides have the same ones, their order may count. `earlier` are the earlier names of
    objects: filters have those of after the change on both sides.
    """
    sides = tuple(
        [(item, view.is_compared_filter(item, way, earlier)) for item in as_list(filters)]
        for view, way, filters in (before, after)
    )
    names = [{fingerprint(item) for item, is_compared in side if is_compared} for side in sides]
    only = names[0] ^ names[1]
    if before[1].asks_service is not after[1].asks_service:
        asking = (item for side in sides for item, _ in side if "externalAuth" in item)
        only |= set(map(fingerprint, asking))
    rest = [[item for item, _ in side if fingerprint(item) not in only] for side in sides]
    return rest[0] or ABSENT, rest[1] or ABSENT


def draft_asking(way: Way, cause: Cause) -> Draft:
    """Return that a filter asks a service who calls, or that none does any more."""
    news = "a filter asks a service who calls"
    loss = "no filter asks a service who calls any more"
    return Draft(
        kind=codes.ASKS_MORE if way.asks_service else codes.ACCESS_REMOVED,
        topic=Topic.ACCESS,
        message=f"{way.levels[-2]}: {news if way.asks_service else loss}",
        cause=cause,
        cure="" if way.asks_service else "attach what guards the rule, or acknowledge the loss",
        levels=way.levels,
        hostnames=way.hostnames,
    )
