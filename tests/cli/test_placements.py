"""Placements of the hub on disk: the lock, who comes and goes, and why a decision is as it is."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spokerender.cli import run
from tests.cli.project import CLASS, WEB, Shell
from tests.support import cases, each, end_to_end as e2e, manifest, rows_of, text_of
from tests.support.ending import moments
from tests.support.ocm import binding, decision, documents, managed, placement

LOCK = "placement.lock.yaml"
NO_RULES = rows_of(__file__, "no_rules")
GATEWAY = WEB.replace("  namespace: infra\n", "  namespace: infra\n  labels: {x: y}\n", 1).replace(
    "{x: y}", "{cluster.open-cluster-management.io/placement: web}"
)
HEAD = (
    "# Written by spokerender build, which keeps these decisions as long as they hold: "
    "commit this file.\napiVersion: spokerender.io/v1alpha1\nkind: PlacementLock\n"
    "metadata:\n  name: placement\n  annotations:\n"
    '    config.kubernetes.io/local-config: "true"\n'
)


FUNNEL = text_of(__file__, "placements_funnel.txt")


def files(*clusters: str, spec: str = "{numberOfClusters: 2}", more: str = "") -> dict[str, str]:
    """A project whose Gateway follows a Placement."""
    inventory = (managed(name, f"{{name: {name}}}") for name in clusters)
    return {
        "hub/class.yaml": CLASS,
        "hub/web.yaml": GATEWAY,
        "hub/ocm.yaml": documents(binding(), placement(spec), *inventory) + more,
        "placement.yaml": NO_RULES,
    }


def locked(*clusters: str, more: str = "") -> str:
    """The lock with these clusters."""
    names = "".join(f"  - {name}\n" for name in clusters)
    return f"{HEAD}placements:\n  infra/web:{'' if clusters else ' []'}\n{names}{more}"


def read(shell: Shell, path: str = LOCK) -> str:
    return (shell.folder / path).read_text(encoding="utf-8")


def all_files(folder: Path) -> dict[str, bytes]:
    """Every file of a project, hidden ones as well."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def codes(shell: Shell, *arguments: str) -> list[tuple[str, str]]:
    """The codes and severities of what a command finds, without what `info` says."""
    found = json.loads(shell.run(*arguments, "--format", "json").out)["results"]
    return [(one["tags"]["code"], one["severity"]) for one in found if one["severity"] != "info"]


def test_a_build_writes_the_lock_and_a_second_one_changes_nothing(empty: Shell) -> None:
    empty.write(files("eu", "us", "zz"))
    assert "  infra/web: eu is added, rank 1 of 3, total 100\n" in empty.succeed("build").out
    assert read(empty) == locked("eu", "us")
    before = all_files(empty.folder)
    empty.succeed("build")
    empty.succeed("check")
    assert all_files(empty.folder) == before


def test_a_lock_without_metadata_is_read_and_written_with_it(empty: Shell) -> None:
    empty.write(files("eu", "us", "zz"))
    nameless, _, _ = HEAD.partition("metadata:\n")
    empty.write({LOCK: locked("us", "zz").replace(HEAD, nameless)})
    empty.succeed("build")
    assert read(empty) == locked("us", "zz")


def test_what_holds_is_kept_and_told_and_moves_when_asked(empty: Shell) -> None:
    empty.write({**files("eu", "us", "zz"), LOCK: locked("us", "zz")})
    spec = (
        "{numberOfClusters: 2, prioritizerPolicy: {mode: Exact, configurations: "
        "[{scoreCoordinate: {builtIn: Steady}, weight: -1}]}}"
    )
    empty.write(files("eu", "us", "zz", spec=spec))
    empty.succeed("build")
    assert read(empty) == locked("us", "zz")
    found = json.loads(empty.run("check", "--format", "json").out)["results"]
    (told,) = [one for one in found if one["tags"]["code"] == "SR1422"]
    assert told["message"] == "OCM would select eu, us now, instead of us, zz"
    assert empty.run("build", "--update-placement=infra/gone").status == 2
    empty.succeed("build", "--update-placement=infra/web", "--allow-delete", "zz")
    assert read(empty) == locked("eu", "us")
    empty.succeed("build", "--update-placement", "--allow-delete", "us")


