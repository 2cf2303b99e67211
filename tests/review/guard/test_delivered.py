"""What delivery loses: the objects by which engines bring spokes their trees."""

from __future__ import annotations

import pytest

from spokerender.formats import yamlio
from spokerender.model.plan import HEADER
from spokerender.review.guard.losses import Loss
from spokerender.wings.delivery.engines import engine_objects
from tests.review.guard.trees import Files, Output, lost

APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: X, namespace: argocd}
spec: {source: {path: fleet/clusters/eu}}
"""
SET = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: X}\n"
KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: eu, namespace: X}
"""
WORK = "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: X}\n"
POLICY = "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: X}\n"
SOURCE = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: X}\n"
ROUTE = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: a}\n"
EU: Files = {"a.yaml": HEADER + ROUTE.encode()}
SPOKES: Output = {"eu": EU, "us": EU}


def fleet(**files: str) -> Files:
    """The fleet's folder, by engine: `argocd`, or `argocd_b` for a second file."""
    return {
        f"{name.replace('_', '/')}/x.yaml": HEADER + text.encode() for name, text in files.items()
    }


def gone(old: Files, new: Files, after: Output = SPOKES) -> list[str]:
    """What goes of delivery, as far as that is no spoke's own going."""
    before: Output = {**SPOKES, "_fleet": old}
    then: Output = {"eu": {}, "us": {}, **after, "_fleet": new}
    return [
        str(item.ref)
        for removal in lost(before, then)
        if removal.loss is Loss.DELIVERY
        for item in removal.lost
    ]


def test_an_engine_goes() -> None:
    for text in (SET, APPLICATION, KUSTOMIZATION, WORK, POLICY):
        assert len(gone(fleet(engine=text), {})) == 1
        assert len(gone(fleet(engine=text, other=SOURCE), fleet(other=SOURCE))) == 1


def test_an_object_is_called_otherwise() -> None:
    for text in (SET, APPLICATION, KUSTOMIZATION):
        assert len(gone(fleet(a=text), fleet(a=text.replace("X", "b")))) == 1
    assert gone(fleet(a=SET), fleet(a=SET.replace("X", "b"))) == ["ApplicationSet X"]


def test_what_an_engine_divides_anew_is_nobodys_business() -> None:
    """OCM's and Karmada's objects bring single objects, whose going is told by itself."""
    for text in (WORK, POLICY):
        assert gone(fleet(a=text, a_b=text.replace("X", "b")), fleet(a=text)) == []
    assert gone(fleet(a=SET, a_b=SOURCE), fleet(a=SET)) == []


def test_it_moves_to_another_file() -> None:
    assert gone(fleet(a=f"{SET}---\n{SOURCE}"), fleet(a=SOURCE, a_b=SET)) == []


def test_it_goes_with_its_spoke() -> None:
    for text in (APPLICATION, KUSTOMIZATION):
        other = text.replace("eu", "us").replace("X", "y")
        assert gone(fleet(a=f"{text}---\n{other}"), fleet(a=other), {"us": EU}) == []
        assert gone(fleet(a=f"{text}---\n{other}"), {}, {}) == []
    assert gone(fleet(a=SET), {}, {}) == []


def moved(old: str, new: str, after: Output = SPOKES) -> list[str]:
    """The objects that would bring a tree to another cluster than before."""
    before: Output = {**SPOKES, "_fleet": fleet(a=old)}
    then: Output = {"eu": {}, "us": {}, **after, "_fleet": fleet(a=new)}
    return [
        str(item.ref)
        for removal in lost(before, then)
        if removal.loss is Loss.DELIVERY
        for item in removal.lost
        if "no longer be applied to the cluster" in item.guarded
    ]


def application(spoke: str, destination: str) -> str:
    text = APPLICATION.replace("X", f"spokes-{spoke}").replace("clusters/eu", f"clusters/{spoke}")
    return text.replace("}}\n", f"}}, destination: {destination}}}\n")


def application_set(generator: str, destination: str) -> str:
    spec = f"{{generators: [{generator}], template: {{spec: {{destination: {destination}}}}}}}"
    return f"{SET}spec: {spec}\n"


