"""Reading the project: everything that is there, in one order, and everything that is wrong."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from spokerender.edge import reading
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import read_optional, read_sources
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.model import Origin
from spokerender.model.sources import SourceFile
from tests.edge.files.trees import LINK, Disk, write
from tests.support import cases, named_rows_of
from tests.support.counting import calls_of

SUFFIXES = (".yaml", ".yml", ".json")


def read(project: Path, *entries: str, limit: int = 1_000_000) -> tuple[Disk, tuple[Result, ...]]:
    files, results = read_sources(OnDisk(project), entries, suffixes=SUFFIXES, limit_bytes=limit)
    assert [file.path for file in files] == sorted({file.path for file in files})
    return {file.path: file.data for file in files}, results


def test_a_folder_is_read_with_all_below_it(tmp_path: Path) -> None:
    files = {"hub/E.YAML": b"e", "hub/a/c.yml": b"c", "hub/a/deep/d.json": b"d", "hub/b.yaml": b"b"}
    ignored = {"hub/README.md": b"", "hub/.a.yaml": b"", "hub/.git/a.yaml": b"", "other.yaml": b""}
    write(tmp_path, files | ignored)

    assert read(tmp_path, "hub/") == (files, ())
    assert read(tmp_path, "./hub") == (files, ())


@cases(*named_rows_of(__file__, "entries"))
def test_entries(entries: Sequence[str], paths: Sequence[str], tmp_path: Path) -> None:
    names = ["hub/a.yaml", "hub/b.yaml", "placement.txt", ".hidden/c.yaml", ".hidden/.d.yaml"]
    files = {name: name.encode() for name in names}
    write(tmp_path, files)

    assert read(tmp_path, *entries) == ({path: files[path] for path in paths}, ())


def test_an_entry_outside_the_project(tmp_path: Path) -> None:
    write(tmp_path, {"shared/a.yaml": b"a", "project/b.yaml": b"b"})

    assert read(tmp_path / "project", "../shared") == ({"../shared/a.yaml": b"a"}, ())


def test_links_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    links = {
        "hub/self": LINK + b".",
        "hub/a/up": LINK + b"../../hub",
        "hub/a/other": LINK + b"../../other",
        "other/back": LINK + b"../hub",
        "hub/link.yaml": LINK + b"a/a.yaml",
    }
    write(tmp_path, links | {"hub/a/a.yaml": b"a", "other/b.yaml": b"b"})

    files, results = read(tmp_path, "hub")

    assert files == {"hub/a/a.yaml": b"a", "hub/a/other/b.yaml": b"b", "hub/link.yaml": b"a"}
    assert results == ()


def test_everything_that_is_wrong_is_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "hub/good.yaml": b"good",
            "hub/nowhere.yaml": LINK + b"gone",
            "hub/loop.yaml": LINK + b"loop.yaml",
            "empty/README.md": b"",
            "file": b"",
        },
    )
    os.mkfifo(tmp_path / "hub/pipe.yaml")

    files, results = read(tmp_path, "hub", "empty", "missing/", "nul\0", "file/x.yaml")

    assert files == {"hub/good.yaml": b"good"}
    assert [(r.code, r.message, r.origin) for r in results] == [
        ("SR1202", "empty: no .yaml, .yml, .json file in this folder", None),
        ("SR1201", "missing/: no such file or folder", None),
        ("SR1201", "nul\0: no such file or folder", None),
        ("SR1203", "file/x.yaml: Not a directory", Origin("file/x.yaml")),
        ("SR1203", "hub/loop.yaml: Too many levels of symbolic links", Origin("hub/loop.yaml")),
        ("SR1203", "hub/nowhere.yaml: No such file or directory", Origin("hub/nowhere.yaml")),
        ("SR1203", "hub/pipe.yaml: not a file", Origin("hub/pipe.yaml")),
    ]
    assert all(result.cure for result in results)


def test_a_problem_with_an_entry_has_the_field_that_names_it(tmp_path: Path) -> None:
    """What is wrong with a file of the entry has that file as its place instead."""
    write(tmp_path, {"hub/a.yaml": b"1234", "hub/b.yaml": LINK + b"gone", "empty/README.md": b""})

    _, results = read_sources(
        OnDisk(tmp_path),
        ["hub", "missing", "empty"],
        suffixes=SUFFIXES,
        limit_bytes=3,
        named_at=lambda entry: (f"spec.hub.{entry}", Origin("fleet.yaml", line=3)),
    )

    assert [(r.code, r.field, r.origin) for r in results] == [
        ("SR1201", "spec.hub.missing", Origin("fleet.yaml", line=3)),
        ("SR1202", "spec.hub.empty", Origin("fleet.yaml", line=3)),
        ("SR1203", "", Origin("hub/b.yaml")),
        ("SR1204", "spec.hub.hub", Origin("fleet.yaml", line=3)),
    ]


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "hub").mkdir()
    (tmp_path / os.fsdecode(b"hub/caf\xe9.yaml")).write_bytes(b"")

    files, (result,) = read(tmp_path, "hub")

    assert files == {}
    assert (result.code, result.message) == ("SR1203", r"hub/caf\xe9.yaml: its name is not UTF-8")
    assert result.cure.startswith("rename it")


@cases((8, False), (7, True))
def test_the_limit_is_for_all_files_together(
    limit: int, is_too_large: bool, tmp_path: Path
) -> None:
    write(tmp_path, {"hub/a.yaml": b"1234", "more/b.yaml": b"5678"})

    files, results = read(tmp_path, "hub", "more", limit=limit)

    assert bool(files) is not is_too_large
    messages = ["hub, more: 8 bytes are more than the 7 that are allowed"] if is_too_large else []
    assert [result.message for result in results] == messages
    assert [result.code for result in results] == ["SR1204"] * is_too_large


def test_too_large_is_told_along_with_everything_else(tmp_path: Path) -> None:
    write(tmp_path, {"hub/a.yaml": b"1234", "hub/b.yaml": LINK + b"gone"})

    files, results = read(tmp_path, "hub", "missing", limit=3)

    assert files == {}
    assert [result.code for result in results] == ["SR1201", "SR1203", "SR1204"]


def test_an_optional_file(tmp_path: Path) -> None:
    write(tmp_path, {"fleet.yaml": b"kind: Fleet\n", "folder/x": b""})

    assert read_optional(OnDisk(tmp_path), "fleet.yaml") == SourceFile(
        "fleet.yaml", b"kind: Fleet\n"
    )
    assert read_optional(OnDisk(tmp_path), "./fleet.yaml") == SourceFile(
        "fleet.yaml", b"kind: Fleet\n"
    )
    assert read_optional(OnDisk(tmp_path), "missing.yaml") is None
    assert read_optional(OnDisk(tmp_path / "missing"), "fleet.yaml") is None
    with pytest.raises(InputError) as raised:
        read_optional(OnDisk(tmp_path), "folder")
    assert [r.message for r in raised.value.results] == ["folder: not a file"]


def test_a_file_that_has_more_than_its_size_says_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"hub/a.yaml": LINK + b"/proc/self/status"})

    files, (result,) = read(tmp_path, "hub")

    assert files == {}
    assert result.message == "hub/a.yaml: it has more in it than its size says"


def test_a_maze_of_links_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each folder leads to the next one in two ways: 2**30 ways to the last one."""
    for number in range(30):
        link = LINK + f"../{number + 1}".encode()
        write(tmp_path, {f"hub/{number}/one": link, f"hub/{number}/other": link})
    write(tmp_path, {"hub/30/last.yaml": b""})
    monkeypatch.setattr(reading, "MOST_ENTRIES", 2_000)

    files, (result,) = read(tmp_path, "hub")

    assert files == {}
    assert result.message == "hub: more than 2,000 files and folders, counting those behind links"


def test_a_folder_that_a_few_links_lead_to_is_listed(tmp_path: Path) -> None:
    write(tmp_path, {"hub/shared/a.yaml": b"", "hub/shared/b.yaml": b""})
    for team in range(20):
        write(tmp_path, {f"hub/{team}/common": LINK + b"../shared"})

    files, results = read(tmp_path, "hub")

    assert results == ()
    assert len(files) == 42


def test_a_maze_of_links_ends_after_few_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        link = LINK + f"../{number + 1}".encode()
        write(tmp_path, {f"hub/{number}/one": link, f"hub/{number}/other": link})
    write(tmp_path, {"hub/30/last.yaml": b""})
    listed = calls_of(monkeypatch, OnDisk, "entries")
    _, (result,) = read(tmp_path, "hub")
    assert "more than 100,000" in result.message
    assert len(listed) < 3_000


def test_a_folder_that_is_named_again_and_again_is_listed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"hub/a.yaml": b"", "hub/b/c.yaml": b""})
    listed = calls_of(monkeypatch, OnDisk, "entries")
    files, results = read(tmp_path, *(["hub", "hub/", "./hub", "hub//"] * 100))
    assert (len(files), results) == (2, ())
    assert len(listed) == 2
