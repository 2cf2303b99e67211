"""`spokerender adopt`: clusters become a project that renders to what they have, all or nothing."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spokerender.model import identity
from tests.cli.project import Shell
from tests.conftest import ROOT
from tests.edge.files.trees import snapshot
from tests.support import cases, each, rows_of, text_of
from tests.support.fleets import read_objects, write_objects
from tests.test_examples import NAMES, committed_in

LIVE = ROOT / "examples/one-gateway-two-spokes/clusters"
NOT_TAKEN = {"ConfigMap", "APIExport", "APIResourceSchema"}
"""Kinds in the trees of tenants that hang on no Gateway: the agent's own, and texts of a portal."""


@pytest.fixture
def live(empty: Shell) -> Shell:
    """The trees of two clusters, in a folder that is no project."""
    for name in ("america", "europe"):
        shutil.copytree(LIVE / name, empty.folder / "live" / name)
    return empty


def objects_in(folder: Path) -> Mapping[Any, Any]:
    return {identity(data): data for data in read_objects(folder)}


def count(folder: Path) -> int:
    """The lines of hub and placement of a project."""
    paths = [*folder.glob("hub/**/*.yaml"), *folder.glob("placement*"), *folder.glob("placement/*")]
    return sum(path.read_text(encoding="utf-8").count("\n") for path in paths if path.is_file())


# What is on Services of a mesh hangs on no Gateway, by which clusters are paired.
@each(*(name for name in NAMES if name != "mesh"))
def test_each_example_comes_back_from_its_trees(name: str, empty: Shell) -> None:
    """With every object, in at most one and a half times its lines."""
    trees = committed_in(name)
    clusters = sorted(path for path in trees.iterdir() if path.is_dir())
    empty.succeed("adopt", *map(str, clusters), "-o", "new")
    empty.succeed("build", "new")
    for cluster in clusters:
        if not cluster.name.startswith("_"):
            before = objects_in(cluster)
            kept = {ref: data for ref, data in before.items() if data["kind"] not in NOT_TAKEN}
            assert objects_in(empty.folder / "new/clusters" / cluster.name) == kept
    assert count(empty.folder / "new") <= 1.5 * count(ROOT / "examples" / name)


def test_objects_of_a_mesh_alone_make_no_hub(empty: Shell) -> None:
    clusters = [path for path in committed_in("mesh").iterdir() if not path.name.startswith("_")]
    assert "error SR3007" in empty.refuse("adopt", *map(str, clusters)).err


def test_the_report_is_one_page(live: Shell) -> None:
    done = live.succeed("adopt", "live/america", "live/europe", "-o", "new")
    assert done.out == text_of(__file__, "adopt_report.txt")
    live.succeed("build", "new")
    live.succeed("check", "new")


def test_the_report_can_be_a_comment(live: Shell) -> None:
    done = live.succeed("adopt", "live/america", "live/europe", "--format", "markdown")
    assert "\n### VALUES\n- domain: 2 values, 1 place\n" in done.out
    assert live.succeed("build").status == 0


def test_the_report_is_json_for_programs(live: Shell) -> None:
    done = live.succeed("adopt", "live/america", "live/europe", "--format", "json")
    report = json.loads(done.out)
    assert (report["sizes"]["equal"], report["sizes"]["total"]) == (8, 8)
    assert list(report["sections"]) == ["DIFFERENT", "VALUES"]


def test_clusters_may_be_lists_as_kubectl_prints_them(live: Shell) -> None:
    """Without what a cluster owns, and with the line of what differs."""
    for name in ("america", "europe"):
        objects = read_objects(live.folder / "live" / name)
        for number, data in enumerate(objects):
            data["metadata"] |= {"uid": f"{name}-{number}", "resourceVersion": "7", "generation": 2}
        items = {"apiVersion": "v1", "items": objects, "kind": "List"}
        (live.folder / f"{name}.yaml").write_text(write_objects([items]), encoding="utf-8")
    done = live.succeed("adopt", "america.yaml", "europe.yaml", "-o", "new")
    assert "rebuilt: 8 of 8 equal" in done.out
    assert "100 on europe: europe.yaml:" in done.out
    live.succeed("build", "new")
    for name in ("america", "europe"):
        folder = live.folder / "new/clusters" / name
        assert objects_in(folder) == objects_in(live.folder / "live" / name)


@cases(*rows_of(__file__, "nothing_is_written_if_anything_is_wrong"))
def test_nothing_is_written_if_anything_is_wrong(
    files: Mapping[str, str], arguments: tuple[str, ...], expected: str, empty: Shell
) -> None:
    empty.write(files)
    before = snapshot(empty.folder)
    done = empty.run("adopt", *arguments, "-o", "new")
    assert done.status == 2
    assert expected in done.err
    assert snapshot(empty.folder) == before


def test_a_hub_that_is_there_is_not_written_over(live: Shell) -> None:
    live.write({"hub/mine.yaml": ""})
    done = live.run("adopt", "live/america")
    assert (done.status, "SR3008" in done.err) == (2, True)


def test_a_project_that_is_there_is_compared(live: Shell) -> None:
    live.succeed("adopt", "live/america", "live/europe")
    done = live.succeed("adopt", "live/america", "live/europe")
    assert done.out.startswith("2 clusters compared with the trees: 0 differences\n")
    path = live.folder / "live/europe/gateways/ratelimitpolicy.kuadrant.io_web.yaml"
    path.write_text(path.read_text().replace("limit: 100", "limit: 7"), encoding="utf-8")
    before = snapshot(live.folder)
    done = live.run("adopt", "live/america", "live/europe", "--format", "markdown")
    assert (done.status, done.err.count("the cluster has the number 7")) == (1, 1)
    assert done.out.startswith("2 clusters compared with the trees: 1 difference\n")
    assert snapshot(live.folder) == before
