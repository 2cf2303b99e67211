"""Reading back what a build wrote."""

from pathlib import Path

import pytest

from spokerender.edge.files import read_files, read_folder
from spokerender.findings.errors import DiskError
from tests.edge.files.trees import LINK, ours, write
from tests.support import each


def test_only_files_of_ours_are_read(tmp_path: Path) -> None:
    files = {"b.yaml": ours("b" * 100_000), "a/c.yaml": ours("c"), "a/deep/d.yaml": ours("d")}
    write(tmp_path / "eu", files | {"notes.md": b"by hand", "link.yaml": LINK + b"b.yaml"})

    assert read_folder(tmp_path, "eu") == files
    assert list(read_folder(tmp_path, "eu")) == sorted(files)


@each("missing", "link", "file")
def test_what_is_no_folder_has_no_files(folder: str, tmp_path: Path) -> None:
    write(tmp_path, {"eu/a.yaml": ours("a"), "link": LINK + b"eu", "file": ours("x")})

    assert read_folder(tmp_path, folder) == {}
    assert read_folder(tmp_path / "missing", "eu") == {}


def test_what_is_refused_is_said(tmp_path: Path) -> None:
    with pytest.raises(DiskError, match="File name too long"):
        read_folder(tmp_path, "x" * 300)


def test_some_files_are_read(tmp_path: Path) -> None:
    files = {"b.yaml": ours("b"), "a/c.yaml": ours("c"), "a/deep/d.yaml": ours("d")}
    write(tmp_path / "eu", files | {"a/notes.md": b"by hand"})
    wanted = {"a/deep/d.yaml", "b.yaml", "a/notes.md"}

    found = read_files(tmp_path, "eu", wanted)
    assert found == {path: files[path] for path in wanted if path in files}


@each("missing.yaml", "link.yaml", "below/a.yaml")
def test_what_cannot_be_read_is_said(path: str, tmp_path: Path) -> None:
    """No file is read through a link: that is not where we wrote it."""
    write(tmp_path, {"eu/a.yaml": ours("a"), "us/a.yaml": ours("a")})
    write(tmp_path / "eu", {"link.yaml": LINK + b"a.yaml", "below": LINK + b"../us"})

    with pytest.raises(DiskError, match=path):
        read_files(tmp_path, "eu", [path])
