"""Attributes of Git, set above the output, that change its bytes at checkout (gitattributes(5)).

Git itself evaluates them, as macros, quoted patterns and the order of files are its own.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from spokerender.edge.git.repository import read_git
from spokerender.edge.presence import is_file
from spokerender.findings.codes.project import STEERED
from spokerender.findings.errors import GitError
from spokerender.findings.phrasing import listed
from spokerender.findings.results import WARNING, Result
from spokerender.model import Origin, grouped
from spokerender.model.plan import TreeSource

_FILE = ".gitattributes"
_SHOWN = 3
_END = b"\n"
"""The entry after the last path, as each path ends with NUL (git-check-attr(1), -z)."""
_HARMLESS = frozenset({b"unspecified", b"unset"})
_OF_FOLDERS = b"export-ignore"
"""The attribute that folders may have, too: git-archive(1) leaves out everything in them."""


def report_attributes(
    place: Path, top: Path, tree: TreeSource, names: Sequence[str]
) -> Iterator[Result]:
    """Yield errors for attributes that a `.gitattributes` above the output sets on files of `tree`.

    `place` is the output and `top` the top of its repository, without links. `names` are the
    attributes to look for. Git runs only if a `.gitattributes` contains one, in a macro or not.
    """
    folders = (folder for folder in place.parents if folder == top or top in folder.parents)
    texts = {path: path.read_bytes() for each in folders if is_file(path := each / _FILE)}
    used = [name for name in names if any(name.encode() in text for text in texts.values())]
    if not used:
        return
    below = place.relative_to(top).as_posix()
    files = [f"{below}/{name}/{path}" for name in tree.folders for path in tree.paths(name)]
    holders = {PurePosixPath(path.rpartition("/")[0]) for path in files}
    above = {f"{folder}/" for each in holders for folder in (each, *each.parents[:-1])}
    lines = [os.fsencode("\0".join((*files, *sorted(above), "")))]
    try:
        answer = read_git(top, "check-attr", "-z", "--stdin", *used, lines=lines).split(b"\0")
    except GitError as error:
        message = f"nobody can tell what it changes in the output: {error}"
        origin = Origin(os.path.relpath(next(iter(texts))))
        yield STEERED.result(message, severity=WARNING, cure="install Git", origin=origin)
        return
    steered = grouped(
        ((name.decode(), value.decode(errors="replace")), os.fsdecode(path))
        for path, name, value in zip(answer[::3], answer[1::3], answer[2::3], strict=False)
        if value not in _HARMLESS and (name == _OF_FOLDERS or not path.endswith((b"/", _END)))
    )
    for (name, value), changed in steered.items():
        attribute = name if value == "set" else f"{name}={value}"
        yield STEERED.result(
            f"{listed(changed, _SHOWN)}: Git changes by {attribute} what an engine gets to read",
            cure=f"take the line out, or write -{name} for {below}/**",
            origin=_find_line(texts, name.encode()),
        )


def _find_line(texts: dict[Path, bytes], name: bytes) -> Origin | None:
    """Return the last line with an attribute's name, in the nearest file that has such a line."""
    for path, text in texts.items():
        lines = [n for n, line in enumerate(text.splitlines(), 1) if name in line]
        if lines:
            return Origin(os.path.relpath(path), line=lines[-1])
    return None
