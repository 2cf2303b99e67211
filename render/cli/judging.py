"""What the commands that judge a fleet read besides: the CRDs that `fleet.yaml` names."""

from __future__ import annotations

from render.cli.project import Loaded
from render.edge.files import read_sources
from render.findings.errors import InputError
from render.judging.audit import Files

_SUFFIXES = (".yaml", ".yml", ".json")


def definitions(loaded: Loaded) -> Files:
    """Read the files of `spec.crds`, as many and as large as they are.

    Raises:
        InputError: they can't be read.

    """
    entries = loaded.fleet.spec.crds
    if not entries:
        return ()
    files, problems = read_sources(loaded.folder, entries, suffixes=_SUFFIXES, limit_bytes=None)
    if problems:
        raise InputError(loaded.shown.results(problems))
    return [loaded.shown.pair(file) for file in files]
