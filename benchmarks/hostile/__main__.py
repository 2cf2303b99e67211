"""`python -m benchmarks.hostile [WORD ...]`: shapes with such a word in their name, measured.

With `--command` another command than the shape's own: `--command status --command "explain {ref}"`;
`{ref}`, `{kind}` and `{spoke}` are names that the shape has. With `--every` all commands, but for
shapes that are piped into one.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path

from benchmarks.hostile import AUTHORS
from benchmarks.hostile.commands import EVERY
from benchmarks.hostile.sweeping import sweep_shape

SIZE = 100_000


def main() -> None:
    """Parse the arguments, and measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of names; all shapes if left out")
    parser.add_argument("--command", action="append", help="in place of the shape's own")
    parser.add_argument("--every", action="store_true", help="every command")
    parser.add_argument("--size", type=int, default=SIZE, help="bytes")
    options = parser.parse_args()
    commands = [tuple(shlex.split(command)) for command in options.command or ()]
    for shape in (shape for shapes in AUTHORS.values() for shape in shapes):
        if not options.words or any(word in shape.name for word in options.words):
            every = EVERY if options.every and shape.commands[0] in EVERY else shape.commands
            for command in commands or every:
                with tempfile.TemporaryDirectory() as work:
                    print(sweep_shape(shape, command, options.size, Path(work)))
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
