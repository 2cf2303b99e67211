"""Limit the file content that findings show, so that a pull request can't disclose files.

A pull request can name any file that CI can read, or link `hub/a.yaml` to it. A finding may report
that such a file is not YAML, but must not quote it. Findings quote files in the repository of the
project, or in its folder, except Git's own files, hidden files, and files in hidden folders that
only a link leads to. They also quote files that the command line names.
"""

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
_ABOUT_DISK = ("SR12", "SR20")
"""Findings that disclose only the name of a file and an error of the operating system."""


def withhold_foreign(
    results: Iterable[Result], folder: Path, given: Sequence[str] = ()
) -> tuple[Result, ...]:
    """Return the findings; findings about files outside the project get a general text.

    `given` are files and folders that the command line names; they count as the project's.
    """
    # Asked for each finding, and there are few files.
    is_withheld = cache(
        lambda path: is_foreign(Path(path), folder) and not _is_given(Path(path), given)
    )
    return tuple(
        _withheld(result)
        if result.origin is not None
        and not result.code.startswith(_ABOUT_DISK)
        and is_withheld(result.origin.path)
        else result
        for result in results
    )


def is_foreign(path: Path, folder: Path) -> bool:
    """Return whether a file is outside the project, even if a link in the project leads to it."""
    try:
        # Both the name and its target count: a link may lead out of the project, or to a hidden
        # file.
        named, real = Path(os.path.abspath(path)), path.resolve(strict=True)  # noqa: PTH100  (lexically)
        own = folder.resolve(strict=True)
        # The repository's top is the border, as a project may use files beside its folder.
        boundary = next((top for top in (own, *own.parents) if is_there(top / _GIT)), own)
    except (OSError, ValueError, RuntimeError):  # there is nothing to disclose
        return False
    if not real.is_relative_to(boundary) or real.name.startswith("."):
        return True
    steps = real.relative_to(boundary).parts
    hidden = {step for step in steps if step.startswith(".")}
    # A hidden folder that the user typed is meant; one behind a link is not.
    return _GIT in steps or not hidden <= set(named.parts)


def _is_given(file: Path, given: Sequence[str]) -> bool:
    """Return whether a file, its links followed, is in `given` or below a folder in `given`."""
    real = file.resolve()
    return any(real.is_relative_to(Path(path).resolve()) for path in given)


def _withheld(result: Result) -> Result:
    kind, code_meaning = _kinds()[result.code], carried_meanings()[result.code]
    return kind.result(
        f"{code_meaning.meaning}; the file does not belong to the project, so its content is not "
        "shown",
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
_WIDEST = 64
_MOST = 1_000_000
"""The most characters that are searched in all; further findings have no excerpt."""
_CREDENTIAL = (
    r"secret|passw|token|credential|api[-_ ]?key|private|bearer|stringData|authorization|cookie"
)


def with_excerpts(results: Iterable[Result], folder: Path) -> tuple[Result, ...]:
    """Return the findings; findings about a column of a file in `folder` get an excerpt."""
    # A bound for all findings together, as each may name another large file.
    left, tagged_results = _MOST, []
    for result in results:
        excerpt = ""
        if result.origin is not None and result.origin.column and left > 0:
            text = _text(Path(result.origin.path), folder)
            left -= len(text)
            excerpt = _excerpt(result.origin, text)
        tagged = replace(result, tags=(*result.tags, (EXCERPT, excerpt))) if excerpt else result
        tagged_results.append(tagged)
    return tuple(tagged_results)


def _excerpt(origin: Origin, text: str) -> str:
    """Return the line with a sign below the column; empty if the line must not be shown."""
    lines = text.splitlines()
    if not 0 < origin.line <= len(lines):
        return ""
    # In the whole file: a line of a private key may look like a separator of documents.
    if re.search(_CREDENTIAL, text, re.IGNORECASE):
        return ""
    # A window of the line, since lines of JSON may be very long.
    line, column = lines[origin.line - 1], origin.column - 1
    cut = max(0, column - _WIDEST // 2)
    number = str(origin.line)
    shown = line[cut : cut + _WIDEST].replace("\t", " ")
    return f"{number} | {shown}\n{' ' * len(number)} | {' ' * (column - cut)}^"


def _text(path: Path, folder: Path) -> str:
    try:
        is_inside = path.resolve(strict=True).is_relative_to(folder.resolve(strict=True))
        status = path.stat()
        if not is_inside or not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return ""
        if is_foreign(path, folder):
            return ""
        return path.read_bytes().decode().removeprefix("\ufeff")
    except (OSError, ValueError, RuntimeError):  # deleted by now, not text, or not a valid name
        return ""
