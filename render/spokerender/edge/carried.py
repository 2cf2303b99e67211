"""The folder of files that the tool carries: templates, examples, meanings of findings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spokerender.findings.examples import CodeMeaning

_PACKAGE = Path(__file__).resolve().parents[1]


def carried_folder() -> Path:
    """Return the folder of the tool's files: in its package, or else at the repository's top."""
    carried = _PACKAGE / "templates"
    return carried if carried.is_dir() else _PACKAGE.parents[1] / "templates"


def carried_meanings() -> Mapping[str, CodeMeaning]:
    """Return what each code of a finding means and how to fix it, by the code."""
    import tomllib  # noqa: PLC0415  (start-up counts)

    from spokerender.findings.examples import CodeMeaning  # noqa: PLC0415  (as above)

    text = (carried_folder() / "findings.toml").read_text(encoding="utf-8")
    return {code: CodeMeaning(**fields) for code, fields in tomllib.loads(text).items()}


def carried_page() -> Mapping[str, str]:
    """Return the files that the page of a review is made of, by their names."""
    folder = carried_folder() / "review"
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
