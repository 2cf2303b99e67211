"""What the output was at a revision, asked of a real Git."""

import os
import shutil
from pathlib import Path

import pytest

from spokerender.edge.git import repository, revision as revisions
from spokerender.edge.git.revision import find_submodules, read_tree
from spokerender.findings.errors import GitError
from tests.support import each
from tests.support.git import commit, needs_git, run_git

pytestmark = needs_git

FILES = {
    "clusters/eu/kustomization.yaml": b"resources: []\n",
    "clusters/eu/shop/a.yaml": b"a: 1\n",
    "clusters/us/kustomization.yaml": b"resources: []\n",
    "clusters/README.md": b"beside the folders",
    "clusters/.hidden/a.yaml": b"hidden",
    "hub/gateway.yaml": b"kind: Gateway\n",
}
OUTPUT = {
    "eu": {"kustomization.yaml": b"resources: []\n", "shop/a.yaml": b"a: 1\n"},
    "us": {"kustomization.yaml": b"resources: []\n"},
}
CLUSTERS = Path("clusters")


def read(project: Path, revision: str = "HEAD") -> dict[str, dict[str, bytes]]:
    return read_tree(project, CLUSTERS, revision)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is a repository of its own, with one commit."""
    folder = tmp_path / "project"
    folder.mkdir()
    run_git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, FILES)
    return folder


def test_the_output_at_a_revision(project: Path) -> None:
    first = run_git(project, "rev-parse", "HEAD").strip()
    run_git(project, "tag", "--annotate", "--message=v1", "v1")
    commit(project, {"clusters/eu/shop/a.yaml": b"a: 2\n", "clusters/ap/new.yaml": b"new"})
    changed = {
        "ap": {"new.yaml": b"new"},
        "eu": {"kustomization.yaml": b"resources: []\n", "shop/a.yaml": b"a: 2\n"},
        "us": {"kustomization.yaml": b"resources: []\n"},
    }

    for revision in (first, first[:10], "HEAD~1", "v1", "main^", "HEAD~1^{tree}"):
        assert read(project, revision) == OUTPUT
    for revision in ("HEAD", "main", "refs/heads/main", "@"):
        assert read(project, revision) == changed


def test_what_is_on_disk_has_no_say(project: Path) -> None:
    (project / "clusters/eu/shop/a.yaml").write_bytes(b"uncommitted")
    (project / "clusters/eu/new.yaml").write_bytes(b"uncommitted")
    run_git(project, "config", "core.autocrlf", "true")

    assert read(project) == OUTPUT

    shutil.rmtree(project / "clusters")
    assert read(project) == OUTPUT
    assert read_tree(project, Path("clusters/gone/../"), "HEAD") == OUTPUT


def test_where_the_output_is(project: Path) -> None:
    commit(project, {"nested/clusters/eu/b.yaml": b"b", "nested/hub/gateway.yaml": b""})

    assert read_tree(project / "nested", CLUSTERS, "HEAD") == {"eu": {"b.yaml": b"b"}}
    assert read_tree(project / "nested", Path("../clusters"), "HEAD") == OUTPUT
    assert read_tree(project.parent, project / "clusters", "HEAD") == OUTPUT
    assert read_tree(project / "clusters", Path(), "HEAD") == OUTPUT
    assert read_tree(project, Path("deploy"), "HEAD") == {}
    assert set(read_tree(project, Path(), "HEAD")) == {"clusters", "hub", "nested"}


def test_a_submodule_has_what_nobody_can_read(project: Path) -> None:
    inner = project / "clusters/eu/inner"
    inner.mkdir()
    run_git(inner, "init", "--quiet")
    commit(inner, {"a.yaml": b"a"})
    commit(project, {"README.md": b"more"})
    with pytest.raises(GitError, match="eu/inner in the output was a submodule"):
        read(project)


def test_a_submodule_is_found_among_more_paths_than_a_command_takes(project: Path) -> None:
    name = run_git(project, "rev-parse", "HEAD").strip()
    entry = f"160000,{name},clusters/eu/inner"
    run_git(project, "update-index", "--add", "--cacheinfo", entry)
    emptied = [f"eu/{'long' * 30}-{number}" for number in range(30_000)]
    assert find_submodules(project / CLUSTERS, [*emptied, "eu/inner"]) == ("eu/inner",)


def test_links_are_no_files(project: Path) -> None:
    (project / "clusters/eu/link.yaml").symlink_to("kustomization.yaml")
    (project / "clusters/link").symlink_to("eu")
    commit(project, {"clusters/eu/run.sh": b"#!/bin/sh\n"})
    run_git(project, "update-index", "--chmod=+x", "clusters/eu/run.sh")
    run_git(project, "commit", "--quiet", "--amend", "--no-edit")

    expected = {**OUTPUT, "eu": {**OUTPUT["eu"], "run.sh": b"#!/bin/sh\n"}}
    assert read(project) == expected


def test_odd_names_and_bytes(project: Path) -> None:
    odd = {
        "white space.yaml": b"\0\n\0",
        "tab\tnew\nline.yaml": b"",
        'quote".yaml': b"no newline",
        "größer.yaml": "größer".encode(),
        os.fsdecode(b"latin-\xe9.yaml"): b"\xff\xfe",
        ":(glob)*.yaml": b"magic",
        "-option": b"\r\n",
        "blob .yaml": b"blob",
    }
    commit(project, {f"odd clusters/-eu/{name}": data for name, data in odd.items()})

    assert read_tree(project, Path("odd clusters"), "HEAD") == {"-eu": odd}


def test_a_folder_that_is_as_rendered_is_not_listed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Git sorts a folder as if its name ended in a slash: a-b, a.yaml, a, a0.
    files = {f"{name}.yaml": name.encode() for name in ("a", "a/b", "a-b/c", "a0/d/e", "größer")}
    commit(project, {f"clusters/eu/{path}": data for path, data in files.items()})
    whole = read(project)["eu"]
    changed = whole | {"a/b.yaml": b"changed"}
    likely: list[dict[str, bytes]] = [changed, {"a.yaml": b"a"}, whole | {"more.yaml": b""}, {}]

    for rendered in likely:
        assert read_tree(project, CLUSTERS, "HEAD", {"eu": rendered})["eu"] == whole

    def refuse(*_: object) -> None:
        raise AssertionError("listed")

    monkeypatch.setattr(revisions, "_files", refuse)
    shutil.rmtree(project / "clusters/.hidden")
    commit(project, {})
    as_rendered = {"eu": whole, "us": OUTPUT["us"]}
    assert read_tree(project, CLUSTERS, "HEAD", as_rendered) == as_rendered


def test_a_wildcard_in_the_name_of_the_output_is_no_pattern(project: Path) -> None:
    commit(project, {"[c]*/eu/a.yaml": b"a"})

    assert read_tree(project, Path("[c]*"), "HEAD") == {"eu": {"a.yaml": b"a"}}
    assert read_tree(project, Path("c*"), "HEAD") == {}


def test_more_objects_than_are_read_at_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "_BATCH", 3)
    files = {f"{number}.yaml": f"{number}".encode() for number in range(10)}
    commit(project, {f"many/eu/{name}": data for name, data in files.items()})

    assert read_tree(project, Path("many"), "HEAD") == {"eu": files}


@each(
    "nope",
    "",
    "--all",
    "-h",
    "--output=x",
    "HEAD:hub/gateway.yaml",
    "a..b",
    "^HEAD",
    "x\0y",
    "é",
    ids=repr,
)
def test_what_is_no_revision_is_refused(revision: str, project: Path) -> None:
    with pytest.raises(GitError) as raised:
        read(project, revision)

    assert f"has no revision {revision!r}; " in str(raised.value)


def test_a_repository_without_commits(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "--quiet")

    with pytest.raises(GitError, match="has no commit"):
        read(tmp_path)


def test_a_folder_that_is_in_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    with pytest.raises(GitError, match=f"{tmp_path}: not a git repository"):
        read(tmp_path)


def test_a_missing_object_is_told(project: Path) -> None:
    name = run_git(project, "rev-parse", "HEAD:clusters/eu/shop/a.yaml").strip()
    (project / ".git/objects" / name[:2] / name[2:]).unlink()

    with pytest.raises(GitError, match=f"lacks object {name}; fetch it"):
        read(project)


def test_git_that_is_not_there(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project))

    with pytest.raises(GitError, match="Git can't be started"):
        read(project)


def test_inside_a_hook(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")

    assert read(project) == OUTPUT


def test_what_is_larger_than_any_tree_is_not_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revisions, "MOST_BYTES", 35)
    assert read(project) == OUTPUT
    commit(project, {"clusters/eu/large.bin": b"x" * 20})
    with pytest.raises(GitError, match="more than 35 bytes, as no tree has"):
        read(project)
