"""Making the disk equal to the plan, and touching nothing else."""

import os
import resource
from pathlib import Path

import pytest

from spokerender.edge.files import apply, compare
from spokerender.edge.files.folders import STAGING
from spokerender.findings.errors import DiskError, InputError
from tests.edge.files.trees import LINK, Disk, Tree, ours, snapshot, write
from tests.support import case, each

FOREIGN = b"# by hand\n"
TREE = Tree(
    {
        "_fleet": {"lock.yaml": ours("lock")},
        "eu": {"kustomization.yaml": ours("k"), "shop/a.yaml": ours("a"), "b.yaml": ours("b")},
        "us": {"kustomization.yaml": ours("k"), "one/two/three.yaml": ours("3")},
    }
)


def build(output: Path, tree: Tree) -> None:
    """Compare and apply, and prove that a second time there is nothing to do."""
    apply(output, compare(output, tree), tree)
    assert compare(output, tree).is_empty


def test_a_fresh_tree(tmp_path: Path) -> None:
    output = tmp_path / "deploy" / "clusters"

    build(output, TREE)

    assert snapshot(output) == TREE.on_disk


def test_a_changed_tree(tmp_path: Path) -> None:
    foreign = {
        "eu/notes.md": FOREIGN,
        "eu/kept/notes.md": FOREIGN,
        "eu/link": LINK + b"notes.md",
        "left/flux-system/gotk.yaml": FOREIGN,
        "theirs/kustomization.yaml": FOREIGN,
        "README.md": FOREIGN,
    }
    old = {
        "eu/kustomization.yaml": ours("old"),
        "eu/shop/gone.yaml": ours("gone"),
        "eu/kept/gone.yaml": ours("gone"),
        "eu/other/deep/gone.yaml": ours("gone"),
        "left/kustomization.yaml": ours("k"),
        "left/shop/gone.yaml": ours("gone"),
        "gone/kustomization.yaml": ours("k"),
        "gone/one/two/three.yaml": ours("3"),
    }
    write(tmp_path, foreign | old)

    build(tmp_path, TREE)

    assert snapshot(tmp_path) == TREE.on_disk | foreign


def test_what_is_right_is_not_touched(tmp_path: Path) -> None:
    build(tmp_path, TREE)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    for path in files:
        os.utime(path, ns=(1, 1))
    changed = Tree({**TREE.content, "_fleet": {"lock.yaml": ours("other")}})

    build(tmp_path, changed)

    assert {p.name for p in files if p.stat().st_mtime_ns != 1} == {"lock.yaml"}


def test_a_build_with_nothing_to_do_writes_nothing(tmp_path: Path) -> None:
    build(tmp_path, TREE)
    os.utime(tmp_path, ns=(1, 1))

    build(tmp_path, TREE)
    build(tmp_path / "absent", Tree({"_fleet": {}}))

    assert tmp_path.stat().st_mtime_ns == 1


def test_conflict_markers_are_written_over(tmp_path: Path) -> None:
    build(tmp_path, TREE)
    (tmp_path / "eu/kustomization.yaml").write_text("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n")

    build(tmp_path, TREE)

    assert snapshot(tmp_path) == TREE.on_disk


@each(
    case("foreign", {"us/kustomization.yaml": FOREIGN}),
    case("link-for-spoke", {"us": LINK + b"elsewhere"}),
    case("link-for-folder", {"us/one": LINK + b"../elsewhere"}),
    case("link-for-file", {"us/one/two/three.yaml": LINK + b"../../../elsewhere/x"}),
)
def test_a_refused_build_writes_nothing(disk: Disk, tmp_path: Path) -> None:
    before = disk | {"elsewhere/x": ours("old"), "left/gone.yaml": ours("gone")}
    write(tmp_path, before)

    with pytest.raises(InputError):
        apply(tmp_path, compare(tmp_path, TREE), TREE)

    assert snapshot(tmp_path) == before


def test_a_namespace_called_flux_system_is_no_bootstrap(tmp_path: Path) -> None:
    tree = Tree({"eu": {"flux-system/a.yaml": ours("a"), "kustomization.yaml": ours("k")}})
    build(tmp_path, tree)

    build(tmp_path, Tree({"eu": {**tree.content["eu"], "b.yaml": ours("b")}}))

    assert "eu/b.yaml" in snapshot(tmp_path)


def test_nothing_is_written_through_a_link_that_appears_after_comparing(tmp_path: Path) -> None:
    write(tmp_path, {"output/eu/old.yaml": ours("old"), "elsewhere/x": b"x"})
    output = tmp_path / "output"
    plan = compare(output, TREE)
    (output / "eu/shop").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(DiskError, match=r"eu/shop/a.yaml: .*; a link or a file is where"):
        apply(output, plan, TREE)

    assert snapshot(tmp_path / "elsewhere") == {"x": b"x"}


