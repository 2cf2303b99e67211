"""Files above the output, up to the top of its repository, that keep engines from reading it."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from spokerender.edge.presence import is_file
from spokerender.findings.codes.project import STEERED
from spokerender.findings.phrasing import listed
from spokerender.findings.results import Result
from spokerender.model import Origin
from spokerender.model.plan import TreeSource
from spokerender.rendering.values.engines import Above

_SHOWN = 3
_MOST_WILDCARDS = 8
"""A pattern with more wildcards counts as matching: trying them all could take too long."""
_MOST_BYTES = 1 << 20
_PARTS = re.compile(r"\*\*/|/\*\*$|\*+|\?|\[!?\]?[^\]]*\]|\\.|.", re.DOTALL)


class _Line(Struct, frozen=True):
    """A line of an ignore file: the paths that it matches, and whether it includes them again."""

    number: int
    matches: re.Pattern[str]
    is_negated: bool


def report_above(
    place: Path, top: Path, tree: TreeSource, rows: Sequence[Above]
) -> Iterator[Result]:
    """Yield errors for lines in files above the output that change what an engine reads of a tree.

    `place` is the output and `top` the top of its repository, without links; `rows` are the kinds
    of ignore files to look for.
    """
    files: Sequence[str] | None = None
    # From the output up to the repository's top: engines read nothing above it.
    for folder in (folder for folder in place.parents if folder == top or top in folder.parents):
        for row in rows:
            if not is_file(folder / row.name):
                continue
            # The list of all files is made only if some such file is there.
            if files is None:
                files = [f"{name}/{path}" for name in tree.folders for path in tree.paths(name)]
            below = "/".join(place.relative_to(folder).parts)
            yield from _steered(folder / row.name, row, [f"{below}/{path}" for path in files])


def _steered(file: Path, row: Above, paths: Iterable[str]) -> Iterator[Result]:
    with file.open("rb") as stream:
        # A bound, since the file may be anybody's.
        text = stream.read(_MOST_BYTES).decode(errors="replace")
    lines = [
        _read(number, pattern)
        for number, line in enumerate(text.splitlines(), 1)
        if (pattern := line.strip()) and not line.startswith("#")
    ]
    by_line: dict[int, list[str]] = {}
    for path in paths if lines else ():
        # The last matching line decides (gitignore(5)).
        line = next((line for line in reversed(lines) if line.matches.fullmatch(path)), None)
        if line is not None and not line.is_negated:
            by_line.setdefault(line.number, []).append(path)
    for number, steered in sorted(by_line.items()):
        yield STEERED.result(
            f"{listed(steered, _SHOWN)}: {row.effect}",
            cure="take the line out, or make its pattern narrower",
            origin=Origin(os.path.relpath(file), line=number),
        )


def _read(number: int, text: str) -> _Line:
    """Return line `number` of an ignore file, with its pattern compiled as in gitignore(5)."""
    pattern = text.removeprefix("!")
    parts = _PARTS.findall(pattern.strip("/"))
    is_anchored = "/" in pattern.rstrip("/")
    is_wild = sum(part[0] in "*?" for part in parts) > _MOST_WILDCARDS
    body = ".*" if is_wild else "".join(map(_translate, parts))
    end = "/.*" if pattern.endswith("/") else "(?:/.*)?"
    start = "" if is_anchored else "(?:.*/)?"
    try:
        matches = re.compile(f"{start}{body}{end}", re.DOTALL)
    except re.error:  # such as a range that ends before it begins
        # An unreadable pattern counts as one that matches, like one with too many wildcards.
        matches = re.compile(".*", re.DOTALL)
    return _Line(number, matches, text.startswith("!"))


def _translate(part: str) -> str:
    special = {"**/": "(?:.*/)?", "/**": "/.*", "?": "[^/]"}
    if part in special:
        return special[part]
    if part[0] == "*":
        return "[^/]*"
    if part[0] == "[" and len(part) > 1:
        negation, content = ("^", part[2:-1]) if part[1] == "!" else ("", part[1:-1])
        # Ranges need their minus sign, which `escape` has escaped.
        ranges = re.escape(content).replace(r"\-", "-")
        return f"[{negation}{ranges}]" if content else re.escape(part)
    return re.escape(part[-1])
