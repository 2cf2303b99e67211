"""What the commands that judge a fleet read besides: the CRDs that `fleet.yaml` names."""

from __future__ import annotations

from render.cli.project import Loaded, files_of
from render.findings.errors import InputError
from render.pipeline import Files


def definitions(loaded: Loaded) -> Files:
    """Read the files of `spec.crds`, as many and as large as they are.

    Raises:
        InputError: they can't be read.

    """
    entries = loaded.fleet_file.spec.crds
    if not entries:
        return ()
    files, problems = files_of(loaded.source, entries)
    if problems:
        raise InputError(problems)
    return files
