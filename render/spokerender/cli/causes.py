"""The causes of consequences, searched in the files of a project before and after a change."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from spokerender.cli.loaded import CommittedTree, Loaded, read_fleet_file, read_inputs
from spokerender.cli.project import read_project
from spokerender.edge.files import Overlaid
from spokerender.findings.errors import InputError
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge, render
from spokerender.review.comparison.states import FleetState
from spokerender.review.meaning.causes import CauseSearch, SourceChange
from spokerender.review.values import Consequence, group_by_cause


def search_causes(
    consequences: Sequence[Consequence],
    states: tuple[FleetState, FleetState],
    loaded: Loaded,
    base: CommittedTree,
) -> Callable[[Iterable[Consequence]], tuple[Consequence, ...]]:
    """Return a function that names causes of consequences, and groups consequences by cause.

    The causes are unknown if the base is only a committed tree.
    """
    if base.document is None or base.source is None:
        return _sort_by_cause

    def render_with(files: Mapping[str, bytes], spokes: Collection[str]) -> FleetState | None:
        source = Overlaid(loaded.source, files)
        try:
            project = read_project(source, read_fleet_file(source), loaded.folder)
            rendered = render(replace(project, spokes=spokes))
            return FleetState(rendered, judge(rendered, (), Aspect.STATES), states[1].about)
        except InputError:
            return None

    sides = (base.source, base.document), (loaded.source, loaded.document)
    files, now = (read_inputs(*side) for side in sides)
    shown = base.source.shown, loaded.source.shown
    change = SourceChange((files, now), shown, render_with)
    search = CauseSearch(consequences, states, change)
    return lambda items: _sort_by_cause(map(search.name_cause, items))


def _sort_by_cause(items: Iterable[Consequence]) -> tuple[Consequence, ...]:
    return tuple(item for _, alike in group_by_cause(items) for item in alike)
