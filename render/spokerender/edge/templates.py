"""Read templates and examples: those of the package, and the templates of a project."""

from __future__ import annotations

from collections.abc import Mapping
from errno import ENOTDIR, EXDEV
from functools import cache
from pathlib import Path
from posixpath import normpath, relpath
from typing import TYPE_CHECKING

from spokerender.edge.carried import carried_folder
from spokerender.edge.disclosure import is_foreign
from spokerender.edge.files.source import OnDisk
from spokerender.edge.reading import MOST_BYTES, Naming, as_shown, nowhere, read_sources, unreadable
from spokerender.findings.codes.project import UNREADABLE
from spokerender.findings.errors import InputError
from spokerender.model import Origin
from spokerender.model.sources import Source

if TYPE_CHECKING:
    from spokerender.findings.examples import Examples

_SUFFIX = ".j2"
_METAPOLICIES, _KUADRANT = "metapolicies", "kuadrant-"
_EXAMPLES, _NONE = "examples", "none.txt"


def carried_templates() -> Mapping[str, str]:
    """Return the templates of the package; they are read once in a process."""
    return _read_carried(carried_folder())


@cache
def _read_carried(folder: Path) -> Mapping[str, str]:
    return read_templates(OnDisk(folder), ".")


def known_versions() -> tuple[str, ...]:
    """Return the versions of Kuadrant's operator whose metapolicies the tool carries, sorted."""
    folders = (carried_folder() / _METAPOLICIES).glob(f"{_KUADRANT}*")
    return tuple(sorted(folder.name.removeprefix(_KUADRANT) for folder in folders))


def carried_metapolicies(version: str) -> list[tuple[str, bytes]]:
    """Return the definitions for a version of Kuadrant's operator, with paths for messages."""
    if version not in known_versions():
        return []
    folder = carried_folder() / _METAPOLICIES / f"{_KUADRANT}{version}"
    return [
        (f"<{folder.name}>/{path.name}", path.read_bytes())
        for path in sorted(folder.glob("*.yaml"))
    ]


def carried_examples() -> Examples:
    """Return the examples of findings by code, and the reasons why some codes have none."""
    from spokerender.findings.examples import Examples, parse_example, reasons  # noqa: PLC0415  (start-up counts)

    folder = carried_folder() / _EXAMPLES
    written = {
        path.stem: parse_example(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.txt"))
        if path.name != _NONE
    }
    return Examples(written, reasons((folder / _NONE).read_text(encoding="utf-8")))


def read_templates(source: Source, folder: str, named_at: Naming = nowhere) -> Mapping[str, str]:
    """Return the text of each template in a folder by its path there, as `argocd/flux.yaml.j2`.

    Raises `InputError` if there is none, or if one can't be read or is not UTF-8.
    """
    files, problems = read_sources(
        source, [folder], suffixes=[_SUFFIX], limit_bytes=MOST_BYTES, named_at=named_at
    )
    results = list(as_shown(source, problems))
    templates: dict[str, str] = {}
    root = Path(source.shown("."))
    for file in files:
        path = source.shown(file.path)
        if file.path == normpath(folder):
            results.append(unreadable(path, OSError(ENOTDIR, "not a folder")))
            continue
        # A template's text shows up in what it makes.
        if is_foreign(Path(path), root):
            results.append(unreadable(path, OSError(EXDEV, "a link leads out of the project")))
            continue
        try:
            templates[relpath(file.path, folder)] = file.data.decode()
        except UnicodeDecodeError as error:
            line = file.data.count(b"\n", 0, error.start) + 1
            message, cure = f"{path}: not UTF-8", "save it as UTF-8"
            results.append(UNREADABLE.result(message, cure=cure, origin=Origin(path, line=line)))
    if results:
        raise InputError(tuple(results))
    return templates
