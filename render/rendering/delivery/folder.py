"""Where in the repository the spokes' folders are."""

from __future__ import annotations

from pathlib import PurePosixPath

from render.rendering.delivery.problems import DeliveryProblem


def repository_folder(path: str) -> PurePosixPath:
    """The folder as a path from the repository's root: `./clusters/` is `clusters`.

    Raises `DeliveryProblem` for a path that leaves the repository, which no engine could follow.
    """
    folder = PurePosixPath(path)
    if folder.is_absolute() or ".." in folder.parts:
        message = f'"{path}" is not a folder inside the repository'
        raise DeliveryProblem(message, "name the folder that holds the spokes' folders in `path`")
    return folder
