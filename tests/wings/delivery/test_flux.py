"""What Flux is told: one Kustomization per spoke."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from spokerender.findings.errors import InputError
from spokerender.wings.delivery.settings import Delivery
from tests.support import cyaml, manifest, text_of
from tests.wings.delivery.delivering import delivered


def kustomizations(
    texts: dict[str, str], spokes: list[str], **settings: Any
) -> tuple[dict[str, Any], ...]:
    delivery = Delivery.model_validate({"flux": {"namespace": "spokes"} | settings})
    documents = delivered(delivery, spokes, "clusters/", texts)
    assert list(documents) == ["flux/kustomizations.yaml"]
    return documents["flux/kustomizations.yaml"]


def test_each_spoke_has_a_kustomization(texts: dict[str, str]) -> None:
    eu, us = kustomizations(texts, ["us-east-1", "eu-west-1"])
    assert eu == cyaml.safe_load(text_of(__file__, "flux.yaml"))
    assert us["metadata"]["name"] == "us-east-1"
    assert us["spec"]["path"] == "./clusters/us-east-1"


def test_the_settings_are_passed_on(texts: dict[str, str]) -> None:
    source = {"kind": "OCIRepository", "name": "trees", "namespace": "sources"}
    (made,) = kustomizations(texts, ["eu"], sourceRef=source, interval="1h", path="deploy/trees/")
    assert made["spec"]["sourceRef"] == source
    assert made["spec"]["interval"] == "1h"
    assert made["spec"]["path"] == "./deploy/trees/eu"


def test_the_order_of_the_spokes_does_not_matter(texts: dict[str, str]) -> None:
    assert kustomizations(texts, ["a", "b", "c"]) == kustomizations(texts, ["c", "a", "b"])


def test_nothing_can_be_substituted(texts: dict[str, str]) -> None:
    (made,) = kustomizations(texts, ["eu"])
    assert "postBuild" not in made["spec"]


def test_a_spoke_with_a_name_that_yaml_would_take_for_a_number(texts: dict[str, str]) -> None:
    (made,) = kustomizations(texts, ["1e3"])
    assert made["metadata"]["name"] == "1e3"
    assert made["spec"]["kubeConfig"]["secretRef"]["name"] == "1e3-kubeconfig"


def test_no_spoke_may_take_the_place_of_flux_itself(texts: dict[str, str]) -> None:
    with pytest.raises(InputError) as refusal:
        kustomizations(texts, ["eu", "spokes"])
    (result,) = refusal.value.results
    assert result.message == 'spoke "spokes" has the name of Flux\'s own Kustomization'
    assert result.field == "spec.delivery.flux"


HTTPROUTE = manifest(
    "HTTPRoute shop/shop", "rules: [], expression: 'request.path.matches(\"^/a/${b}$\")'"
)
NAMESPACE = manifest("Namespace shop", metadata="annotations: {kept: '1'}")
ANNOTATED = {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}


@pytest.mark.kubectl
def test_the_patch_annotates_every_object_and_changes_nothing_else(
    kubectl: str, texts: dict[str, str], tmp_path: Path
) -> None:
    """Flux adds `spec.patches` to the folder's kustomization.yaml before it builds it."""
    (made,) = kustomizations(texts, ["eu"])
    (tmp_path / "route.yaml").write_text(HTTPROUTE)
    (tmp_path / "namespace.yaml").write_text(NAMESPACE)
    (tmp_path / "kustomization.yaml").write_text(
        cyaml.safe_dump(
            {
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": ["namespace.yaml", "route.yaml"],
                "patches": made["spec"]["patches"],
            }
        )
    )
    built = subprocess.run([kubectl, "kustomize", tmp_path], check=True, capture_output=True)
    want = [cyaml.safe_load(NAMESPACE), cyaml.safe_load(HTTPROUTE)]
    want[0]["metadata"]["annotations"] |= ANNOTATED
    want[1]["metadata"]["annotations"] = ANNOTATED
    assert list(cyaml.safe_load_all(built.stdout)) == want
