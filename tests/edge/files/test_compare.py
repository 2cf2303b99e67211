"""What is on disk, against what shall be there."""

import os
from pathlib import Path

import pytest

from spokerender.edge.files import compare
from spokerender.findings.errors import DiskError
from spokerender.model.plan import FolderPlan, Plan
from tests.edge.files.trees import LINK, Disk, Tree, ours, snapshot, write
from tests.support import case, cases, each

KUSTOMIZATION = "kustomization.yaml"
TREE = Tree({"eu": {KUSTOMIZATION: ours("k"), "shop/a.yaml": ours("a"), "shop/b.yaml": ours("b")}})
FOREIGN = b"# by hand\n"
CONFLICT = b"<<<<<<< HEAD\nresources: []\n=======\nresources: [a]\n>>>>>>> other\n"


def plan_of(output: Path, disk: Disk, tree: Tree = TREE) -> Plan:
    """Compare, and prove that comparing changes nothing."""
    write(output, disk)
    before = snapshot(output)
    plan = compare(output, tree)
    assert snapshot(output) == before
    return plan


def test_nothing_is_there(tmp_path: Path) -> None:
    everything = (KUSTOMIZATION, "shop/a.yaml", "shop/b.yaml")
    expected = Plan((FolderPlan(folder="eu", create=everything, is_new=True),))

    assert compare(tmp_path / "absent", TREE) == expected
    assert not (tmp_path / "absent").exists()
    assert compare(tmp_path, TREE) == expected


def test_everything_is_right(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, TREE.on_disk)

    assert plan == Plan((), unchanged=3)
    assert plan.is_empty


def test_files_are_created_updated_deleted_and_left_alone(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path,
        {
            "eu/kustomization.yaml": ours("k"),
            "eu/shop/a.yaml": ours("old"),
            "eu/shop/gone.yaml": ours("gone"),
            "eu/other/gone.yaml": ours("gone"),
            "eu/other/deep/gone.yaml": ours("gone"),
            "eu/notes.md": FOREIGN,
            "eu/kept/gone.yaml": ours("gone"),
            "eu/kept/notes.md": FOREIGN,
        },
    )

    assert plan == Plan(
        (
            FolderPlan(
                folder="eu",
                create=("shop/b.yaml",),
                update=("shop/a.yaml",),
                delete=(
                    "kept/gone.yaml",
                    "other/deep/gone.yaml",
                    "other/gone.yaml",
                    "shop/gone.yaml",
                ),
                unchanged=1,
                foreign=("kept/notes.md", "notes.md"),
                emptied=("other/deep", "other"),
            ),
        ),
        unchanged=1,
    )


@each(
    case("longer", ours("a") + b"more"),
    case("shorter", ours("")),
    case("as-long", ours("b")),
    case("crlf", ours("a").replace(b"\n", b"\r\n")),
)
def test_a_file_that_differs_in_any_way_is_updated(data: bytes, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, TREE.on_disk | {"eu/shop/a.yaml": data})

    assert plan == Plan((FolderPlan(folder="eu", update=("shop/a.yaml",), unchanged=2),), 2)


def test_a_spoke_that_left(tmp_path: Path) -> None:
    left = {
        "us/kustomization.yaml": ours("k"),
        "us/shop/a.yaml": ours("a"),
        "us/shop/notes.md": FOREIGN,
        "us/empty/gone.yaml": ours("gone"),
    }
    plan = plan_of(tmp_path, TREE.on_disk | left)

    assert plan == Plan(
        (
            FolderPlan(
                folder="us",
                delete=("empty/gone.yaml", KUSTOMIZATION, "shop/a.yaml"),
                foreign=("shop/notes.md",),
                emptied=("empty",),
                is_removed=True,
            ),
        ),
        unchanged=3,
    )


def test_a_folder_that_shall_have_no_files_is_one_that_shall_not_be(tmp_path: Path) -> None:
    tree = Tree({"_fleet": {}, "eu": {}})

    plan = plan_of(tmp_path, {"_fleet/notes.md": FOREIGN, "eu/a.yaml": ours("a")}, tree)

    assert plan == Plan((FolderPlan(folder="eu", delete=("a.yaml",), is_removed=True),))


def test_what_is_not_ours_is_ignored(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, {"us/a.yaml": ours("a")})
    disk = {
        "README.md": FOREIGN,
        "stray.yaml": ours("beside the folders"),
        "theirs/kustomization.yaml": FOREIGN,
        ".hidden/a.yaml": ours("a"),
        "link": LINK + bytes(elsewhere / "us"),
    }

    assert plan_of(tmp_path / "output", TREE.on_disk | disk) == Plan(
        (), unchanged=3, others=("theirs",), beside=("README.md", "link", "stray.yaml")
    )


