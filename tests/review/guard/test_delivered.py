"""What delivery loses: the objects by which engines bring spokes their trees."""

from __future__ import annotations

from spokerender.model.plan import HEADER
from spokerender.review.guard.losses import Loss
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