def listed(**destinations: str) -> str:
    elements = ", ".join(
        f"{{path: {{basename: {spoke}}}, destination: {place}}}"
        for spoke, place in destinations.items()
    )
    return f"{{list: {{elements: [{elements}]}}}}"


BY_NAME = '{name: "{{.path.basename}}"}'
GIT = "{git: {directories: [{path: clusters/*}]}}"
BY_LABEL = f'{{matrix: {{generators: [{GIT}, {{clusters: {{selector: {{a: "LABEL"}}}}}}]}}}}'
BOTH = "---\n".join(application(spoke, f"{{name: {spoke}}}") for spoke in ("eu", "us"))
SETS = application_set(GIT, BY_NAME)
LABELLED = application_set(BY_LABEL, "{server: x}")
FLUX = KUSTOMIZATION + "spec: {kubeConfig: {secretRef: {name: eu-kubeconfig}}}\n"
WORKS = WORK.replace("{name: X}", "{name: works, namespace: eu}")
REPLICAS = (
    WORK.replace("ManifestWork\n", "ManifestWorkReplicaSet\n").replace(
        "{name: X}", "{name: works, namespace: p}"
    )
    + "spec: {placementRefs: [{name: edge}]}\n"
)
PROPAGATED = f"{POLICY}spec: {{placement: {{clusterAffinity: {{clusterNames: [eu, us]}}}}}}\n"
TWICE = f"{PROPAGATED}---\n{PROPAGATED.replace('X', 'other')}"


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        (BOTH, BOTH.replace("{name: eu}", "{name: us}"), 1),
        (BOTH, BOTH.replace("{name: eu}", "{server: 'https://eu'}"), 1),
        (BOTH, BOTH.replace("spokes-", "shop-"), 0),
        (SETS, SETS.replace(BY_NAME, '{name: "x-{{.path.basename}}"}'), 1),
        (SETS, application_set(listed(eu="{name: eu}", us="{name: us}"), "{name: x}"), 0),
        (SETS, application_set(listed(eu="{name: us}", us="{name: us}"), "{name: x}"), 1),
        (SETS, application_set(listed(us="{name: us}"), "{name: x}"), 1),
        (SETS, LABELLED, 1),
        (LABELLED, LABELLED.replace("LABEL", "other"), 1),
        (FLUX, FLUX.replace("eu-kubeconfig", "us-kubeconfig"), 1),
        (FLUX, KUSTOMIZATION, 1),
        (FLUX, FLUX.replace("spec: {", "spec: {interval: 5m, "), 0),
        (WORKS, WORKS.replace("namespace: eu", "namespace: other"), 1),
        (WORKS, f"{WORKS}---\n{WORKS.replace('name: works', 'name: more')}", 0),
        (WORKS, f"{WORKS}---\n{REPLICAS}", 0),
        (WORKS, REPLICAS, 1),
        (REPLICAS, REPLICAS.replace("edge", "other"), 1),
        (PROPAGATED, PROPAGATED.replace("[eu, us]", "[us]"), 1),
        (PROPAGATED, TWICE, 0),
        (TWICE, TWICE.replace("eu, ", "", 1), 0),
    ],
)
def test_a_tree_goes_to_another_cluster(old: str, new: str, count: int) -> None:
    """Where a tree goes is guarded as what it holds, for each engine and each of its objects."""
    assert len(moved(old, new)) == count
    assert moved(old, old) == []


def test_a_spoke_that_goes_takes_its_cluster_along() -> None:
    us: Output = {"us": EU, "eu": {}}
    assert moved(BOTH, application("us", "{name: us}"), us) == []
    assert moved(PROPAGATED, PROPAGATED.replace("[eu, us]", "[us]"), us) == []


def test_every_kind_that_carries_says_where_to() -> None:
    texts = {"ApplicationSet": SETS, "Application": BOTH, "Kustomization": FLUX}
    texts |= {"ManifestWork": WORKS, "ManifestWorkReplicaSet": REPLICAS}
    texts |= {"PropagationPolicy": PROPAGATED}
    texts |= {"ClusterPropagationPolicy": PROPAGATED.replace(": Prop", ": ClusterProp")}
    for engine in engine_objects():
        for carrier in engine.carriers:
            (data, *_), _ = yamlio.read(texts[carrier.kind].encode(), "")
            assert [*carrier.reaches(data.value, ["eu", "us"])]
