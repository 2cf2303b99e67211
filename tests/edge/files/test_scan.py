"""Which folders are empty afterwards."""

from __future__ import annotations

from collections.abc import Iterator

from render.edge.files import scan


class Counted(dict[str, bytes]):
    """Files, and how often somebody went through all of them."""

    times = 0

    def __iter__(self) -> Iterator[str]:
        """Count it."""
        self.times += 1
        return super().__iter__()


def test_thousands_of_folders_are_not_each_looked_for_among_thousands_of_files() -> None:
    wanted = Counted({f"n{i}/a.yaml": b"" for i in range(3000)})
    prefixes = ["", *(f"n{i}/" for i in range(6000))]
    emptied = set(scan._emptied(prefixes, set(), wanted))
    assert emptied == {f"n{i}" for i in range(3000, 6000)}
    assert wanted.times <= 1


def test_a_folder_is_emptied_after_those_in_it() -> None:
    prefixes = ["", "a/", "a/b/", "c/", "c/d/"]
    assert list(scan._emptied(prefixes, {"c/"}, {"x": b""})) == ["c/d", "a/b", "a"]
