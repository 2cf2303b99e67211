"""`--check-pure`: rendered again by a Python that hashes otherwise, every file must be the same.

An order that is a set's own is the same all through a process, so asking twice does not find it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from spokerender.cli import options
from spokerender.edge.processes import Limits, ProgramCommand, run_program
from spokerender.findings.codes.metapolicies import NOT_PURE
from spokerender.findings.results import Result
from spokerender.rendering.values.rendered import Rendered

_LIMITS = Limits(seconds=3600, memory_bytes=1 << 40, output_bytes=1 << 34)
"""It is our own program, and may take as much as this one."""


def impure(folder: str, rendered: Rendered) -> tuple[Result, ...]:
    """What a second render of a project has to tell; nothing where it is refused like the first.

    Raises:
        ProcessError: it can't be started.

    """
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    # -P: a folder `render` where we are is not ours.
    allowed = ("--allow-project-code",) if options.asked("allow_project_code") else ()
    again = ("-P", "-m", "spokerender", "build", folder, "-o", "-", *allowed)
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    ended = run_program(
        ProgramCommand(Path(sys.executable), Path(), again, environment), b"", _LIMITS
    )
    if ended.code or ended.stopped:
        return ()
    place = 0
    for path, text in _printed(rendered):
        if not ended.out.startswith(text, place):
            message = f"rendered again with another PYTHONHASHSEED, {path} is another one"
            return (NOT_PURE.result(message, cure="sort what comes out of a set"),)
        place += len(text)
    return ()


def _printed(rendered: Rendered) -> Iterator[tuple[str, bytes]]:
    """Each file as `build -o -` prints it."""
    for name in rendered.tree.folders:
        for path, data in sorted(rendered.tree.files(name).items()):
            yield f"{name}/{path}", f"---\n# {name}/{path}\n".encode() + data
