"""What is rendered is never read as an input: neither lies in the other."""

from __future__ import annotations

import os
from pathlib import Path
from posixpath import normpath

from spokerender.cli.loaded import FLEET_FILE
from spokerender.config.loading import FleetDocument
from spokerender.edge.files import OnDisk
from spokerender.findings.codes.project import OVERLAP
from spokerender.findings.errors import InputError
from spokerender.model import Origin
from spokerender.wings.combined import settings_paths


def refuse_overlap(project: Path, document: FleetDocument, output: Path) -> None:
    """Refuse an output that an input is in, or that is in one, whichever links lead there.

    Raises:
        InputError: they overlap.

    """
    spec, target = document.model.spec, _resolved(output)
    inputs = {
        FLEET_FILE: (FLEET_FILE,),
        "the hub": spec.hub,
        "the CRDs": spec.crds,
        "the placement": spec.placement,
        **{f"the {name}": paths for name, paths in settings_paths(document).items()},
        "the templates": (spec.templates,) if spec.templates else (),
    }
    for what, paths in inputs.items():
        for path in dict.fromkeys(map(normpath, paths)):
            read = _resolved(project / path)
            if _overlap(read, target):
                message = f"{output}: the output and {what} overlap"
                cure = "choose another folder with -o, or with `spec.output` in fleet.yaml"
                raise InputError((OVERLAP.result(message, cure=cure),))


def refuse_links(source: OnDisk, project: Path, output: Path) -> None:
    """Refuse a link in what was read that leads to the output, into it, or to where it lies.

    Raises:
        InputError: there are such links.

    """
    target = _resolved(output)
    results = [
        OVERLAP.result(
            f"the link leads to what overlaps the output, {output}",
            cure="take it out, or choose another folder for the output",
            origin=Origin(source.shown(link)),
        )
        for link in sorted(source.links)
        if _overlap(_resolved(project / link), target)
    ]
    if results:
        raise InputError(tuple(results))


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _resolved(path: Path) -> Path:
    """The path without links, as far as they lead somewhere; what is no path stays as it is."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # a NUL is in the name
        return path
