"""A project at a revision is read as one on disk is."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from spokerender.edge.files import OnDisk
from spokerender.edge.git.revision import AtRevision
from spokerender.edge.reading import read_optional, read_sources
from spokerender.findings.errors import GitError, InputError
from spokerender.model.sources import Source, SourceFile
from tests.edge.files.trees import LINK, write
from tests.support import each, named_rows_of
from tests.support.git import commit, needs_git, run_git

pytestmark = needs_git

FILES = {
    "fleets/shop/fleet.yaml": b"kind: Fleet\n",
    "fleets/shop/hub/a.yaml": b"a",
    "fleets/shop/hub/a/deep/b.yml": b"b",
    "fleets/shop/hub/same/deep/b.yml": b"b",
    "fleets/shop/hub/.hidden.yaml": b"hidden",
    "fleets/shop/hub/README.md": b"read me",
    "fleets/shop/empty/README.md": b"read me",
    "shared/c.json": b"c",
}
LINKS = {
    "fleets/shop/hub/up": LINK + b"../../shop",
    "fleets/shop/hub/self": LINK + b".",
    "fleets/shop/hub/shared": LINK + b"../../../shared",
    "fleets/shop/hub/link.yaml": LINK + b"./a.yaml",
    "fleets/shop/hub/links.yaml": LINK + b"shared/../hub/link.yaml",
    "fleets/shop/hub/nowhere.yaml": LINK + b"gone.yaml",
    "fleets/shop/hub/loop.yaml": LINK + b"loop.yaml",
    "fleets/shop/hub/folder.yaml": LINK + b"a/deep",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project somewhere in a repository, with links."""
    folder = tmp_path / "repository"
    folder.mkdir()
    run_git(folder, "init", "--quiet", "--initial-branch=main")
    write(folder, LINKS)
    commit(folder, FILES)
    return folder / "fleets/shop"


def told(source: Source, *entries: str) -> tuple[Mapping[str, bytes], list[tuple[str, str]]]:
    """What is read of some entries, and the code and message of what is wrong."""
    suffixes = (".yaml", ".yml", ".json")
    files, results = read_sources(source, entries, suffixes=suffixes, limit_bytes=1_000_000)
    return {file.path: file.data for file in files}, [(r.code, r.message) for r in results]


@each(*named_rows_of(__file__, "a_revision_reads_as_the_disk_that_was_committed"))
def test_a_revision_reads_as_the_disk_that_was_committed(entries: list[str], project: Path) -> None:
    assert told(AtRevision(project, "HEAD"), *entries) == told(OnDisk(project), *entries)


def test_what_is_on_disk_now_has_no_say(project: Path) -> None:
    before = told(OnDisk(project), "hub")
    shutil.rmtree(project)

    assert told(AtRevision(project, "HEAD"), "hub") == before


def test_an_older_revision(project: Path) -> None:
    (project / "hub/link.yaml").unlink()
    commit(project, {"fleet.yaml": b"new", "hub/link.yaml": b"no link any more"})

    old = AtRevision(project, "main~1")

    assert read_optional(old, "./fleet.yaml") == SourceFile("fleet.yaml", b"kind: Fleet\n")
    assert read_optional(old, "missing.yaml") is None
    assert told(old, "hub/link.yaml") == ({"hub/link.yaml": b"a"}, [])
    assert old.size("hub/link.yaml") == 1


def test_an_absolute_path_in_the_repository(project: Path) -> None:
    shared = project.parent.parent / "shared"

    found = told(AtRevision(project, "HEAD"), str(shared))

    assert found == ({f"{shared}/c.json": b"c"}, [])


def test_what_no_revision_has(project: Path) -> None:
    inner = project / "hub/inner"
    inner.mkdir()
    run_git(inner, "init", "--quiet")
    commit(inner, {"a.yaml": b"a"})
    write(project, {"hub/absolute.yaml": LINK + b"/etc/hostname", "hub/out": LINK + b"../" * 9})
    commit(project, {})

    _, problems = told(AtRevision(project, "HEAD"), "hub/inner", "hub", "../../../x", "/nowhere")

    submodule = "hub/inner: a submodule: its files are in no revision of this repository"
    outside = "outside the repository, so in no revision of it"
    for problem in (
        ("SR1203", submodule),
        ("SR1203", "hub/absolute.yaml: a link to an absolute path, which no revision has"),
        ("SR1203", f"../../../x: {outside}"),
        ("SR1203", f"/nowhere: {outside}"),
    ):
        assert problem in problems


def test_a_folder_where_a_file_should_be(project: Path) -> None:
    source = AtRevision(project, "HEAD")

    with pytest.raises(InputError) as raised:
        read_optional(source, "hub")
    assert [r.message for r in raised.value.results] == ["hub: not a file"]
    with pytest.raises(NotADirectoryError):
        source.entries("hub/a.yaml")


def test_odd_names(project: Path) -> None:
    odd = os.fsdecode(b"caf\xe9.yaml")
    commit(project, {f"odd/{odd}": b"", "odd/tab\tnew\nline.yaml": b"1", "odd/größer.yaml": b"2"})

    assert told(AtRevision(project, "HEAD"), "odd") == told(OnDisk(project), "odd")


def test_a_path_as_messages_call_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parent)

    assert AtRevision(Path("shop"), "main").shown("hub/a.yaml") == "main:shop/hub/a.yaml"


def test_a_missing_revision(project: Path) -> None:
    with pytest.raises(GitError, match=r"the Git repository at .* has no revision 'nope'"):
        AtRevision(project, "nope")


def test_the_output_then(project: Path) -> None:
    commit(project, {"clusters/eu/a.yaml": b"a"})
    commit(project, {"clusters/eu/a.yaml": b"b"})

    assert AtRevision(project, "HEAD~1").tree("clusters") == {"eu": {"a.yaml": b"a"}}


def test_what_has_gone_since(project: Path) -> None:
    """Folders by the files that they had: one that has another of these now is still there."""
    top = project.parents[1]
    commit(top, {"fleets/other/fleet.yaml": b"", "fleet.yaml": b"", "fleets/x/hub.yaml": b""})
    then = AtRevision(top / "fleets/not there any more", "HEAD")
    names = ("fleet.yaml", "placement.yaml")
    assert then.place == "fleets/not there any more"
    assert then.gone(names) == ()
    shutil.rmtree(project)
    (top / "fleets/other/fleet.yaml").rename(top / "fleets/other/placement.yaml")
    (top / "fleet.yaml").unlink()
    assert then.gone(names) == (top, project)
    assert AtRevision(top, "HEAD").place == "."
