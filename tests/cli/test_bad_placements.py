"""The example that a hub places, with one thing wrong: where it is, what it is, and the cure."""

import shutil

import pytest

from tests.cli.project import Shell
from tests.conftest import ROOT
from tests.support import cases
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
CHANGES: list[tuple[str, str, str, str]] = [
    (GATEWAY, f"{LABEL}: web", f"{LABEL}: wep",
     (f"36: error SR1413 Gateway gateways/web metadata.labels[{LABEL}]: the hub has no "
      'Placement "gateways/wep"')),
    (OURS, "decisionGroup: canary", "decisionGroup: canery",
     ("17: error SR1413 spec.overrides[0].spokes.decisionGroup: gateways/web has no decision "
      'group "canery"')),
    (PLACEMENT, "clusterSets: [toys]", "clusterSets: [toyz]",
     ("9: error SR1414 Placement gateways/web spec.clusterSets: None of ManagedClusterSets "
      "[toyz] is bound to placement namespace")),
    (PLACEMENT, "clusterSet: toys", "clusterSet: toyz",
     ('42: error SR1427 ManagedClusterSetBinding gateways/toys spec.clusterSet: "toyz" must '
      "be the name of the binding, toys")),
    (CLUSTERS, "name: dublin", "name: berlin",
     "20: error SR1003 ManagedCluster berlin metadata.name: already"),
    (PLACEMENT, EXPRESSION, "managedCluster.status.version.",
     f"16: error SR1414 {SELECTOR}.celSelector.celExpressions[0]: Predicate:compilation failed"),
    (PLACEMENT, EXPRESSION, "math.greatest(1, 2) == 2",
     f"16: error SR1414 {SELECTOR}.celSelector.celExpressions[0]: Predicate:compilation failed"),
    (PLACEMENT, "matchLabels: {environment: production}",
     "matchExpressions: [{key: environment, operator: Inn, values: [a]}]",
     f'11: error SR1414 {SELECTOR}: Predicate:"Inn" is not a valid label selector operator'),
    (PLACEMENT, "numberOfClusters: 3", "numberOfClusters: -3",
     "8: error SR1427 Placement gateways/web spec.numberOfClusters: -3 is negative"),
    (PLACEMENT, "numberOfClusters: 3", "numberOfClusters: three",
     ("8: error SR1427 Placement gateways/web spec.numberOfClusters: it must be a whole "
      'number, but is the text "three"')),
    (PLACEMENT, "weight: 3", "weight: 11",
     f"20: error SR1427 {POLICY}.configurations[0].weight: 11 is not between -10 and 10"),
    (PLACEMENT, "builtIn: Steady", "builtIn: Spread",
     f"19: error SR1414 {POLICY}.configurations[0]: :incorrect builtin prioritizer: Spread"),
    (PLACEMENT, "prioritizerPolicy:", "prioritizerPolicy:\n    mode: Both",
     f"18: error SR1414 {POLICY}.mode: :incorrect prioritizer policy mode: Both"),
    (PLACEMENT, "groupStrategy:", "groupStrategy:\n      clustersPerDecisionGroup: 250%",
     f'23: error SR1427 {STRATEGY}.clustersPerDecisionGroup: "250%" is not 1 or more'),
    (
        PLACEMENT,
        "prioritizerPolicy:",
        "tolerations:\n  - {operator: Equal, value: a}\n  prioritizerPolicy:",
        (
            "18: error SR1414 Placement gateways/web spec.tolerations[0]: TaintToleration:If the "
            "key is empty, operator must be Exists."
        ),
    ),
    (PLACEMENT, "matchLabels: {environment: production}", "matchLabels: [production]",
     f"13: error SR1427 {SELECTOR}.labelSelector.matchLabels: it must be a mapping"),
    (PLACEMENT, "{selectorType: ExclusiveClusterSetLabel}",
     "{selectorType: LabelSelector, labelSelector: {matchExpressions: [{key: a, operator: I}]}}",
     '2: error SR1414 Placement gateways/web: "I" is not a valid label'),
    (CLUSTERS, "version: {kubernetes: v1.34.2}", "version: [v1.34.2]",
     "12: error SR1427 ManagedCluster berlin status.version: it must be a mapping"),
    (PLACEMENT, "numberOfClusters: 3", "numberOfCluster: 3",
     ("8: error SR2302 Placement gateways/web spec.numberOfCluster: unknown field "
      '"spec.numberOfCluster"\n    did you mean "numberOfClusters"?')),
    (CLUSTERS, "hubAcceptsClient: true", "hubAcceptClient: true",
     "10: error SR2302 ManagedCluster berlin spec.hubAcceptClient: unknown field"),
    (LOCK, "  - berlin\n", "<<<<<<< ours\n  - berlin\n=======\n  - seoul\n>>>>>>> theirs\n",
     "10: error SR1420: the file has a merge conflict here"),
]  # fmt: skip
FLEETS = [
    (
        (
            "{delivery: {ocm: {replicaSets: [{placement: web, namespace: gateways, spokes: "
            "{names: [dublin]}}]}}}"
        ),
        (
            "error SR1801 spec.delivery.ocm.replicaSets[0].spokes: the spokes are not those of "
            "Placement gateways/web: it also decides on berlin, ohio\n"
        ),
    ),
    (
        (
            "{delivery: {ocm: {replicaSets: [{placement: wep, namespace: gateways, spokes: "
            "{names: [dublin]}}]}}}"
        ),
        (
            "error SR1801 spec.delivery.ocm.replicaSets[0].placement: the hub has no Placement "
            '"gateways/wep"\n    did you mean "gateways/web"?\n'
        ),
    ),
    ("{rollout: {placement: gateways/wep}}",
     ("error SR2601 spec.rollout.placement: no Placement gateways/wep decides on spokes\n"
      '    did you mean "gateways/web"?\n')),
    ("{rollout: {groups: [{name: a, spokes: {selector: {matchLabels: {a: b}}}}, {name: b}]}}",
     'error SR2601 spec.rollout.groups[0]: group "a" has no spoke: none is selected\n'),
]  # fmt: skip


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
