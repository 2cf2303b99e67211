"""Nothing in a repository, or in what is committed to it, is run, and no other is believed."""

import os
import shutil
from pathlib import Path

import pytest

from spokerender.edge.git import repository
from spokerender.edge.git.revision import AtRevision, read_tree
from spokerender.findings.errors import GitError
from tests.support import each
from tests.support.git import commit, needs_git, run_git

pytestmark = needs_git

FILES = {"fleet.yaml": b"kind: Fleet\n", "clusters/eu/a.yaml": b"a", "clusters/us/a.yaml": b"a"}
OUTPUT = {"eu": {"a.yaml": b"a"}, "us": {"a.yaml": b"a"}}
CLUSTERS = Path("clusters")


def read(project: Path, revision: str = "HEAD") -> dict[str, dict[str, bytes]]:
    return read_tree(project, CLUSTERS, revision)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in a subfolder of a repository, with one commit."""
    folder = tmp_path / "repository/shop"
    folder.mkdir(parents=True)
    run_git(folder.parent, "init", "--quiet", "--initial-branch=main")
    commit(folder, FILES)
    return folder


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """What is there once a command of the repository has run."""
    return tmp_path / "marker"


def hostile(marker: Path) -> str:
    """Settings each of which would make some Git call touch the marker."""
    touch = f"touch {marker}"
    return (
        "[core]\n\trepositoryformatversion = 1\n\tbare = true\n"
        f'\tfsmonitor = "{touch}; false"\n\tpager = "{touch}"\n\teditor = "{touch}"\n'
        f'\tsshCommand = "{touch}"\n\talternateRefsCommand = "{touch}"\n\thooksPath = hooks\n'
        "[extensions]\n\tpartialClone = evil\n[protocol]\n\tallow = always\n"
        f'[remote "evil"]\n\tpromisor = true\n\turl = "ext::sh -c {touch.replace(" ", "% ")}"\n'
        f'[alias]\n\trev-parse = "!{touch}"\n\tls-tree = "!{touch}"\n'
        f'[filter "evil"]\n\tsmudge = "{touch}"\n\tclean = "{touch}"\n'
        f'[diff "evil"]\n\ttextconv = "{touch}"\n[diff]\n\texternal = "{touch}"\n'
    )


def bare(folder: Path, marker: Path) -> None:
    """Plant a bare repository: its branch is a commit that only its remote would have."""
    files = {
        "HEAD": "ref: refs/heads/main\n",
        "refs/heads/main": f"{'1' * 40}\n",
        "objects/info/packs": "",
        "config": hostile(marker),
        "hooks/post-checkout": f"#!/bin/sh\ntouch {marker}\n",
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        (folder / path).chmod(0o755)


@each("clusters", "clusters/eu", ".", "child")
@each(CLUSTERS, Path("clusters/eu"), Path("child"), ids=str)
def test_a_bare_repository_inside_is_not_used(
    output: Path, place: str, project: Path, marker: Path
) -> None:
    honest = read_tree(project, output, "HEAD")
    bare(project / place, marker)
    run_git(project.parent, "add", "--all", "--force")
    run_git(project.parent, "commit", "--quiet", "--message=attack")

    assert read_tree(project, output, "HEAD~1") == honest
    assert AtRevision(project, "main~1").tree(output.as_posix()) == honest
    assert AtRevision(project, "HEAD").place == "shop"
    assert not marker.exists()


def test_a_bare_repository_that_has_lost_nothing_hides_no_loss(project: Path) -> None:
    other = project.parent.parent / "other"
    other.mkdir()
    run_git(other, "init", "--quiet", "--initial-branch=main")
    commit(other, {"README.md": b"no output here"})
    shutil.copytree(other / ".git", project / "clusters", dirs_exist_ok=True)

    assert read(project, "main") == OUTPUT


def test_a_bare_repository_is_no_home_of_a_project(tmp_path: Path, marker: Path) -> None:
    bare(tmp_path / "bare.git", marker)

    with pytest.raises(GitError, match="not a git repository"):
        read_tree(tmp_path / "bare.git", CLUSTERS, "main")
    assert not marker.exists()


def test_settings_of_the_repository_itself_run_nothing(project: Path, marker: Path) -> None:
    text = hostile(marker).replace("bare = true", "bare = false")
    (project.parent / ".git/config").write_text(text)
    (project.parent / ".gitattributes").write_text("* filter=evil diff=evil\n")

    assert read(project) == OUTPUT
    assert AtRevision(project, "HEAD").read(["fleet.yaml"]) == {"fleet.yaml": b"kind: Fleet\n"}
    with pytest.raises(GitError, match="has no revision"):
        read(project, "1" * 40)
    assert not marker.exists()


@each("ext::sh -c touch% {marker}", "{source}", ids=["ext", "path"])
def test_a_partial_clone_fetches_nothing(url: str, project: Path, marker: Path) -> None:
    source, clone = project.parent, project.parent.parent / "clone"
    run_git(source, "config", "uploadpack.allowFilter", "true")
    options = ("--quiet", "--filter=blob:none", "--no-checkout")
    run_git(source, "clone", *options, source.as_uri(), str(clone))
    run_git(clone, "config", "protocol.allow", "always")
    run_git(clone, "config", "remote.origin.url", url.format(marker=marker, source=source))

    with pytest.raises(GitError, match=r"lacks object [0-9a-f]+; fetch it"):
        read_tree(clone / "shop", CLUSTERS, "HEAD")
    with pytest.raises(GitError, match="lacks object"):
        AtRevision(clone / "shop", "HEAD").entries(".")
    assert not marker.exists()


def test_a_revision_is_not_replaced(project: Path) -> None:
    before = run_git(project, "rev-parse", "HEAD").strip()
    commit(project, {"clusters/eu/a.yaml": b"other"})
    run_git(project, "replace", before, run_git(project, "rev-parse", "HEAD").strip())
    assert read(project, before) == OUTPUT


def test_a_missing_object_is_told_to_who_reads_it(project: Path) -> None:
    name = run_git(project, "rev-parse", "HEAD:shop/fleet.yaml").strip()
    (project.parent / ".git/objects" / name[:2] / name[2:]).unlink()
    then = AtRevision(project, "HEAD")

    assert then.entries(".") == [("clusters", True), ("fleet.yaml", False)]
    with pytest.raises(GitError, match=f"lacks object {name}; fetch it"):
        then.read(["fleet.yaml"])


def test_the_environment_names_no_other_repository(
    project: Path, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = project.parent.parent / "other"
    other.mkdir()
    run_git(other, "init", "--quiet", "--initial-branch=main")
    commit(other, {"shop/clusters/eu/b.yaml": b"b"})
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": other,
        "GIT_COMMON_DIR": other / ".git",
        "GIT_OBJECT_DIRECTORY": other / ".git/objects",
        "GIT_NAMESPACE": "other",
        "GIT_TRACE": marker,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
    }.items():
        monkeypatch.setenv(name, str(value))

    assert read(project) == OUTPUT
    assert not marker.exists()


def test_a_link_of_now_does_not_say_where_the_output_was(project: Path) -> None:
    shutil.rmtree(project / "clusters")
    (project / "empty").mkdir()
    (project / "clusters").symlink_to("empty")

    assert read(project) == OUTPUT


def test_an_output_in_an_inner_repository_is_refused(project: Path) -> None:
    inner = project / "deploy"
    inner.mkdir()
    run_git(inner, "init", "--quiet")
    commit(inner, {"eu/a.yaml": b"a"})

    with pytest.raises(GitError, match=f"in another Git repository, at {inner}, inside"):
        read_tree(project, Path("deploy"), "main")

    commit(project, {})
    with pytest.raises(GitError, match="deploy: was a submodule"):
        read_tree(project, Path("deploy/eu"), "main")


def test_an_output_in_a_repository_elsewhere(project: Path) -> None:
    elsewhere = project.parent.parent / "elsewhere"
    elsewhere.mkdir()
    run_git(elsewhere, "init", "--quiet", "--initial-branch=main")
    commit(elsewhere, {"out/eu/b.yaml": b"b"})

    assert read_tree(project, elsewhere / "out", "main") == {"eu": {"b.yaml": b"b"}}


def test_worktrees_and_checkouts_of_submodules(project: Path) -> None:
    top, tree, above = (project.parent.parent / each for each in ("repository", "tree", "above"))
    run_git(top, "worktree", "add", "--quiet", "--detach", str(tree))
    commit(tree, {"shop/clusters/us/a.yaml": b"b"})
    above.mkdir()
    run_git(above, "init", "--quiet")
    run_git(
        above, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(top), "sub"
    )

    assert read_tree(tree / "shop", CLUSTERS, "HEAD") == {**OUTPUT, "us": {"a.yaml": b"b"}}
    assert read_tree(tree / "shop", CLUSTERS, "main") == OUTPUT
    assert read_tree(above / "sub/shop", CLUSTERS, "HEAD") == OUTPUT
    assert AtRevision(above / "sub/shop", "HEAD").place == "shop"


@each("a\nb", "HEAD\x1b[2J", "HEAD\x7f", "\x85", "\ud800", ids=ascii)
def test_a_revision_with_control_characters(revision: str, project: Path) -> None:
    with pytest.raises(GitError, match="a character that is not allowed in revisions") as raised:
        AtRevision(project, revision)

    assert str(raised.value).isprintable()


@each("", "~0", "^{commit}")
def test_a_tag_that_is_called_as_a_branch_does_not_take_its_place(
    suffix: str, project: Path
) -> None:
    run_git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    assert read(project, f"origin/main{suffix}") == OUTPUT
    (project / "clusters/eu/a.yaml").unlink()
    commit(project, {"README.md": b"less"})
    run_git(project, "tag", "origin/main")
    run_git(project, "config", "core.warnAmbiguousRefs", "false")
    with pytest.raises(GitError, match="more than one revision"):
        read(project, f"origin/main{suffix}")
    assert read(project, "refs/remotes/origin/main") == OUTPUT


def test_an_owner_that_git_does_not_trust(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root gives folders away")
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    os.chown(project.parent, 1234, 1234)

    with pytest.raises(GitError, match=r"--add safe\.directory /"):
        read(project)


def test_a_git_that_does_not_answer_is_stopped(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = project / "git"
    git.write_text("#!/bin/sh\nexec /bin/sleep 600\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(project))
    monkeypatch.setattr(repository, "_SECONDS", 0.1)

    with pytest.raises(GitError, match="Git has not answered for"):
        read(project)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to another user")
def test_a_repository_of_another_user_is_refused_with_the_cure(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "--quiet")
    for path in (tmp_path, tmp_path / ".git"):
        os.chown(path, 12_345, 12_345)
    with pytest.raises(GitError, match=r"git config --global --add safe\.directory"):
        repository.GitRepository(tmp_path)
