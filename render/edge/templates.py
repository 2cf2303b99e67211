"""Reading the templates: those that the tool carries, and the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from errno import EXDEV
from pathlib import Path
from posixpath import relpath

from render.edge.files.source import OnDisk
from render.edge.foreign import is_foreign
from render.edge.listing import list_files
from render.edge.reading import unreadable
from render.findings.codes.disk import EMPTY, UNREADABLE
from render.findings.errors import InputError
from render.findings.results import Result
from render.model import Origin
from render.model.sources import Source

_SUFFIX = ".j2"
_METAPOLICIES, _KUADRANT = "metapolicies", "kuadrant-"
_PACKAGE = Path(__file__).resolve().parents[1]


def carried_templates() -> Mapping[str, str]:
    """Read the tool's own templates.

    They lie in the package when it is installed, at the top of the repository where it is
    developed.
    """
    return read_templates(OnDisk(_carried()), ".")


def _carried() -> Path:
    carried = _PACKAGE / "templates"
    return carried if carried.is_dir() else _PACKAGE.parent / "templates"


def known_versions() -> tuple[str, ...]:
    """The versions of Kuadrant's operator whose metapolicies the tool carries, sorted."""
    folders = (_carried() / _METAPOLICIES).glob(f"{_KUADRANT}*")
    return tuple(sorted(folder.name.removeprefix(_KUADRANT) for folder in folders))


def carried_metapolicies(version: str) -> list[tuple[str, bytes]]:
    """The definitions for a version of Kuadrant's operator, by the paths that messages name."""
    if version not in known_versions():
        return []
    folder = _carried() / _METAPOLICIES / f"{_KUADRANT}{version}"
    return [
        (f"<{folder.name}>/{path.name}", path.read_bytes())
        for path in sorted(folder.glob("*.yaml"))
    ]


def read_templates(source: Source, folder: str) -> Mapping[str, str]:
    """Read every template in a folder: its name, as `argocd/applicationset.yaml.j2`, and its text.

    Raises:
        InputError: there is no template, or one can't be read or is not UTF-8.

    """
    paths, problems = list_files(source, folder, [_SUFFIX])
    results = [unreadable(source.shown(path), error) for path, error in problems]
    if not (paths or problems):
        cure = f"put {_SUFFIX} files there, or take the folder out of fleet.yaml"
        message = f"{source.shown(folder)}: no {_SUFFIX} file in this folder"
        results.append(EMPTY.result(message, cure=cure))
    templates: dict[str, str] = {}
    for path, data in source.read(sorted(paths)).items():
        if is_foreign(Path(source.shown(path)), Path(source.shown("."))):
            error = OSError(EXDEV, "a link leads out of the project")
            results.append(unreadable(source.shown(path), error))
            continue
        if isinstance(data, OSError):
            results.append(unreadable(source.shown(path), data))
            continue
        try:
            templates[relpath(path, folder)] = data.decode()
        except UnicodeDecodeError as error:
            results.append(_not_text(source.shown(path), error))
    if results:
        raise InputError(tuple(results))
    return templates


def _not_text(path: str, error: UnicodeDecodeError) -> Result:
    line = error.object.count(b"\n", 0, error.start) + 1
    message = f"{path}: not UTF-8"
    return UNREADABLE.result(message, cure="save it as UTF-8", origin=Origin(path, line=line))
