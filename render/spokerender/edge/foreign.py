"""Findings about files that are not the project's own are told, but not in the files' words.

A pull request can link `hub/a.yaml` to any file that CI can read, or name one. That it is no YAML
may be said; what stands in it may not. Own is what Git could have brought: what is in the
repository that the project is in, or in its folder, but for Git's own files, for files that are
hidden, and for what only a link leads to in a hidden folder. Own is as well what somebody named on
the command line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from spokerender.edge.presence import is_there
from spokerender.findings.results import FindingKind, Result

_GIT = ".git"
_OF_DISK = ("SR12", "SR20")
"""Findings that say no more of a file than its name and what the system said."""


def withheld(
    results: Iterable[Result], folder: Path, given: Sequence[str] = ()
) -> tuple[Result, ...]:
    """The findings; of those about files that are not the project's own, what such ones mean.

    `given` are files and folders that were named on the command line.
    """
    is_not_own = cache(
        lambda path: is_foreign(Path(path), folder) and not _is_given(Path(path), given)
    )
    return tuple(
        _withheld(result)
        if result.origin is not None
        and not result.code.startswith(_OF_DISK)
        and is_not_own(result.origin.path)
        else result
        for result in results
    )


def is_foreign(path: Path, folder: Path) -> bool:
    """Whether a file is not the own one of the project in a folder, whichever link leads to it."""
    try:
        named, real = Path(os.path.abspath(path)), path.resolve(strict=True)  # noqa: PTH100  (lexically)
        boundary = _boundary(folder.resolve(strict=True))
    except (OSError, ValueError, RuntimeError):  # nothing is there that could be told of
        return False
    if not real.is_relative_to(boundary) or real.name.startswith("."):
        return True
    steps = real.relative_to(boundary).parts
    hidden = {step for step in steps if step.startswith(".")}
    return _GIT in steps or not hidden <= set(named.parts)


def _is_given(path: Path, given: Sequence[str]) -> bool:
    """Whether a file is one that was named, or in a named folder and not only linked to there."""
    real = path.resolve()
    return any(real.is_relative_to(Path(each).resolve()) for each in given)


def _boundary(folder: Path) -> Path:
    """The top of the repository that a folder is in; the folder, if it is in none."""
    return next((each for each in (folder, *folder.parents) if is_there(each / _GIT)), folder)


def _withheld(result: Result) -> Result:
    kind = _kinds()[result.code]
    return kind.result(
        f"{kind.meaning}; the file is not the project's own, so nothing of it is shown",
        cure=kind.mend,
        origin=result.origin,
        spokes=result.spokes,
        severity=result.severity,
    )


@cache
def _kinds() -> dict[str, FindingKind]:
    from spokerender.findings.codes.table import FINDING_KINDS  # noqa: PLC0415  (start-up counts)

    return {kind.code: kind for kind in FINDING_KINDS}
