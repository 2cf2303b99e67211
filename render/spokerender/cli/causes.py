"""Search for the lines of a change that cause consequences and losses."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from spokerender.cli.loaded import CommittedTree, Loaded, read_fleet_file, read_inputs
from spokerender.cli.project import read_project
from spokerender.edge.files import Overlaid
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.judging.fleet.judged import Aspect
from spokerender.model import Origin
from spokerender.pipeline import judge, render
from spokerender.review.comparison.states import FleetState
from spokerender.review.guard.claims import Losses
from spokerender.review.meaning.causes import CauseSearch, SourceChange
from spokerender.review.values import Consequence, Topic, group_by_cause


def search_causes(
    consequences: Sequence[Consequence],
    states: tuple[FleetState, FleetState],
    loaded: Loaded,
    base: CommittedTree,
) -> Callable[[Iterable[Consequence]], tuple[Consequence, ...]]:
    """Return a function that adds causes to consequences, and sorts consequences by cause.

    If the base is only a committed tree, without sources, causes are unknown.
    """
    # Without the earlier files there is no line to take back.
    if base.document is None or base.source is None:
        return _sort_by_cause

    def render_with(files: Mapping[str, bytes], spokes: Collection[str]) -> FleetState | None:
        source = Overlaid(loaded.source, files)
        try:
            # Only the spokes with the consequence are rendered, since each trial costs a render.
            project = read_project(source, read_fleet_file(source), loaded.folder)
            rendered = render(replace(project, spokes=spokes))
            return FleetState(rendered, judge(rendered, (), Aspect.STATES), states[1].about)
        # A trial without some hunks may be no valid project; it then proves nothing.
        except InputError:
            return None

    sides = (base.source, base.document), (loaded.source, loaded.document)
    files, now = (read_inputs(*side) for side in sides)
    shown = base.source.shown, loaded.source.shown
    change = SourceChange((files, now), shown, render_with)
    # A cause is a hunk of the files without which the consequence is gone. The source of a field
    # may be a line that the change does not touch.
    search = CauseSearch(consequences, states, change)
    return lambda items: _sort_by_cause(map(search.name_cause, items))


def place_at_causes(
    losses: Losses,
    refuse: Callable[[Losses], Iterable[Result]],
    states: tuple[FleetState, FleetState],
    now: Loaded,
    base: CommittedTree,
) -> tuple[Result, ...]:
    """Return the errors of `refuse` for losses, each at the line that causes it, if any does."""
    name_causes = search_causes(losses.consequences, states, now, base)
    placed = replace(losses, consequences=name_causes(losses.consequences))

    def find_line(result: Result) -> Origin | None:
        if result.origin is not None:
            return result.origin
        # No object of the hub stands for a large part of a tree.
        cause = name_causes([Consequence(result, Topic.OBJECTS)])[0]
        return cause.result.origin if cause.hunks == 1 else None

    return tuple(replace(result, origin=find_line(result)) for result in refuse(placed))


def _sort_by_cause(items: Iterable[Consequence]) -> tuple[Consequence, ...]:
    return tuple(item for _, alike in group_by_cause(items) for item in alike)
