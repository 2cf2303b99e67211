"""Gateways go where the Placements of their hub say, and what is wrong with these is refused."""

import pytest
from msgspec.structs import replace

from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.pipeline import render
from spokerender.rendering.placement.asking import HubSettings
from spokerender.rendering.values.decisions import DecisionOptions
from spokerender.rendering.values.rendered import Rendered
from tests.support import cases, each, manifest, rows_of
from tests.support.ocm import binding, decision, documents, labelled, managed, ocm_object, placement
from tests.support.project import FLEET, PLACEMENT, project
from tests.support.stages import CLASS, GATEWAY, gateway

HUB = documents(CLASS, labelled(GATEWAY))
EU, US, ASIA = (
    managed("eu", "{region: emea}", status="{clusterClaims: [{name: domain, value: eu.io}]}"),
    managed("us", "{region: amer}", status="{clusterClaims: [{name: domain, value: us.io}]}"),
    managed("asia", "{region: apac}"),
)
NO_RULES = f"{PLACEMENT}  spokes: []\n"


def placed(
    *objects: str,
    rules: str = NO_RULES,
    fleet: str | None = None,
    lock: str | None = None,
    options: DecisionOptions | None = None,
    hub: str = HUB,
) -> Rendered:
    """Render a hub with these objects of OCM."""
    read = project({"hub.yaml": hub, "ocm.yaml": documents(*objects)}, rules, fleet)
    spec = read.fleet_file.spec.ocm
    settings = HubSettings(
        lock=lock.encode() if lock is not None else None,
        options=options or DecisionOptions(),
        decides_always=spec is not None and spec.decide == "always",
        honours_liveness=spec is not None and spec.liveness_taints == "honour",
    )
    return render(replace(read, placing=settings))


def refusals(*objects: str, **more: str) -> list[tuple[str, str, str]]:
    """The code, the file and the message of every error."""
    with pytest.raises(InputError) as raised:
        placed(*objects, **more)  # type: ignore[arg-type]
    return [(each.code, str(each.origin), each.message) for each in raised.value.results]


def codes(results: tuple[Result, ...]) -> list[str]:
    return [each.code for each in results if each.code.startswith("SR14")]


def test_a_labelled_gateway_goes_where_its_placement_says() -> None:
    found = placed(binding(), placement("{predicates: [{requiredClusterSelector: "
        "{labelSelector: {matchLabels: {region: emea}}}}]}"), EU, US)  # fmt: skip
    assert [*found.bundles] == ["eu"]
    assert found.decision.placements["infra/web"].clusters == ("eu",)
    assert found.tree.files("eu").keys() >= {"infra/gateway.gateway.networking.k8s.io_web.yaml"}


def test_no_object_of_the_inventory_ships_even_if_it_is_listed() -> None:
    listed = HUB.replace("policiesToSync:\n", "policiesToSync:\n"
        "    - {group: cluster.open-cluster-management.io, kind: Placement}\n")  # fmt: skip
    found = placed(binding(), placement(), EU, hub=listed)
    assert not [path for path in found.tree.files("eu") if "placement" in path]
    assert {each.message for each in found.results if each.code == "SR1429"} == {
        f"used for placement only, and shipped to no spoke: {objects}"
        for objects in (
            "1 ManagedCluster (eu)",
            "1 ManagedClusterSetBinding (infra/global)",
            "1 Placement (infra/web)",
        )
    }


def test_a_rule_without_spokes_says_as_what() -> None:
    name = "web-{{ spoke.claims.domain | replace('.', '-') }}"
    rule = f'{{gateways: {{names: [infra/web]}}, as: {{name: "{name}"}}}}'
    rules = f"{PLACEMENT}  rules:\n  - {rule}\n"
    found = placed(binding(), placement(), EU, US, rules=rules)
    assert sorted(
        path.rsplit("_", 1)[1] for name in ("eu", "us") for path in found.tree.files(name)
        if "_" in path
    ) == ["web-eu-io.yaml", "web-us-io.yaml"]  # fmt: skip


