"""What is in force and what status policies get, with the values of each spoke in the answers."""

from collections.abc import Iterable

from spokerender.explain.in_force import place_answer, share_in_force
from spokerender.explain.statuses import place_status, share_statuses
from spokerender.explain.values import EffectiveAnswer, PathQuestion, PolicyStatus
from spokerender.findings.results import Result
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.rendering.values.rendered import Rendered


def in_force(
    rendered: Rendered, fleet: JudgedFleet, question: PathQuestion
) -> tuple[EffectiveAnswer, ...]:
    """The answers of `share_in_force` about policies, spoke by spoke where their values differ."""
    return tuple(item for item in on_paths(rendered, fleet, question) if item.kind)


def on_paths(
    rendered: Rendered, fleet: JudgedFleet, question: PathQuestion
) -> tuple[EffectiveAnswer, ...]:
    """As `in_force`, and the answers of no kind about what nothing guards, or what is bare."""
    shared = share_in_force(rendered, fleet, question)
    return tuple(sorted((answer for alike in shared for answer in alike.each), key=place_answer))


def statuses(
    fleet: JudgedFleet, spoke: str = "", kind: str = "", more: Iterable[Result] = ()
) -> tuple[PolicyStatus, ...]:
    """The answers of `share_statuses`, spoke by spoke where their values differ."""
    shared = share_statuses(fleet, spoke, kind, more)
    return tuple(sorted((status for alike in shared for status in alike.each), key=place_status))
