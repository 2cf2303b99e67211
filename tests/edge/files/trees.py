"""Trees in memory and on disk, for the tests of `spokerender.edge.files`."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spokerender.model.plan import HEADER

Disk = dict[str, bytes]
"""Path below the output and bytes; a link is `LINK` and where it leads."""

LINK = b"link to "


@dataclass(frozen=True)
class Tree:
    """What shall be on disk: folder, path below it, bytes."""

    content: Mapping[str, Mapping[str, bytes]]

    @property
    def folders(self) -> Sequence[str]:
        """The names of the folders."""
        return list(self.content)

    def paths(self, folder: str) -> Sequence[str]:
        """The paths of a folder's files."""
        return list(self.content[folder])

    def files(self, folder: str, paths: Collection[str] | None = None) -> Mapping[str, bytes]:  # noqa: ARG002
        """The files of a folder."""
        return self.content[folder]

    @property
    def on_disk(self) -> Disk:
        """What a snapshot of it is."""
        return {
            f"{folder}/{path}": data
            for folder, files in self.content.items()
            for path, data in files.items()
        }


def ours(text: str) -> bytes:
    """The bytes of a file of ours."""
    return HEADER + text.encode()


def write(output: Path, files: Mapping[str, bytes]) -> None:
    """Put files and links on disk, with the folders that they are in."""
    for path, data in files.items():
        place = output / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if data.startswith(LINK):
            place.symlink_to(data.removeprefix(LINK).decode())
        else:
            place.write_bytes(data)


def snapshot(output: Path) -> Disk:
    """Everything that is on disk, hidden or not; an empty folder ends with `/`."""
    found: Disk = {}
    for folder, folders, files in os.walk(output):
        for name in [*folders, *files]:
            place = Path(folder, name)
            path = place.relative_to(output).as_posix()
            if place.is_symlink():
                found[path] = LINK + os.fsencode(place.readlink())
            elif place.is_file():
                found[path] = place.read_bytes()
            elif not any(place.iterdir()):
                found[f"{path}/"] = b""
    return found