def test_a_rule_and_an_override_name_a_decision_group() -> None:
    spec = (
        "{decisionStrategy: {groupStrategy: {decisionGroups: [{groupName: canary, "
        "groupClusterSelector: {labelSelector: {matchLabels: {region: emea}}}}]}}}"
    )
    group = "spokes: {placement: infra/web, decisionGroup: canary}"
    rules = (
        f"{PLACEMENT}  rules:\n  - {{gateways: {{names: [infra/web]}}, {group}}}\n"
        f"  overrides:\n  - {{target: {{kind: Gateway}}, {group}, merge: {{spec: {{x: 1}}}}}}\n"
    )
    found = placed(binding(), placement(spec), EU, US, rules=rules, hub=documents(CLASS, GATEWAY))
    groups = found.decision.placements["infra/web"].groups
    assert [(group.name, group.clusters) for group in groups] == [
        ("canary", ("eu",)),
        ("", ("us",)),
    ]
    assert {name: len(b.blueprint.variants) for name, b in found.bundles.items()} == {
        "eu": 1,
        "us": 0,
    }


def test_a_rule_that_names_spokes_is_followed_before_a_label() -> None:
    rules = (
        f"{PLACEMENT}  spokes: [{{name: lab}}]\n"
        "  rules:\n  - {gateways: {names: [infra/web]}, spokes: {names: [lab]}}\n"
    )
    found = placed(EU, rules=rules)
    assert [*found.bundles] == ["lab"]
    assert codes(found.results) == ["SR1426", "SR1429"]


def test_a_cluster_is_joined_with_the_entry_of_its_name() -> None:
    rules = f"{PLACEMENT}  spokes: [{{name: eu, labels: {{tier: gold}}, values: {{x: 1}}}}]\n"
    spoke = placed(binding(), placement(), EU, rules=rules).bundles["eu"].spoke
    assert spoke.labels == {"region": "emea", "tier": "gold"}
    assert (spoke.values, spoke.claims) == ({"x": 1}, {"domain": "eu.io"})


def test_decisions_of_the_hub_are_taken_as_they_are() -> None:
    objects = (decision("us", group="canary"), decision("asia", number=2, index="1"), EU, US, ASIA)
    found = placed(*objects)
    assert [*found.bundles] == ["asia", "us"]
    groups = found.decision.placements["infra/web"].groups
    assert [(each.name, each.index, each.clusters) for each in groups] == [
        ("canary", 0, ("us",)), ("", 1, ("asia",)),
    ]  # fmt: skip


def test_with_decide_always_the_hub_is_compared() -> None:
    always = f"{FLEET}  ocm: {{decide: always}}\n"
    objects = (binding(), placement(), decision("us"), EU, US)
    found = placed(*objects, fleet=always)
    assert [*found.bundles] == ["eu", "us"]
    (told,) = [each for each in found.decision.hub.checked if each.code == "SR1418"]  # type: ignore[union-attr]
    assert told.message == "the hub selected us, and eu, us are decided here"


def test_decisions_of_another_scheduler_are_taken_as_well() -> None:
    other = manifest(
        "PlacementDecision infra/a",
        api="multicluster.x-k8s.io/v1alpha1",
        metadata="labels: {multicluster.x-k8s.io/decision-key: web}",
        decisions="[{clusterProfileRef: {name: eu, namespace: fleet}}]",
    )
    profile = manifest(
        "ClusterProfile fleet/eu",
        api="multicluster.x-k8s.io/v1alpha1",
        metadata="labels: {region: emea}",
    )
    found = placed(other, profile)
    assert {name: bundle.spoke.labels for name, bundle in found.bundles.items()} == {
        "eu": {"region": "emea"}
    }
    assert "SR1419" in [
        code for code, _, _ in refusals(other, other.replace("name: a", "name: b"), profile)
    ]


