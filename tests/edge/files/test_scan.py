"""Which folders are empty afterwards."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from spokerender.edge.files import disk
from spokerender.edge.files.compare import _emptied
from spokerender.edge.files.folders import walk
from tests.support.counting import calls_of


class Counted(dict[str, bytes]):
    """Files, and how often somebody went through all of them."""

    times = 0

    def __iter__(self) -> Iterator[str]:
        """Count it."""
        self.times += 1
        return super().__iter__()


def test_thousands_of_folders_are_not_each_looked_for_among_thousands_of_files() -> None:
    wanted = Counted({f"n{i}/a.yaml": b"" for i in range(3000)})
    emptied = set(_emptied(["", *(f"n{i}/" for i in range(6000))], set(), wanted))
    assert emptied == {f"n{i}" for i in range(3000, 6000)}
    assert wanted.times <= 1


def test_a_folder_is_emptied_after_those_in_it() -> None:
    prefixes = ["", "a/", "a/b/", "c/", "c/d/"]
    assert list(_emptied(prefixes, {"c/"}, {"x": b""})) == ["c/d", "a/b", "a"]


def test_deep_folders_are_opened_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each from the one that it is in, and not all of them again from the top."""
    opened = calls_of(monkeypatch, disk, "open_folder")
    deepest = tmp_path / ("a/" * 300)
    deepest.mkdir(parents=True)
    (tmp_path / "b/c").mkdir(parents=True)
    root = os.open(tmp_path, os.O_RDONLY)
    try:
        found = [folder.prefix for folder in walk(root, tmp_path)]
    finally:
        os.close(root)
    assert len(found) == 303
    assert len(opened) < 310
