"""The example that a hub places, with one thing wrong: where it is, what it is, and the cure."""

import shutil

import pytest

from tests.cli.project import Shell
from tests.conftest import ROOT
from tests.support import cases, rows_of
from tests.support.ocm import decision, documents

PLACEMENT, CLUSTERS, GATEWAY = "hub/ocm/placement.yaml", "hub/ocm/clusters.yaml", "hub/gateway.yaml"
LOCK, OURS, FLEET = "placement.lock.yaml", "placement.yaml", "fleet.yaml"
LABEL = "cluster.open-cluster-management.io/placement"
EXPRESSION = "semver(managedCluster.status.version.kubernetes.substring(1)).minor() >= 33"
SELECTOR = "Placement gateways/web spec.predicates[0].requiredClusterSelector"
STRATEGY = "Placement gateways/web spec.decisionStrategy.groupStrategy"
POLICY = "Placement gateways/web spec.prioritizerPolicy"
HEAD = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec:\n"
RECORD = "clusters/_fleet/rollout.yaml"
CHANGES: list[tuple[str, str, str, str]] = rows_of(__file__, "changes")
FLEETS = rows_of(__file__, "fleets")


@pytest.fixture
def example(empty: Shell) -> Shell:
    shutil.copytree(ROOT / "examples/placed-by-ocm", empty.folder, dirs_exist_ok=True)
    return empty


@cases(*CHANGES)
def test_the_line_of_the_field_is_told(
    path: str, old: str, new: str, message: str, example: Shell
) -> None:
    text = (example.folder / path).read_text(encoding="utf-8")
    assert old in text
    example.write({path: text.replace(old, new, 1)})
    done = example.run("build")
    assert done.status == 2
    assert f"{path}:{message}" in done.err
    assert "1 error" in done.err, "nothing that only follows from it"


@cases(*FLEETS)
def test_the_line_of_the_fleet_file_is_told(spec: str, message: str, example: Shell) -> None:
    example.write({FLEET: f"{HEAD[:-1]} {spec}\n"})
    done = example.run("build")
    assert done.status == 2
    assert f"{FLEET}:3: {message}" in done.err


def test_the_line_of_a_decision_is_told(example: Shell) -> None:
    pieces = (decision("dublin"), decision("ohio", "nope", number=2, index="2"))
    text = documents(*pieces).replace("namespace: infra", "namespace: gateways")
    example.write({"hub/ocm/decisions.yaml": text})
    error = example.run("build").err
    assert (
        "hub/ocm/decisions.yaml:9: error SR1419 PlacementDecision gateways/web-decision-2 "
        'status.decisions[1].clusterName: no ManagedCluster "nope" is in the hub'
    ) in error
    assert "metadata.labels: its group has the index 2, but there is none with 1" in error


def test_a_record_that_was_merged_is_told_with_its_line(example: Shell) -> None:
    example.write({FLEET: f"{HEAD}  rollout: {{placement: gateways/web}}\n"})
    example.succeed("build")
    header, _, rest = (example.folder / RECORD).read_text(encoding="utf-8").partition("\n")
    example.write({RECORD: f"{header}\n<<<<<<< ours\n{rest}=======\n{rest}>>>>>>> theirs\n"})
    done = example.run("build")
    assert done.status == 2
    assert f"{RECORD}:2: error SR2602: rollout.yaml has a merge conflict here" in done.err


def test_the_placement_of_a_gateway_is_explained(example: Shell) -> None:
    told = example.run("explain", "Gateway/gateways/web").out
    assert (
        "because placement.yaml:9 places Gateway gateways/web where Placement gateways/web decides"
    ) in told


def test_a_group_that_is_empty_today_is_no_error(example: Shell) -> None:
    text = (example.folder / CLUSTERS).read_text(encoding="utf-8")
    example.write({CLUSTERS: text.replace('    canary: "true"\n', "")})
    done = example.run("build")
    assert done.status == 0, done.err


def test_diff_says_which_folders_it_leaves_out(example: Shell) -> None:
    example.write({FLEET: f"{HEAD}  rollout: {{placement: gateways/web}}\n"})
    example.succeed("build")
    text = (example.folder / "hub/limits.yaml").read_text(encoding="utf-8")
    example.write({"hub/limits.yaml": text.replace("10s", "20s")})
    assert "waves: canary done; rest waits, 2 spokes" in example.run("diff").err


def test_a_spoke_that_leaves_goes_with_the_rest_of_its_placement(example: Shell) -> None:
    example.write({FLEET: f"{HEAD}  rollout: {{placement: gateways/web}}\n"})
    example.succeed("build", "--wave", "all")
    text = (example.folder / CLUSTERS).read_text(encoding="utf-8")
    before, _, after = text.partition("  name: ohio\n")
    drained = after.replace("spec:", "spec:\n  taints: [{key: drain, effect: NoSelect}]", 1)
    example.write({CLUSTERS: f"{before}  name: ohio\n{drained}"})
    done = example.run("build")
    assert done.status == 0, done.err
    assert "waves: canary done; rest waits, 3 spokes" in done.out
