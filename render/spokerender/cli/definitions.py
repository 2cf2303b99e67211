"""What the commands that judge a fleet read besides: the CRDs that `fleet.yaml` names."""

from __future__ import annotations

from spokerender.cli.loaded import Loaded
from spokerender.edge.reading import Files, files_of
from spokerender.findings.errors import InputError


def definitions(loaded: Loaded) -> Files:
    """Read the files of `spec.crds`, which may be as large as a hub.

    Raises:
        InputError: they can't be read.

    """
    spec = loaded.fleet_file.spec
    if not spec.crds:
        return ()
    files, problems = files_of(loaded.source, spec.crds, limit_bytes=spec.max_hub_bytes)
    if problems:
        raise InputError(problems)
    return files
