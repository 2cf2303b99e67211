"""Read the files that a user names, and write files that people own: all or none, by rename."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from spokerender.cli.options import refuse_usage
from spokerender.cli.reporting import progress
from spokerender.edge import files
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import require_files
from spokerender.findings.codes.project import TOO_LARGE
from spokerender.findings.errors import DiskError, InputError
from spokerender.model.sources import Files

_STDIN = "-"
_URL = re.compile("[a-z][a-z0-9+.-]*://", re.IGNORECASE)
MOST_PIPED = 1 << 28
"""The limit of standard input in bytes: more than all trees of a fleet in a pipe of functions."""


def read_given_files(paths: Sequence[str]) -> Files:
    """Read the files that the user named; `-` is standard input.

    Raises `InputError` if a file cannot be read, and `click.UsageError` for URLs.
    """
    urls = [path for path in paths if _URL.match(path)]
    if urls:
        names = ", ".join(map(redact_url, urls))
        command = click.get_current_context().command_path
        refuse_usage(
            f"{names}: files are read from disk and standard input only; download the file, or "
            f"pipe it in: curl -fsSL URL | {command} -"
        )
    named = [path for path in paths if path != _STDIN]
    contents = require_files(OnDisk(Path()), named)
    stdin = [("stdin", read_stdin())] if _STDIN in paths else []
    return [*contents, *stdin]


def redact_url(url: str) -> str:
    """Return a URL for messages: without user and query, which may be credentials."""
    scheme, separator, rest = url.partition("://")
    address, query, _ = rest.partition("?")
    host, slash, path = address.partition("/")
    bare = f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
    return f"{bare}?…" if query else bare


def read_stdin() -> bytes:
    """Read standard input, which need not end by itself. Raises `InputError`."""
    data = sys.stdin.buffer.read(MOST_PIPED + 1)
    if len(data) > MOST_PIPED:
        message = f"standard input is larger than {MOST_PIPED:,} bytes"
        raise InputError((TOO_LARGE.result(message, cure="pass it in parts"),))
    return data


def in_project(path: str, cure: str = "name it with --output if you mean it") -> str:
    """Return a path below the project that fleet.yaml names, if a command may write there.

    Raises `DiskError` if it is outside the project: only the command line may name such a folder.
    """
    if Path(os.path.normpath(path)).parts[:1] in ((os.sep,), (os.pardir,)):
        raise DiskError(
            f"{path}: fleet.yaml names a folder outside the project, where nothing is written; "
            f"{cure}"
        )
    return path


def write_all(project: Path, contents: Mapping[str, bytes]) -> tuple[list[str], list[str]]:
    """Write files of a project, by their paths below it.

    Whatever can be refused is refused before the first write. A file is replaced by rename: a
    command that is killed leaves each file either old or new. Returns the paths of the files that
    were not there before, and of those that were.

    Raises `DiskError` if a link is in the way, or the disk refuses.
    """
    created: list[str] = []
    updated: list[str] = []
    for path in contents:
        place = project / path
        files.refuse_outside(project, place)
        files.refuse_link(place)
        (updated if os.path.lexists(place) else created).append(path)
    show = progress("written")
    for done, (path, data) in enumerate(contents.items(), 1):
        files.keep(project / path, data)
        if show is not None:
            show(done, len(contents))
    return created, updated
