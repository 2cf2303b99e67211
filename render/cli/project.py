"""From a folder to a rendered fleet: the steps that every command begins with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from render.config import Fleet, FleetDocument, load_placements, read_fleet
from render.edge.files import SourceFile, read_optional, read_sources, read_templates
from render.findings.errors import InputError
from render.findings.results import Result, Severity
from render.pipeline import Project, render
from render.rendering.values.rendered import Rendered
from render.topology.hub import assemble

FLEET_FILE = "fleet.yaml"
_HUB_SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A rendered project: its folder, its settings, where its output goes, the fleet.

    `shown` says what its paths are called in findings.
    """

    folder: Path
    fleet: Fleet
    output: Path
    rendered: Rendered
    fleet_path: str
    document: FleetDocument
    shown: Shown


def load(folder: str, output: str | None) -> Loaded:
    """Read and render a project.

    Paths in findings are as the user would type them from where they are.

    Raises:
        InputError: the settings or the placement are wrong, or files can't be read.

    """
    project = Path(folder)
    fleet_file = read_optional(project, FLEET_FILE)
    shown = Shown(project)
    document = read_fleet(shown.pair(fleet_file) if fleet_file is not None else None)
    fleet, spec = document.model, document.model.spec
    hub, hub_results = read_sources(
        project, spec.hub, suffixes=_HUB_SUFFIXES, limit_bytes=spec.max_hub_bytes
    )
    placement_files, placement_results = read_sources(
        project, spec.placement, suffixes=_HUB_SUFFIXES, limit_bytes=None
    )
    unreadable = shown.results((*hub_results, *placement_results))
    try:
        placements = load_placements([shown.pair(file) for file in placement_files])
    except InputError as error:
        in_hub = assemble(map(shown.pair, hub)).results if hub else ()  # all problems at once
        faults = [result for result in in_hub if result.severity is Severity.ERROR]
        raise InputError((*unreadable, *faults, *error.results)) from None
    if unreadable:
        raise InputError(unreadable)
    rendered = render(
        Project(
            fleet=fleet,
            hub_files=[shown.pair(file) for file in hub],
            placements=placements,
            templates=read_templates(project / spec.templates if spec.templates else None),
            fleet_path=shown.path(FLEET_FILE),
            fleet_at=document.at,
        )
    )
    target = Path(output) if output is not None else project / spec.output
    return Loaded(project, fleet, target, rendered, shown.path(FLEET_FILE), document, shown)


class Shown:
    """Paths of the project as the user would type them."""

    def __init__(self, project: Path) -> None:
        """Paths are relative to where the user is; `project` is the folder as it was typed."""
        self._prefix = "" if project == Path() else f"{project.as_posix()}/"

    def path(self, path: str) -> str:
        """What a path of the project is called."""
        return self._prefix + path

    def pair(self, file: SourceFile) -> tuple[str, bytes]:
        """A file, under that path."""
        return self.path(file.path), file.data

    def results(self, results: tuple[Result, ...]) -> tuple[Result, ...]:
        """Findings whose places are called so."""
        return tuple(
            replace(found, origin=replace(found.origin, path=self.path(found.origin.path)))
            if found.origin is not None
            else found
            for found in results
        )
