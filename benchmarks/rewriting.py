"""Writing one file anew in every folder of a tree, by rename, and nothing else: the least it takes.

`python -m benchmarks.rewriting TREE PATH`
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Replace the file at PATH in each folder of TREE by one with the same bytes."""
    tree, path = Path(sys.argv[1]), sys.argv[2]
    stage = tree / ".stage"
    for folder in tree.iterdir():
        place = folder / path
        stage.write_bytes(place.read_bytes())
        stage.rename(place)


if __name__ == "__main__":
    main()
