"""What one would write in an afternoon: load, copy, rename, dump and write, with PyYAML (C)."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import yaml


def main() -> None:
    """Copy the objects of all workspaces: `renaming WORKSPACES OUTPUT`."""
    source, output = map(Path, sys.argv[1:])
    for workspace in sorted(source.iterdir()):
        folder = output / workspace.name
        folder.mkdir(parents=True)
        text = (workspace / "routes.yaml").read_text(encoding="utf-8")
        for data in yaml.load_all(text, Loader=yaml.CSafeLoader):
            made = copy.deepcopy(data)
            made["metadata"]["namespace"] = workspace.name
            made["metadata"]["name"] += f"-{workspace.name}"
            dumped = yaml.dump(made, Dumper=yaml.CSafeDumper, sort_keys=False)
            (folder / f"{made['metadata']['name']}.yaml").write_text(dumped, encoding="utf-8")


if __name__ == "__main__":
    main()