@cases(
    ((EU,), "SR1413", 'the hub has no Placement "infra/web", and no decision of it'),
    ((placement(), EU), "SR1414",
     "No valid ManagedClusterSetBindings found in placement namespace"),
    ((binding("gone"), placement(), EU), "SR1414",
     "No valid ManagedClusterSetBindings found in placement namespace"),
    ((binding(), placement("{clusterSets: [b, a]}"), EU), "SR1414",
     "None of ManagedClusterSets [b,a] is bound to placement namespace"),
    ((binding(), placement("{tolerations: [{operator: Exists, value: x}]}"), EU), "SR1414",
     "TaintToleration:If the operator is Exists, the value should be empty."),
    ((binding(), placement("{numberOfClusters: -1}"), EU), "SR1427",
     "-1 is negative: OCM's scheduler would end"),
    ((binding(), placement("{numberOfClusters: many}"), EU), "SR1427",
     'Invalid value: "string": spec.numberOfClusters in body must be of type integer'),
    ((binding(), placement(), managed("eu", more=", taints: [{key: a, effect: Never}]")), "SR1427",
     'Unsupported value: "Never": supported values: "NoSelect", "PreferNoSelect"'),
    (
        (
            binding(),
            placement(
                "{prioritizerPolicy: {configurations: [{scoreCoordinate: "
                "{builtIn: ResourceAllocatableCPU}}]}}"
            ),
            managed("eu", status="{allocatable: {cpu: 2x}, capacity: {cpu: 2}}"),
        ),
        "SR1427",
        'Invalid value: "2x": allocatable.cpu in body should match',
    ),
    ((binding(), placement(), managed("eu", status="{allocatable: {cpu: Ki}}")), "SR1427",
     'Invalid value: "Ki": allocatable.cpu in body should match'),
    ((binding(), placement().replace("v1beta1", "v1alpha1"), EU), "SR1427",
     "v1alpha1 of Placement.cluster.open-cluster-management.io is not served"),
    ((decision("eu", "eu"), EU), "SR1419", 'the cluster "eu" is named twice'),
    ((decision("gone"), EU), "SR1419",
     'no ManagedCluster "gone" is in the hub, and no spoke is declared so'),
    ((decision("eu", index="9" * 5000), EU), "SR1419",
     f'the index "{"9" * 40}" of its group is no number'),
    ((decision("eu", index="1"), EU), "SR1419",
     "its group has the index 1, but there is none with 0"),
    ((EU, EU, binding(), placement()), "SR1003", "already defined at ocm.yaml:1"),
)  # fmt: skip
def test_what_is_wrong_is_refused(objects: tuple[str, ...], code: str, message: str) -> None:
    if code == "SR1003":
        assert [r.message for r in placed(*objects).results if r.code == code] == [message]
        return
    found = [text for other, _, text in refusals(*objects) if other == code]
    assert any(text.startswith(message) for text in found), found
    assert all("yaml:" in origin for _, origin, _ in refusals(*objects))


@cases(*rows_of(__file__, "an_expression_that_is_no_answer_is_refused"))
def test_an_expression_that_is_no_answer_is_refused(
    expression: str, code: str, message: str
) -> None:
    selector = f"{{celSelector: {{celExpressions: ['{expression}']}}}}"
    spec = f"{{predicates: [{{requiredClusterSelector: {selector}}}]}}"
    ((found, _, text),) = refusals(binding(), placement(spec), EU)
    assert found == code
    assert message in text


@cases(
    ((placement(), EU), "add a ManagedClusterSetBinding for default or global in the"),
    ((binding("globl"), placement(), EU),
     'no ManagedClusterSet "globl" is in the hub, which a binding names; did you '),
    ((binding(), placement("{clusterSets: [gone]}"), EU),
     'no ManagedClusterSet "gone" is in the hub; the hub has default, global'),
    ((binding(), placement("{clusterSets: [default]}"), EU),
     "add a ManagedClusterSetBinding for default in the namespace infra"),
)  # fmt: skip
def test_a_placement_without_a_set_is_told_what_is_missing(
    objects: tuple[str, ...], cure: str
) -> None:
    with pytest.raises(InputError) as raised:
        placed(*objects)
    (result,) = raised.value.results
    assert result.code == "SR1414"
    assert result.cure.startswith(f"a hub would remove all its clusters: {cure}")


def test_an_unused_placement_is_no_news() -> None:
    found = placed(binding(), placement(), EU, placement(name="other", namespace="elsewhere"))
    assert [
        (each.code, each.severity.value) for each in found.results if each.code == "SR1414"
    ] == [("SR1414", "info")]


def test_too_few_clusters_and_ignored_fields_are_told() -> None:
    found = placed(binding(), placement("{numberOfClusters: 3, sortBy: Score}"), EU, US)
    messages = {each.code: each.message for each in found.results}
    assert messages["SR1415"] == "1 cluster decisions unscheduled; selected are eu, us"
    assert "SR1416" in messages


def test_taints_that_the_hub_sets_do_not_count_unless_they_are_to() -> None:
    key = "cluster.open-cluster-management.io/unreachable"
    tainted = managed("us", more=f", taints: [{{key: {key}, effect: NoSelect}}]")
    found = placed(binding(), placement(), EU, tainted)
    assert [*found.bundles] == ["eu", "us"]
    assert "SR1417" in codes(found.results)
    honoured = f"{FLEET}  ocm: {{livenessTaints: honour}}\n"
    assert [*placed(binding(), placement(), EU, tainted, fleet=honoured).bundles] == ["eu"]