def test_what_does_not_hold_is_an_error_of_check_and_decided_anew_by_build(empty: Shell) -> None:
    empty.write(files("eu", "us", "zz"))
    empty.run("build")
    empty.write(files("eu", "zz"))
    checked = empty.run("check")
    assert checked.status == 1
    assert (
        "hub/ocm.yaml:6: error SR1421 Placement infra/web: zz is added (rank 2 of 2, total 100); "
        "us is removed (the hub has no ManagedCluster of that name)\n"
    ) in checked.err
    assert "placement.lock.yaml: it is not what a build writes" in checked.err


def test_a_spoke_that_left_keeps_an_empty_folder_until_it_may_go(empty: Shell) -> None:
    empty.write(files("eu", "us"))
    empty.succeed("build")
    empty.write(files("eu"))
    assert (empty.run("build").status, read(empty)) == (2, locked("eu", "us"))
    emptied = ("Gateway/infra/web@us", "HTTPRoute/shop/shop@us")
    allowed = [word for name in emptied for word in ("--allow-delete", name)]
    empty.succeed("build", *allowed)
    assert read(empty) == locked("eu", more="left:\n- us\n")
    assert "resources: []" in read(empty, "clusters/us/kustomization.yaml")
    empty.succeed("build")
    empty.succeed("build", "--allow-delete", "us")
    assert read(empty) == locked("eu")
    assert not (empty.folder / "clusters/us").exists()
    empty.write(files("eu", "us"))
    empty.succeed("build")
    assert read(empty) == locked("eu", "us")


@cases(
    (locked("eu", "ghost"), "11: error SR1420 placements.infra/web[1]"),
    (locked("eu", more="left: [ghost]\n"), "11: error SR1420 left[0]"),
)
def test_a_cluster_that_was_never_there_is_no_spoke(text: str, place: str, empty: Shell) -> None:
    empty.write(files("eu"))
    empty.succeed("build")
    empty.write({LOCK: text})
    for command in ("build", "check"):
        refused = empty.run(command)
        assert refused.status != 0
        assert (
            f'placement.lock.yaml:{place}: "ghost" is no cluster of the hub, and has no folder\n'
            "    correct the name, or take it out of the lock\n"
        ) in refused.err
    assert not (empty.folder / "clusters/ghost").exists()


@cases(*rows_of(__file__, "a_lock_that_is_broken_is_refused"))
def test_a_lock_that_is_broken_is_refused(text: str, line: int, message: str, empty: Shell) -> None:
    empty.write({**files("eu"), LOCK: text})
    found = json.loads(empty.run("build", "--format", "json").out)["results"]
    broken = [one for one in found if one["tags"]["code"] == "SR1420"]
    assert broken
    assert message in broken[0]["message"]
    assert broken[0]["file"]["path"] == LOCK
    if message:
        assert broken[0]["tags"].get("line", line) == line
    assert not (empty.folder / "clusters").exists()


def test_a_decision_by_time_asks_for_it_once(empty: Shell) -> None:
    spec = "{tolerations: [{key: drain, operator: Exists, tolerationSeconds: 60}]}"
    taint = ', taints: [{key: drain, effect: NoSelect, timeAdded: "2026-01-01T00:00:00Z"}]'
    inventory = documents(binding(), placement(spec), managed("eu", more=taint), managed("us"))
    empty.write({**files(), "hub/ocm.yaml": inventory})
    refused = empty.run("build")
    assert refused.status == 2
    assert "spokerender build --now" in refused.err
    assert empty.run("build", "--now", "soon").status == 2
    empty.succeed("build", "--now", "2026-01-01T00:00:59Z")
    assert 'now: "2026-01-01T00:00:59Z"\n' in read(empty)
    empty.succeed("build")
    empty.succeed("check")
    later = empty.succeed("build", "--now", "2026-01-01T00:01:00Z", "--allow-delete", "eu")
    assert "eu is removed, taint drain:NoSelect: nothing tolerates it" in later.out
    assert [path.name for path in sorted((empty.folder / "clusters").iterdir())] == ["us"]


