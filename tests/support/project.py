"""A project from YAML texts, rendered as the commands render it, without a folder."""

from collections.abc import Mapping
from pathlib import Path

from spokerender.cli.loaded import read_fleet_file
from spokerender.cli.project import read_project
from spokerender.edge.files import OnDisk
from spokerender.edge.templates import carried_templates
from spokerender.pipeline import Project, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.combined import read_fleet, read_parts
from spokerender.wings.part import ProjectFiles

PLACEMENT = """\
apiVersion: spokerender.io/v1alpha1
kind: Placement
metadata: {name: shop}
spec:
"""
"""How a placement begins; what follows is indented by two spaces."""

FLEET = """\
apiVersion: spokerender.io/v1alpha1
kind: Fleet
metadata: {name: shop}
spec:
"""


def rendered(
    hub: str | Mapping[str, str], placement: str | Mapping[str, str], fleet: str | None = None
) -> Rendered:
    """Render a project.

    Args:
        hub: the hub's one file, or its files by path.
        placement: the placement file, or several by path.
        fleet: fleet.yaml, if there is one.

    Raises:
        InputError: fleet or placement are not valid. What is wrong with the hub is in `results`.

    """
    return render(project(hub, placement, fleet))


def project(
    hub: str | Mapping[str, str], placement: str | Mapping[str, str], fleet: str | None = None
) -> Project:
    """What was read of a project: see `rendered`."""
    document = read_fleet(None if fleet is None else ("fleet.yaml", fleet.encode()))
    return Project(
        fleet_file=document.model,
        hub_files=_files(hub, "hub/hub.yaml"),
        placement_files=_files(placement, "placement.yaml"),
        templates=carried_templates(),
        parts=read_parts(ProjectFiles(OnDisk(Path("nowhere")), document)),
    )


class _Relative(OnDisk):
    """A folder whose files are called by their paths below it."""

    def shown(self, path: str) -> str:
        return path


def rendered_folder(folder: Path) -> Rendered:
    """Render a project that is a folder; paths in what is found are relative to it."""
    source = _Relative(folder)
    return render(read_project(source, read_fleet_file(source)))


def _files(texts: str | Mapping[str, str], path: str) -> list[tuple[str, bytes]]:
    named = {path: texts} if isinstance(texts, str) else texts
    return [(name, text.encode()) for name, text in named.items()]


def tree(fleet: Rendered) -> dict[str, dict[str, bytes]]:
    """Every folder's files."""
    return {folder: dict(fleet.tree.files(folder)) for folder in fleet.tree.folders}