def test_a_label_that_two_files_say_differently_is_refused() -> None:
    rules = f"{PLACEMENT}  spokes: [{{name: eu, labels: {{region: other}}}}]\n"
    europe = EU.replace("region: emea", "\n    region: emea")
    (refusal,) = refusals(binding(), placement(), europe, rules=rules)
    assert refusal[:2] == ("SR1425", "placement.yaml:5")
    before, _, _ = documents(binding(), placement(), europe).partition("region:")
    assert f'"emea" at ocm.yaml:{before.count(chr(10)) + 1}' in refusal[2], refusal


def test_a_decision_that_depends_on_the_time_needs_one() -> None:
    taint = ', taints: [{key: a, effect: NoSelect, timeAdded: "2026-01-01T00:00:00Z"}]'
    objects = (
        binding(),
        placement("{tolerations: [{key: a, operator: Exists, tolerationSeconds: 60}]}"),
        managed("eu", more=taint),
    )
    assert [code for code, _, _ in refusals(*objects)] == ["SR1423"]
    for now, clusters in (("2026-01-01T00:00:59Z", ["eu"]), ("2026-01-01T00:01:00Z", [])):
        found = placed(*objects, options=DecisionOptions(now=now))
        assert [*found.bundles] == clusters
        lock = found.contribution.files["placement.lock.yaml"]
        assert lock is not None
        assert [*placed(*objects, lock=lock.decode()).bundles] == clusters


SCORED = (
    "{prioritizerPolicy: {configurations: [{scoreCoordinate: "
    "{type: AddOn, addOn: {resourceName: gpu, scoreName: free}}}]}}"
)
SCORE = ocm_object(
    "AddOnPlacementScore",
    "gpu",
    "eu",
    more='status: {scores: [{name: free, value: 5}], validUntil: "2026-01-01T00:00:00Z"}\n',
)


@each(None, 1, 2, 3)
def test_scores_that_end_need_a_time_only_where_scores_matter(selected: int | None) -> None:
    """Without a limit below the number of clusters, scores do not matter at all (reference 6)."""
    number = f", numberOfClusters: {selected}" if selected else ""
    objects = (binding(), placement(SCORED.replace("}}]}}", f"}}}}]}}{number}}}")), EU, US, SCORE)
    if selected == 1:
        assert [code for code, _, _ in refusals(*objects)] == ["SR1423"]
    else:
        project = placed(*objects)
        assert [*project.bundles] == ["eu", "us"]
        assert "now:" not in locked(project)
        assert "SR1428" not in codes(project.results)


def test_expired_scores_are_told() -> None:
    later = DecisionOptions(now="2026-01-01T00:00:01Z")
    spec = SCORED.replace("}}]}}", "}}]}, numberOfClusters: 1}")
    found = placed(binding(), placement(spec), EU, US, SCORE, options=later)
    assert [r.message for r in found.results if r.code == "SR1428"] == [
        "AddOnPlacementScores eu/gpu expired, and count as 0"
    ]


def test_the_lock_keeps_what_is_decided_here_and_tells_what_the_hub_changes() -> None:
    first = locked(placed(binding(), placement(), placement(name="other"), EU))
    assert first.endswith("placements:\n  infra/web:\n  - eu\nothers:\n  infra/other:\n  - eu\n")
    options = DecisionOptions(released=frozenset(["eu"]))
    objects = (decision("us"), decision("eu", name="unused"), EU, US)
    found = placed(*objects, lock=first, options=options)
    assert found.decision.hub is not None
    (change,) = found.decision.hub.changes
    assert change.comes == (("us", "the hub selects it now"),)
    assert change.goes == (("eu", "the hub no longer selects it"),)
    assert locked(found).endswith("placements:\n  infra/web:\n  - us\n")


def locked(found: Rendered) -> str:
    """The lock that a build would write."""
    data = found.contribution.files["placement.lock.yaml"]
    assert data is not None
    return data.decode()


