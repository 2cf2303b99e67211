"""A project with other bytes in some of its files reads as one that has them on disk."""

from pathlib import Path

from spokerender.edge.files import OnDisk, Overlaid
from spokerender.edge.reading import read_optional, read_sources
from tests.support.end_to_end import write

FILES = {"hub/a.yaml": "a: 1\n", "hub/b/c.yaml": "c: 1\n", "placement.yaml": "p: 1\n"}


def test_other_bytes_are_read_and_the_rest_is_as_it_was(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    changed = {"hub/b/c.yaml": b"c: 12345\n"}
    source = Overlaid(OnDisk(tmp_path), changed)
    write(tmp_path / "copy", {**FILES, "hub/b/c.yaml": "c: 12345\n"})
    disk = OnDisk(tmp_path / "copy")
    for entries in (["hub"], ["hub/b/c.yaml"], ["./hub/b/../b/c.yaml", "placement.yaml"]):
        wanted = {"suffixes": (".yaml",), "limit_bytes": 1_000_000}
        assert read_sources(source, entries, **wanted) == read_sources(disk, entries, **wanted)  # type: ignore[arg-type]
    assert source.size("hub/./b/c.yaml") == len(changed["hub/b/c.yaml"])
    assert source.shown("hub/b/c.yaml") == (tmp_path / "hub/b/c.yaml").as_posix()


def test_what_is_not_there_is_not(tmp_path: Path) -> None:
    assert read_optional(Overlaid(OnDisk(tmp_path), {}), "fleet.yaml") is None