def test_permissions_are_what_the_umask_says(tmp_path: Path) -> None:
    previous = os.umask(0o027)
    try:
        build(tmp_path, TREE)
        build(tmp_path, Tree({**TREE.content, "_fleet": {"lock.yaml": ours("other")}}))
    finally:
        os.umask(previous)

    modes = {oct(p.stat().st_mode & 0o777) for p in tmp_path.rglob("*") if p.is_file()}
    folders = {oct(p.stat().st_mode & 0o777) for p in tmp_path.rglob("*") if p.is_dir()}
    assert (modes, folders) == ({"0o640"}, {"0o750"})


def test_the_kustomization_names_only_what_is_there_at_any_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"eu/kustomization.yaml": ours("a"), "eu/a.yaml": ours("a")})
    tree = Tree({"eu": {"kustomization.yaml": ours("z"), "z.yaml": ours("z")}})
    order: list[str] = []
    rename, unlink = os.rename, os.unlink

    def noted_rename(old: str, new: str, **folders: int) -> None:
        order.append(f"+{new}")
        rename(old, new, **folders)

    def noted_unlink(name: str, **folder: int) -> None:
        order.append(f"-{name}")
        unlink(name, **folder)

    monkeypatch.setattr(os, "rename", noted_rename)
    monkeypatch.setattr(os, "unlink", noted_unlink)

    build(tmp_path, tree)

    assert order == ["+z.yaml", "+kustomization.yaml", "-a.yaml"]


def test_what_a_killed_build_left_goes_even_when_nothing_else_changes(tmp_path: Path) -> None:
    build(tmp_path, TREE)
    left = {
        f"{STAGING}/eu/shop/a.yaml": ours("a"),
        f"{STAGING}/eu/half": ours("")[:20],
        f"{STAGING}/us": b"",
        f"{STAGING}/crlf": ours("x").replace(b"\n", b"\r\n"),
    }
    strays = {f"{STAGING}/eu/notes.md": FOREIGN, f"{STAGING}/link": LINK + b"eu"}
    write(tmp_path, left | strays)

    build(tmp_path, TREE)
    assert snapshot(tmp_path) == TREE.on_disk | strays

    build(tmp_path, Tree({**TREE.content, "new": {"a.yaml": ours("a")}}))
    assert snapshot(tmp_path) == TREE.on_disk | strays | {"new/a.yaml": ours("a")}


def test_a_stray_in_the_way_is_told_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, {f"{STAGING}/eu/notes.md": FOREIGN})

    with pytest.raises(DiskError, match=rf"{STAGING}/eu: File exists; move it away"):
        build(tmp_path, TREE)


def test_a_link_for_the_staging_folder_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"elsewhere/x": ours("x"), f"output/{STAGING}": LINK + b"../elsewhere"})

    with pytest.raises(DiskError, match=STAGING):
        build(tmp_path / "output", TREE)

    assert snapshot(tmp_path / "elsewhere") == {"x": ours("x")}


def test_a_link_in_the_staging_folder_is_not_written_through(tmp_path: Path) -> None:
    link = {f"output/{STAGING}/eu": LINK + b"../../precious"}
    old = {"precious": b"precious", "output/eu/b.yaml": ours("old")}
    write(tmp_path, old | link)

    with pytest.raises(DiskError, match=rf"{STAGING}/eu: File exists; move it away"):
        build(tmp_path / "output", TREE)

    there = snapshot(tmp_path)
    assert {path: there[path] for path in old} == old


def test_the_output_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "clusters").symlink_to("real")

    build(tmp_path / "clusters", TREE)

    assert snapshot(tmp_path / "real") == TREE.on_disk


def test_a_path_outside_its_folder_is_refused(tmp_path: Path) -> None:
    tree = Tree({"eu": {"../us/a.yaml": ours("a")}})

    with pytest.raises(ValueError, match=r"'..' is not the name of a folder"):
        apply(tmp_path, compare(tmp_path, tree), tree)

    assert snapshot(tmp_path) == {}


def test_a_very_deep_folder_is_found_and_deleted(tmp_path: Path) -> None:
    write(tmp_path, {f"eu/{'d/' * 200}x.yaml": ours("x")})
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        build(tmp_path, Tree({}))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert snapshot(tmp_path) == {}


def test_a_very_long_name_is_told_with_path_and_cure(tmp_path: Path) -> None:
    tree = Tree({"eu": {f"{'n' * 300}.yaml": ours("a")}})

    with pytest.raises(DiskError, match=r"eu/n{300}.yaml: File name too long; shorten the name"):
        build(tmp_path, tree)

    assert snapshot(tmp_path) == {}
