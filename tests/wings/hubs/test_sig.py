"""Decisions of other schedulers, as SIG-Multicluster's cluster inventory has them."""

from tests.support import cases, manifest
from tests.wings.hubs.test_hub_placements import placed, refusals

GROUP = "multicluster.x-k8s.io"


def decided(*clusters: str, name: str = "web-0", index: str = "", namespace: str = "fleet") -> str:
    """A slice of a decision of the key `web`."""
    number = f', {GROUP}/decision-index: "{index}"' if index else ""
    place = f", namespace: {namespace}" if namespace else ""
    refs = ", ".join(f"{{clusterProfileRef: {{name: {one}{place}}}}}" for one in clusters)
    labels = f"{{{GROUP}/decision-key: web{number}}}"
    return manifest(
        f"PlacementDecision infra/{name}",
        api=f"{GROUP}/v1alpha1",
        metadata=f"labels: {labels}",
        decisions=f"[{refs}]",
    )


def profile(name: str, region: str = "emea", namespace: str = "fleet") -> str:
    """A ClusterProfile with a label and a property."""
    return manifest(
        f"ClusterProfile {namespace}/{name}",
        "clusterManager: {name: any}",
        api=f"{GROUP}/v1alpha1",
        metadata=f"labels: {{region: {region}}}",
        status=f"{{properties: [{{name: at, value: {name}}}]}}",
    )


EU, US = profile("eu"), profile("us", "amer")


def test_slices_are_joined_and_profiles_give_labels_and_claims() -> None:
    found = placed(decided("us", index="1", name="web-1"), decided("eu", index="0"), EU, US)
    spokes = {name: bundle.spoke for name, bundle in found.bundles.items()}
    assert {name: (one.labels, one.claims) for name, one in spokes.items()} == {
        "eu": ({"region": "emea"}, {"at": "eu"}),
        "us": ({"region": "amer"}, {"at": "us"}),
    }


def test_slices_need_no_number() -> None:
    """The label is for schedulers whose order counts (`DecisionIndexLabel`)."""
    assert [*placed(decided("eu"), decided("us", name="web-1"), EU, US).bundles] == ["eu", "us"]


def test_the_profile_of_the_namespace_that_is_named_counts() -> None:
    found = placed(decided("eu"), EU, profile("eu", "other", "a"))
    assert found.bundles["eu"].spoke.labels == {"region": "emea"}


def test_without_a_namespace_it_is_that_of_the_decision() -> None:
    """As the API says of `clusterProfileRef.namespace`."""
    found = placed(decided("eu", namespace=""), EU, profile("eu", "here", "infra"))
    assert found.bundles["eu"].spoke.labels == {"region": "here"}


def test_a_decision_of_one_slice_needs_no_key() -> None:
    alone = decided("eu", name="web").replace(f"{GROUP}/decision-key: web", "a: b")
    assert [*placed(alone, EU).bundles] == ["eu"]


def test_a_key_is_that_of_its_namespace() -> None:
    elsewhere = decided("us", name="web-1").replace("namespace: infra", "namespace: other")
    assert [*placed(decided("eu"), elsewhere, EU, US).bundles] == ["eu"]


def test_more_than_ten_slices_are_in_order() -> None:
    numbers = range(11)
    slices = [decided(f"c{n}", index=str(n), name=f"web-{n}") for n in numbers]
    found = placed(*slices, *(profile(f"c{n}") for n in numbers))
    assert sorted(found.bundles) == sorted(f"c{n}" for n in numbers)


def test_reasons_and_schedulers_decide_nothing() -> None:
    text = decided("eu").replace("fleet}}", "fleet}, reason: cheap}") + "schedulerName: any\n"
    assert [*placed(text, EU).bundles] == ["eu"]


def test_a_decision_for_no_cluster_is_a_warning() -> None:
    found = placed(decided(), EU)
    assert not found.bundles
    ((message, line),) = [(r.message, str(r.origin)) for r in found.results if r.code == "SR1415"]
    assert message == "infra/web: the decision names no cluster, so its gateways go nowhere"
    assert line == "ocm.yaml:1"


TWO_PROFILES = (
    'ClusterProfiles of two namespaces are called "eu", and one spoke has that name (fleet, a)'
)


@cases(
    ([decided("eu", "eu")], 4, 'the cluster "eu" is named twice'),
    ([decided("eu"), decided("eu", name="web-1")], 9,
     'the cluster "eu" is named twice, also by web-0'),
    ([decided("asia")], 4, 'no ClusterProfile "fleet/asia", and no spoke called "asia"'),
    ([decided("eu", namespace="")], 4, 'no ClusterProfile "infra/eu", and no spoke called "eu"'),
    ([decided("eu"), decided("eu", name="web-1", namespace="a"), profile("eu", "x", "a")], 9,
     TWO_PROFILES),
    ([decided("eu", index="0"), decided("us", index="0", name="web-1")], 3,
     "its slices have the indices 0, 0, which do not count from 0"),
    ([decided("eu", index="00")], 3, "its slices have the indices 00, which do not count from 0"),
    ([decided().replace("[]", "[eu]")], 4, "it names no cluster"),
    ([decided("eu").replace("decisions: [", "spec: {decisions: [").replace("}}]", "}}]}")], 1,
     "the decisions are missing; there is spec"),
    ([decided("eu").replace("name: eu, ", "")], 4, "it names no cluster"),
    ([decided("eu", index="1")], 3, "its slices have the indices 1, which do not count from 0"),
    ([decided("eu", index="0"), decided("us", name="web-1")], 3,
     "its slices have the indices 0, none, which do not count from 0"),
    ([decided("eu").replace("decisions:", "decision:")], 1,
     'the decisions are missing; did you mean "decision"?'),
    ([decided().replace("[]", "eu")], 4, 'it must be a list, but is the text "eu"'),
    ([decided(*(f"c{number}" for number in range(101)))], 4,
     "there are 101 items, and at most 100 may be"),
)  # fmt: skip
def test_what_is_wrong_is_refused(objects: list[str], line: int, message: str) -> None:
    found = refusals(*objects, EU, US)
    assert ("SR1419", f"ocm.yaml:{line}", message) in found
    assert "cannot be that of a folder" not in str(found)