def test_a_refused_placement_writes_nothing(empty: Shell) -> None:
    empty.write(files("eu"))
    empty.run("build")
    before = all_files(empty.folder)
    bad = "{prioritizerPolicy: {configurations: [{scoreCoordinate: {builtIn: Spread}}]}}"
    empty.write(files("eu", spec=bad))
    assert ("SR1414", "error") in codes(empty, "build")
    unchanged = all_files(empty.folder)
    assert {path: data for path, data in unchanged.items() if path != "hub/ocm.yaml"} == {
        path: data for path, data in before.items() if path != "hub/ocm.yaml"
    }


def test_the_way_to_a_decision_is_explained(empty: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    region = "{predicates: [{requiredClusterSelector: {labelSelector: {matchExpressions: "
    spec = f"{region}[{{key: name, operator: NotIn, values: [asia]}}]}}}}}}], numberOfClusters: 1}}"
    outside = managed("far", "{cluster.open-cluster-management.io/clusterset: other}")
    drained = managed("drained", more=", taints: [{key: drain, effect: NoSelect}]")
    inventory = documents(
        binding("default"), placement(spec), drained, outside,
        *(managed(name, f"{{name: {name}}}") for name in ("asia", "eu", "us")),
    )  # fmt: skip
    empty.write({**files(), "hub/ocm.yaml": inventory})
    assert empty.run("explain", "placement", "infra/web").out == FUNNEL
    done = empty.run("explain", "--spoke", "elsewhere")
    assert (done.status, "`explain placement infra/web` shows why" in done.err) == (2, True)


def test_a_placement_that_is_refused_is_explained_as_well(empty: Shell) -> None:
    empty.write({**files("eu"), "hub/ocm.yaml": documents(placement(), managed("eu"))})
    assert empty.run("explain", "placement", "infra/web").out == rows_of(
        __file__, "a_placement_that_is_refused_is_explained_as_well"
    )
    assert empty.run("explain", "placement", "infra/gone").status == 2
    empty.write({"hub/ocm.yaml": documents(decision("eu"), managed("eu"), managed("us"))})
    assert (
        empty.run("explain", "placement", "infra/web").out
        == """\
Placement infra/web (hub/ocm.yaml:1): 1 of 1 cluster, as the hub's PlacementDecisions say

CLUSTER   VERDICT    RANK   TOTAL   SCORES   WHY
eu        selected   -      -       -        -
"""
    )


def test_import_keeps_the_state_that_placements_are_decided_from(empty: Shell) -> None:
    exported = managed("eu", status="{clusterClaims: [{name: region, value: emea}]}")
    owner = "ownerReferences: [{kind: Placement, name: web, controller: true}]"
    decided = decision("eu").replace("metadata: {", f"metadata: {{uid: abc, {owner}, ")
    empty.write({"export.yaml": documents(exported, decided)})
    empty.succeed("import", "export.yaml")
    texts = [
        path.read_text(encoding="utf-8") for path in sorted((empty.folder / "hub").rglob("*.yaml"))
    ]
    assert ["clusterClaims" in text or "clusterName: eu" in text for text in texts] == [True, True]
    assert not [text for text in texts if "uid" in text or "ownerReferences" in text]


@each(2, pytest.param(250, marks=pytest.mark.weekly), ids=["some", "many"])
def test_lock_and_tree_agree_after_builds_that_were_killed(times: int, tmp_path: Path) -> None:
    states = ((files("eu", "us"), "asia"), (files("asia", "eu"), "us"))
    e2e.write(tmp_path, states[1][0])
    seconds, trees = 0.0, []
    _finish(tmp_path, "us")
    for state, gone in states:
        e2e.write(tmp_path, state)
        start = time.monotonic()
        subprocess.run([*BUILD, str(tmp_path), "--allow-delete", gone], check=True)
        seconds = max(seconds, time.monotonic() - start)
        trees.append(all_files(tmp_path))
    for number, moment in enumerate(moments(times, seconds)):
        state, gone = states[number % 2]
        e2e.write(tmp_path, state)
        with subprocess.Popen(
            [*BUILD, str(tmp_path), "--allow-delete", gone], stderr=subprocess.DEVNULL
        ) as running:
            time.sleep(moment)
            running.send_signal(signal.SIGKILL)
            running.wait()
        lock = (tmp_path / LOCK).read_text(encoding="utf-8")
        assert lock in {locked("eu", "us"), locked("asia", "eu")}
        _finish(tmp_path, gone)
        assert all_files(tmp_path) == trees[number % 2]


BUILD = (sys.executable, "-m", "spokerender", "build", "--quiet")


def _finish(folder: Path, gone: str) -> None:
    """Build; a spoke that is still there may go. Where it is gone, naming it is refused."""
    if run(["build", str(folder)]) != 0:
        assert run(["build", str(folder), "--allow-delete", gone]) == 0


def test_a_decision_of_the_hub_is_explained_beside_the_filters(
    empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    spec = "{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {name: eu}}}}]}"
    objects = (managed(name, f"{{name: {name}}}") for name in ("eu", "us", "zz"))
    inventory = documents(binding(), placement(spec), *objects, decision("us"))
    empty.write({**files(), "hub/ocm.yaml": inventory})
    rows = empty.run("explain", "placement", "infra/web").out.splitlines()[-3:]
    assert [(row.split()[:2], row.split("  ")[-1].strip()) for row in rows] == [
        (["eu", "cut"], "the hub selected others"),
        (["us", "selected"], "not by these files: label name=eu: it has name=us"),
        (["zz", "Predicate"], "near miss: label name=eu: it has name=zz"),
    ]


SIG = manifest(
    "PlacementDecision infra/a",
    api="multicluster.x-k8s.io/v1alpha1",
    metadata="labels: {multicluster.x-k8s.io/decision-key: web}",
    decisions="[{clusterProfileRef: {name: eu}}]",
)


def test_a_decision_of_another_scheduler_is_explained(empty: Shell) -> None:
    ours = manifest("Placement shop", api="spokerender.io/v1alpha1")
    entry = f"{ours}spec: {{spokes: [{{name: eu}}]}}\n"
    empty.write({**files(), "hub/ocm.yaml": SIG, "placement.yaml": entry})
    first, _, _, row = empty.run("explain", "placement", "infra/web").out.splitlines()
    assert first.endswith("1 of 1 cluster, as the hub's PlacementDecisions say")
    assert row.split()[:2] == ["eu", "selected"]
    missed = empty.run("explain", "placement", "infra/wep")
    assert (missed.status, 'did you mean "infra/web"?' in missed.err) == (2, True)
    empty.write({"hub/ocm.yaml": documents(SIG, binding(), placement(), managed("us"))})
    assert "1 of 2 clusters, as the hub" in empty.run("explain", "placement", "infra/web").out


def test_what_is_not_decided_is_explained_as_far_as_it_goes(
    empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    spec = "{tolerations: [{key: drain, operator: Exists, tolerationSeconds: 60}]}"
    taint = ', taints: [{key: drain, effect: NoSelect, timeAdded: "2026-01-01T00:00:00Z"}]'
    objects = documents(binding(), placement(spec), managed("eu", more=taint), managed("us"))
    empty.write({**files(), "hub/ocm.yaml": objects})
    first, refused, sets, _, _, *rows = empty.run(
        "explain", "placement", "infra/web"
    ).out.splitlines()
    assert first.endswith("0 of 2 clusters, not decided")
    assert refused == "  refused: it depends on the time: the toleration of drain for 60 s on eu"
    assert sets == "  sets: global"
    assert [row.split()[:2] for row in rows] == [["eu", "open"], ["us", "open"]]
