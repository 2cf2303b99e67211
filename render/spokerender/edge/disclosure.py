"""What findings may show of a file: the line they are about, or not even their own words.

A pull request can name any file that CI can read, or link `hub/a.yaml` to it. That such a file is
no YAML may be said; its content may not. Shown is what Git could have brought: what is in the
repository of the project, or in its folder, except Git's own files, hidden files, and what only a
link leads to in a hidden folder. What was named on the command line is shown as well.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from spokerender.edge.carried import carried_meanings
from spokerender.edge.presence import is_there
from spokerender.findings.results import EXCERPT, FindingKind, Result
from spokerender.model import Origin

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
    kind, code_meaning = _kinds()[result.code], carried_meanings()[result.code]
    return kind.result(
        f"{code_meaning.meaning}; the file is not the project's own, so nothing of it is shown",
        cure=code_meaning.mend,
        origin=result.origin,
        spokes=result.spokes,
        severity=result.severity,
    )


@cache
def _kinds() -> dict[str, FindingKind]:
    from spokerender.findings.codes.table import FINDING_KINDS  # noqa: PLC0415  (start-up counts)

    return {kind.code: kind for kind in FINDING_KINDS}


_LARGEST = 1 << 20
_WIDEST = 100
_MOST = 1_000_000
"""Characters that are looked through in all; beyond it findings are told without their lines."""
_CREDENTIAL = re.compile(
    r"secret|passw|token|credential|api[-_ ]?key|private|bearer|stringData|authorization|cookie",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"^---", re.MULTILINE)


def with_excerpts(results: Iterable[Result], folder: Path) -> tuple[Result, ...]:
    """The findings; those that name a column in a file of the folder with its line."""
    left, shown = _MOST, []
    for result in results:
        excerpt = ""
        if result.origin is not None and result.origin.column and left > 0:
            text = _text(Path(result.origin.path), folder)
            left -= len(text)
            excerpt = _excerpt(result.origin, text)
        tagged = replace(result, tags=(*result.tags, (EXCERPT, excerpt))) if excerpt else result
        shown.append(tagged)
    return tuple(shown)


def _excerpt(origin: Origin, text: str) -> str:
    """The line with a mark below the column, or nothing where it must not be shown."""
    lines = text.splitlines()
    if not 0 < origin.line <= len(lines):
        return ""
    ends = [match.start() for match in _SEPARATOR.finditer(text)]
    start = sum(len(line) + 1 for line in lines[: origin.line - 1])
    first = max((end for end in ends if end <= start), default=0)
    last = min((end for end in ends if end > start), default=len(text))
    if _CREDENTIAL.search(text, first, last):
        return ""
    line, column = lines[origin.line - 1], origin.column - 1
    cut = max(0, column - _WIDEST // 2)
    number = str(origin.line)
    shown = line[cut : cut + _WIDEST].replace("\t", " ")
    return f"{number} | {shown}\n{' ' * len(number)} | {' ' * (column - cut)}^"


def _text(path: Path, folder: Path) -> str:
    try:
        own = path.resolve(strict=True).is_relative_to(folder.resolve(strict=True))
        status = path.stat()
        if not own or not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return ""
        if is_foreign(path, folder):
            return ""
        return path.read_bytes().decode().removeprefix("\ufeff")
    except (OSError, ValueError, RuntimeError):  # gone by now, no text, or no name
        return ""
