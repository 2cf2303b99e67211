"""Reading files of a project by the paths that messages name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from spokerender.edge.files import OnDisk
from spokerender.edge.reading import Files, files_of
from spokerender.findings.codes.project import TOO_LARGE
from spokerender.findings.errors import InputError

_STDIN = "-"
MOST_PIPED = 1 << 28
"""In bytes: more than all trees of a fleet, which a pipe of functions hands on."""


def given_files(paths: Sequence[str]) -> Files:
    """Read what was named on the command line; standard input (`-`) may be among it.

    Raises:
        InputError: something can't be read.

    """
    named = [path for path in paths if path != _STDIN]
    found, problems = files_of(OnDisk(Path()), named)
    if problems:
        raise InputError(problems)
    return [*found, ("stdin", piped())] if _STDIN in paths else found


def piped() -> bytes:
    """What comes on standard input, which need not end by itself.

    Raises:
        InputError: there is too much of it.

    """
    data = sys.stdin.buffer.read(MOST_PIPED + 1)
    if len(data) > MOST_PIPED:
        message = f"standard input has more than {MOST_PIPED:,} bytes"
        raise InputError((TOO_LARGE.result(message, cure="give it in parts"),))
    return data
