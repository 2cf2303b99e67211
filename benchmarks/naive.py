"""What a script without spokerender does: load, deepcopy, set, dump, with PyYAML's C classes."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import yaml


def main(hub: Path, output: Path, spokes: int) -> None:
    """Write every document of the hub for every spoke, with one label set."""
    documents = [
        document
        for path in sorted(hub.iterdir())
        for document in yaml.load_all(path.read_bytes(), Loader=yaml.CSafeLoader)
    ]
    for number in range(spokes):
        folder = output / f"spoke-{number:04}"
        folder.mkdir(parents=True)
        for index, document in enumerate(documents):
            changed = copy.deepcopy(document)
            changed["metadata"].setdefault("labels", {})["spoke"] = folder.name
            text = yaml.dump(changed, Dumper=yaml.CSafeDumper, sort_keys=False)
            (folder / f"{index}.yaml").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