def test_expressions_that_take_too_much_together_are_refused() -> None:
    claims = ", ".join(f"{{name: n{number}, value: x}}" for number in range(300))
    cluster = managed("eu", status=f"{{clusterClaims: [{claims}]}}")
    loop = "managedCluster.status.clusterClaims.all(c, c.value == 'x'"
    selector = f'{{celSelector: {{celExpressions: ["{loop} && {loop}))"]}}}}'
    spec = f"{{predicates: [{{requiredClusterSelector: {selector}}}]}}"
    others = [placement(spec, name=f"p{number:03}") for number in range(600)]
    found = refusals(binding(), *others, placement(spec), cluster)
    assert [code for code, _, _ in found] == ["SR1424"]
    assert "takes more than the limit of 5,000,000 steps" in found[0][2]


def test_a_gateway_of_a_rule_without_spokes_needs_a_label() -> None:
    rules = f"{PLACEMENT}  rules: [{{gateways: {{names: [infra/web, infra/api]}}}}]\n"
    hub = documents(HUB, gateway("api"))
    (found,) = refusals(binding(), placement(), EU, rules=rules, hub=hub)
    assert found[0] == "SR1413"
    assert "the Gateway has no label" in found[2]


def test_only_what_decides_needs_the_time() -> None:
    """A toleration that ends counts where no other holds, and no other taint keeps it out."""
    added = 'effect: NoSelect, timeAdded: "2026-01-01T00:00:00Z"'
    ending = "{key: a, operator: Exists, tolerationSeconds: 60}"
    objects = (
        binding(),
        managed("eu", more=f", taints: [{{key: a, {added}}}]"),
        managed("us", more=f", taints: [{{key: a, {added}}}, {{key: b, effect: NoSelect}}]"),
    )
    both = placement(f"{{tolerations: [{ending}, {{key: a, operator: Exists}}]}}")
    assert [*placed(*objects, both).bundles] == ["eu"]
    alone = placement(f"{{tolerations: [{ending}]}}")
    ((code, _, message),) = refusals(*objects, alone)
    assert (code, "60 s on eu" in message) == ("SR1423", True)
    assert [*placed(*objects[::2], alone).bundles] == []


@cases(*rows_of(__file__, "an_expression_is_needed_where_no_other_decides"))
def test_an_expression_is_needed_where_no_other_decides(
    expressions: list[str], clusters: list[str] | None
) -> None:
    selector = f"celSelector: {{celExpressions: {expressions}}}"
    spec = f"{{predicates: [{{requiredClusterSelector: {{{selector}}}}}]}}"
    if clusters is None:
        assert [code for code, _, _ in refusals(binding(), placement(spec), EU)] == ["SR1424"]
    else:
        assert [*placed(binding(), placement(spec), EU).bundles] == clusters
    either = spec.replace("}]}", "}, {}]}")
    assert [*placed(binding(), placement(either), EU).bundles] == ["eu"]


def test_what_is_refused_is_not_compared_with_the_hub() -> None:
    always = f"{FLEET}  ocm: {{decide: always}}\n"
    wrong = placement("{tolerations: [{operator: Equal}]}")
    found = refusals(binding(), wrong, decision("us"), EU, US, fleet=always)
    assert [code for code, _, _ in found] == ["SR1414"]


def test_why_a_cluster_left_is_told_without_the_time_where_another_taint_keeps_it_out() -> None:
    taints = (
        '{key: a, effect: NoSelect, timeAdded: "2026-01-01T00:00:00Z"}, {key: b, effect: NoSelect}'
    )
    spec = "{tolerations: [{key: a, operator: Exists, tolerationSeconds: 60}]}"
    lock = locked(placed(binding(), placement(), EU, US))
    options = DecisionOptions(released=frozenset(["eu"]))
    tainted = managed("eu", more=f", taints: [{taints}]")
    found = placed(binding(), placement(spec), tainted, US, lock=lock, options=options)
    assert found.decision.hub is not None
    (change,) = found.decision.hub.changes
    assert change.goes == (("eu", "taint b:NoSelect: nothing tolerates it"),)


def test_the_lock_keeps_no_time_for_scores_of_clusters_that_are_in_no_set() -> None:
    outsider = managed("zz", "{cluster.open-cluster-management.io/clusterset: other}")
    now = DecisionOptions(now="2026-01-01T00:00:00Z")
    spec = SCORED.replace("}}]}}", "}}]}, numberOfClusters: 1}")
    objects = (binding("default"), placement(spec), EU, US, outsider)
    far = SCORE.replace("namespace: eu", "namespace: zz")
    assert "now:" not in locked(placed(*objects, far, options=now))
    assert "now:" in locked(placed(*objects, far, SCORE, options=now))
