"""The files of `published/`: sources that `build` writes, in one step with the tree."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.cli.loaded import Loaded
from spokerender.edge import files
from spokerender.findings.results import Result
from spokerender.model import Origin


def keep_published(loaded: Loaded) -> None:
    """Write what is new in `published/`, and delete what fleet.yaml lets go.

    It is done before the tree is written: a build that is killed between the two leaves a source
    from which the next one makes the same tree.
    """
    for path, data in loaded.rendered.contribution.files.items():
        files.keep(loaded.folder / path, data)


def not_written(loaded: Loaded) -> Iterator[Result]:
    """An error for every file of `published/` that a build would write or delete."""
    from spokerender.findings.codes.publishing import NOT_WRITTEN  # noqa: PLC0415  (start-up counts)

    for path, data in loaded.rendered.contribution.files.items():
        message = "it is not what a build writes" if data is not None else "it may go"
        yield NOT_WRITTEN.result(
            f"{path}: {message}",
            cure="run spokerender build, and commit what it writes",
            origin=Origin(loaded.source.shown(path)),
        )
