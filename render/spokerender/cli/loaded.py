"""A project that was read and rendered, for what commands make of it; and its fleet file."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from spokerender.config.fleet import FleetFile
from spokerender.config.loading import FleetDocument
from spokerender.edge.reading import read_optional
from spokerender.model.sources import Source
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.combined import read_fleet
from spokerender.wings.part import Part

FLEET_FILE = "fleet.yaml"


class Loaded(Struct, frozen=True, eq=False):
    """A rendered project: its folder, its settings, where its output goes, the fleet."""

    folder: Path
    source: Source
    fleet_file: FleetFile
    output: Path
    rendered: Rendered
    document: FleetDocument
    parts: tuple[Part, ...] = ()

    @property
    def claims(self) -> str:
        """What an engine makes of a folder in the output that is no spoke's, if anything."""
        return next((claim for part in self.parts if (claim := part.claims())), "")

    @property
    def fleet_path(self) -> str:
        """What the fleet file is called in findings."""
        return self.source.shown(FLEET_FILE)


def fleet_of(source: Source) -> FleetDocument:
    """Read a project's fleet file; its defaults, where it has none.

    Raises:
        InputError: it is wrong, or can't be read.

    """
    file = read_optional(source, FLEET_FILE)
    return read_fleet((source.shown(file.path), file.data) if file is not None else None)
