"""Laws: prune, all or nothing, repeat; on disks that nobody would think of."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.edge.files import apply, compare
from spokerender.findings.errors import InputError
from spokerender.model.plan import is_ours
from tests.edge.files.trees import LINK, Disk, Tree, ours, snapshot, write
from tests.support import rows_of
from tests.support.profiles import examples

FOLDERS = ["_fleet", "eu", "us"]
PATHS = rows_of(__file__, "paths")
CONTENTS = [
    ours("1"),
    ours("2"),
    ours("1").replace(b"\n", b"\r\n"),
    b"by hand\n",
    b"<<<<<<< HEAD\n=======\n>>>>>>>\n",
    b"",
    LINK + b"a.yaml",
    LINK + b"../us",
    LINK + b"/nowhere",
]


def fits(paths: set[str]) -> bool:
    """Whether no path is a folder of another."""
    return not any(one != other and other.startswith(f"{one}/") for one in paths for other in paths)


def files(contents: list[bytes]) -> st.SearchStrategy[dict[str, bytes]]:
    some = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(contents))
    return some.filter(lambda found: fits(set(found)))


disks = st.dictionaries(st.sampled_from([*FOLDERS, "left"]), files(CONTENTS)).map(
    lambda folders: {
        f"{f}/{p}": data for f, content in folders.items() for p, data in content.items()
    }
)
trees = st.dictionaries(st.sampled_from(FOLDERS), files([ours("1"), ours("2")])).map(Tree)


def is_foreign(data: bytes) -> bool:
    return not is_ours(data)


@pytest.mark.property
@settings(max_examples=examples(300, house=20))
@given(disk=disks, tree=trees)
def test_only_ours_is_changed_and_a_build_is_whole_or_nothing(disk: Disk, tree: Tree) -> None:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder)
        write(output, disk)
        plan = compare(output, tree)
        try:
            apply(output, plan, tree)
        except InputError:
            assert snapshot(output) == disk
            return

        foreign = {path: data for path, data in disk.items() if is_foreign(data)}
        taken_back = {
            path: data
            for path, data in foreign.items()
            if path.endswith("/kustomization.yaml") and data.startswith(b"<<<<<<<")
        }
        assert snapshot(output) == foreign | tree.on_disk
        assert foreign.keys() & tree.on_disk.keys() <= taken_back.keys()
        assert compare(output, tree).is_empty


@pytest.mark.property
@settings(max_examples=examples(house=10))
@given(first=trees, second=trees)
def test_any_tree_becomes_any_other(first: Tree, second: Tree) -> None:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder)
        for tree in (first, second, first):
            with suppress(InputError):
                apply(output, compare(output, tree), tree)
                assert snapshot(output) == tree.on_disk
