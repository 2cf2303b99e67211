"""Reading the templates: those that the tool carries, and the user's own over them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from render.edge.files.listing import list_files
from render.edge.files.reading import unreadable
from render.findings.codes.disk import EMPTY, UNREADABLE
from render.findings.errors import InputError
from render.findings.results import Result
from render.model import Origin

_SUFFIX = ".j2"
_PACKAGE = Path(__file__).resolve().parents[2]


def read_templates(overlay: Path | None) -> Mapping[str, str]:
    """Read every template: its name, such as `argocd/applicationset.yaml.j2`, and its text.

    The tool's own lie in the package when it is installed, at the top of the repository
    where it is developed. A file of the overlay replaces the one of the same name.

    Raises:
        InputError: the overlay has no template, or one can't be read or is not UTF-8.

    """
    carried = _PACKAGE / "templates"
    templates = _read(carried if carried.is_dir() else _PACKAGE.parent / "templates")
    return templates | _read(overlay) if overlay else templates


def _read(folder: Path) -> dict[str, str]:
    names, problems = list_files(folder, ".", [_SUFFIX])
    results = [unreadable((folder / path).as_posix(), error) for path, error in problems]
    if not (names or problems):
        cure = f"put {_SUFFIX} files there, or take the folder out of fleet.yaml"
        results.append(EMPTY.result(f"{folder}: no {_SUFFIX} file in this folder", cure=cure))
    templates: dict[str, str] = {}
    for name in sorted(names):
        try:
            templates[name] = (folder / name).read_text(encoding="utf-8")
        except OSError as error:
            results.append(unreadable((folder / name).as_posix(), error))
        except UnicodeDecodeError as error:
            results.append(_not_text((folder / name).as_posix(), error))
    if results:
        raise InputError(tuple(results))
    return templates


def _not_text(path: str, error: UnicodeDecodeError) -> Result:
    line = error.object.count(b"\n", 0, error.start) + 1
    message = f"{path}: not UTF-8"
    return UNREADABLE.result(message, cure="save it as UTF-8", origin=Origin(path, line=line))
