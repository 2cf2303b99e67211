"""What befalls files on disk."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from random import Random

Disk = Callable[[Path], object]
"""Something that befalls a path on disk, after the files are written."""


def disk_accident(random: Random) -> Disk:
    """A link, a pipe, a hole of gigabytes… in the place of a file."""
    targets = (
        "../../outside/file", "../../outside", "/proc/self/environ", "/proc/self/mem", "/proc/self/fd/0", "/proc/self", "/proc/kmsg", "/dev/zero", "/dev/null",
        "/dev/full", "/dev/random", "/dev/stdin", "/dev/tty", "/", "/etc/passwd", ".", "..", "nowhere", "../nowhere/at/all", "a" * 300, "hub.yaml",
    )  # fmt: skip
    target = random.choice(targets)
    accidents: list[Disk] = [
        lambda path: path.symlink_to(target),
        lambda path: path.symlink_to(target),
        lambda path: path.symlink_to(target),
        lambda path: path.symlink_to(path.name),
        os.mkfifo,
        _socket,
        lambda path: path.mkdir(),
        Path.exists,  # which changes nothing: it is only gone
        lambda path: path.write_bytes(b"\xff\xfe\x00a"),
        lambda path: path.write_bytes(b"a: \xe9\xff\n"),
        lambda path: path.write_bytes(b""),
        lambda path: _hole(path, 10**11),
        lambda path: _hole(path, 3_000_000),
        lambda path: (path.with_name("a" * 250 + path.suffix)).touch(),
        lambda path: os.close(os.open(os.fsencode(path) + b"\xff.yaml", os.O_CREAT)),
        lambda path: (path.with_name("a\nb\x1b[31m" + path.suffix)).write_text("a: b"),
        _maze,
    ]
    return random.choice(accidents)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = os.open(path.parent, os.O_RDONLY)
        try:
            made.bind(f"/proc/self/fd/{here}/{path.name[:40]}")
        except OSError:
            path.touch()
        finally:
            os.close(here)


def _hole(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def _maze(path: Path) -> None:
    """Folders of links to each other: the ways through them double with every one."""
    path.mkdir()
    for number in range(12):
        folder = path / str(number)
        folder.mkdir()
        for way in ("a", "b"):
            (folder / way).symlink_to(f"../{number + 1}")
    (path / "12").mkdir()
    (path / "12" / "last.yaml").write_text("")
