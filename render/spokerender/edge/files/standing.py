"""The output as it stands in mid-rollout: its record, the folders that are there, their files."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from spokerender.edge.files.disk import disk_errors_of
from spokerender.edge.files.folders import read_files, read_folder
from spokerender.edge.presence import is_file
from spokerender.model.plan import KUSTOMIZATION
from spokerender.model.rollout import RECORD, OutputStanding
from spokerender.rendering.values.layout import FLEET_FOLDER


def read_standing(output: Path, wave: str = "") -> OutputStanding:
    """Read how far a rollout is. Raises `DiskError`.

    The output folder need not exist; `wave` is the one that is asked for.
    """
    with disk_errors_of(output):
        try:
            with os.scandir(output) as entries:
                names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            names = []
    folders = frozenset(name for name in names if is_file(output / name / KUSTOMIZATION))
    is_there = is_file(output / FLEET_FOLDER / RECORD)
    read = read_files(output, FLEET_FOLDER, (RECORD,)) if is_there else {}
    record, path = read.get(RECORD), str(output / FLEET_FOLDER / RECORD)
    return OutputStanding(record, folders, partial(read_folder, output), wave, path)


def standing_of(
    tree: Mapping[str, Mapping[str, bytes]], output: str, wave: str = ""
) -> OutputStanding:
    """Return how far a rollout was in a committed tree; `output` is its place in messages."""
    record = tree.get(FLEET_FOLDER, {}).get(RECORD)
    folders = frozenset(name for name, files in tree.items() if KUSTOMIZATION in files)
    path = f"{output.rstrip('/')}/{FLEET_FOLDER}/{RECORD}"
    return OutputStanding(record, folders, lambda folder: tree.get(folder, {}), wave, path)
