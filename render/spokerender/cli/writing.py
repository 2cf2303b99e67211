"""Writing the files that people own: all or none, each in one step, never through a link."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from spokerender.cli.progress import progress
from spokerender.edge import files
from spokerender.findings.errors import DiskError


def in_project(folder: str) -> str:
    """A folder that fleet.yaml names, to be written to: whoever writes that file chooses no other.

    Raises:
        DiskError: it lies outside of the project, in whose folder the command runs.

    """
    if Path(os.path.normpath(folder)).parts[:1] in ((os.sep,), (os.pardir,)):
        message = (
            f"{folder}: fleet.yaml names a folder outside of the project, and nothing is written "
            "there; name it with --output, if it is meant"
        )
        raise DiskError(message)
    return folder


def write_all(project: Path, wanted: Mapping[str, bytes]) -> tuple[list[str], list[str]]:
    """Write files of a project, by their paths below it.

    What can be refused is refused before the first write. A file is replaced by rename: a command
    that is killed leaves each as it was or as it shall be.

    Returns:
        The paths of the files that were not there before, and of those that were.

    Raises:
        DiskError: a link is in the way, or the disk refuses.

    """
    created: list[str] = []
    updated: list[str] = []
    for path in wanted:
        place = project / path
        files.refuse_outside(project, place)
        files.refuse_link(place)
        (updated if os.path.lexists(place) else created).append(path)
    show = progress("written")
    for done, (path, data) in enumerate(wanted.items(), 1):
        files.keep(project / path, data)
        if show is not None:
            show(done, len(wanted))
    return created, updated