@cases(
    case("file", {"eu/shop/a.yaml": FOREIGN}, "shop/a.yaml"),
    case("conflict", {"eu/shop/a.yaml": CONFLICT}, "shop/a.yaml"),
    case("empty-file", {"eu/shop/a.yaml": b""}, "shop/a.yaml"),
    case("folder", {"eu/shop/a.yaml/b": ours("b")}, "shop/a.yaml"),
    case("link", {"eu/shop/a.yaml": LINK + b"b.yaml"}, "shop/a.yaml"),
    case("dangling-link", {"eu/shop/a.yaml": LINK + b"nowhere"}, "shop/a.yaml"),
    case("link-to-list", {"eu/kustomization.yaml": LINK + b"x"}, KUSTOMIZATION),
    case("file-for-folder", {"eu/shop": FOREIGN}, "shop"),
    case("our-file-for-folder", {"eu/shop": ours("old")}, "shop"),
    case("link-for-folder", {"eu/shop": LINK + b"../us"}, "shop"),
    case("file-for-spoke", {"eu": FOREIGN}, "."),
    case("link-for-spoke", {"eu": LINK + b"us"}, "."),
)
def test_what_is_not_ours_blocks(disk: Disk, blocked: str, tmp_path: Path) -> None:
    others = {"us/shop/a.yaml": ours("a"), "us/shop/b.yaml": ours("b")}

    plan = plan_of(tmp_path, others | disk, Tree({**TREE.content, "us": {}}))

    assert [(p.folder, p.blocked) for p in plan.folders if p.blocked] == [("eu", (blocked,))]
    (eu,) = (p for p in plan.folders if p.folder == "eu")
    assert blocked not in {*eu.create, *eu.update, *eu.delete, *eu.foreign}


def test_a_pipe_blocks_and_does_not_hold_us_up(tmp_path: Path) -> None:
    write(tmp_path, TREE.on_disk)
    (tmp_path / "eu/shop/a.yaml").unlink()
    os.mkfifo(tmp_path / "eu/shop/a.yaml")
    os.mkfifo(tmp_path / "eu/pipe")

    (plan,) = compare(tmp_path, TREE).folders

    assert (plan.blocked, plan.foreign) == (("shop/a.yaml",), ("pipe",))


@cases(
    case("marker-before-ours", {KUSTOMIZATION: b"<<<<<<< HEAD\n" + ours("k")}, True),
    case("marker-after-ours", {KUSTOMIZATION: ours("<<<<<<< HEAD\n")}, True),
    case("marker-among-ours", {KUSTOMIZATION: CONFLICT, "x.yaml": ours("x")}, True),
    case("marker-alone", {KUSTOMIZATION: CONFLICT}, False),
    case("marker-among-others", {KUSTOMIZATION: CONFLICT, "x": FOREIGN}, False),
    case("theirs-among-ours", {KUSTOMIZATION: FOREIGN, "x.yaml": ours("x")}, False),
    case("ours-quoted", {KUSTOMIZATION: FOREIGN + ours("k")}, False),
    case("not-the-list", {f"shop/{KUSTOMIZATION}": b"<<<<<<<\n" + ours("k")}, False),
)
def test_conflict_markers_in_the_kustomization(
    disk: Disk, is_taken_back: bool, tmp_path: Path
) -> None:
    path = next(iter(disk))
    tree = Tree({"eu": {path: ours("new")}})

    (plan,) = plan_of(tmp_path, {f"eu/{name}": data for name, data in disk.items()}, tree).folders

    taken, blocked = (path,) if is_taken_back else (), () if is_taken_back else (path,)
    assert (plan.update, plan.blocked) == (taken, blocked)


def test_folders_without_files_are_told_and_are_no_change(tmp_path: Path) -> None:
    write(tmp_path, TREE.on_disk)
    (tmp_path / "eu/empty/deep").mkdir(parents=True)
    (tmp_path / "us").mkdir()

    plan = compare(tmp_path, TREE)

    expected = FolderPlan(folder="eu", unchanged=3, emptied=("empty/deep", "empty"))
    assert plan == Plan((expected,), unchanged=3, hollow=("us",))
    assert plan.is_empty


def test_what_a_killed_build_left_is_no_change(tmp_path: Path) -> None:
    staged = ".spokerender-staging"
    disk = {f"{staged}/eu/a.yaml": ours("a"), f"{staged}/half": ours("")[:9], f"{staged}/x": b"?"}

    plan = plan_of(tmp_path, TREE.on_disk | disk)

    assert plan == Plan((), unchanged=3, strays=(f"{staged}/x",))
    assert plan.is_empty


def test_progress_counts_folders(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    write(tmp_path, {"left/a.yaml": ours("a")})
    compare(
        tmp_path,
        Tree({"eu": {}, "us": {}}),
        progress=lambda done, total: told.append((done, total)),
    )

    assert told == [(1, 3), (2, 3), (3, 3)]


def test_the_output_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "clusters").write_text("")

    with pytest.raises(DiskError, match=r"clusters: Not a directory; "):
        compare(tmp_path / "clusters", TREE)


@each("", ".", "..", "../eu", "eu/shop", "/eu")
def test_a_folder_outside_the_output_is_refused(folder: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not the name of a folder"):
        compare(tmp_path, Tree({folder: {"a.yaml": ours("a")}}))
