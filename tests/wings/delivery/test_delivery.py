"""What all engines have in common: templates are parsed back, and refused when they are wrong."""

import pytest

from spokerender.findings.errors import InputError
from spokerender.wings.delivery.settings import Delivery
from tests.support import each
from tests.wings.delivery.delivering import delivered

BOTH = Delivery.model_validate({"argocd": {"repoURL": "https://git.example.com/x"}, "flux": {}})


def refusal(texts: dict[str, str], output_path: str = "clusters") -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        delivered(BOTH, ["eu"], output_path, texts)
    return [(r.field or str(r.origin), r.message) for r in caught.value.results]


def test_nothing_is_delivered_unless_it_is_switched_on(texts: dict[str, str]) -> None:
    assert delivered(Delivery(), ["eu"], "clusters", texts) == {}


def test_a_fleet_without_spokes_gets_no_empty_file(texts: dict[str, str]) -> None:
    assert list(delivered(BOTH, [], "clusters", texts)) == ["argocd/applicationset.yaml"]


def test_both_engines_can_be_served_at_once(texts: dict[str, str]) -> None:
    assert list(delivered(BOTH, ["eu"], "clusters", texts)) == [
        "argocd/applicationset.yaml",
        "flux/kustomizations.yaml",
    ]


def test_a_template_that_makes_no_yaml_is_named(texts: dict[str, str]) -> None:
    broken = texts | {"flux/kustomizations.yaml.j2": "kind: A\nkind: B\n"}
    ((place, message),) = refusal(broken)
    assert place == "templates/flux/kustomizations.yaml.j2:1"
    assert message.startswith("the template makes invalid YAML, line 2: ")


@each("- a\n", "just a text\n", "kind: ConfigMap\n")
def test_a_template_that_makes_no_object_is_named(text: str, texts: dict[str, str]) -> None:
    assert refusal(texts | {"argocd/applicationset.yaml.j2": text}) == [
        (
            "templates/argocd/applicationset.yaml.j2:1",
            "the template makes something that is no Kubernetes object, line 1",
        )
    ]


def test_a_template_that_cannot_be_evaluated_is_named(texts: dict[str, str]) -> None:
    ((place, message),) = refusal(texts | {"argocd/applicationset.yaml.j2": "{{ nmae }}"})
    assert place == "templates/argocd/applicationset.yaml.j2:1"
    assert "nmae" in message


@each("/srv/clusters", "../clusters", "a/../../b")
def test_a_folder_outside_the_repository_is_refused_for_every_engine(
    path: str, texts: dict[str, str]
) -> None:
    message = f'"{path}" is not a folder inside the repository'
    assert refusal(texts, path) == [
        ("spec.delivery.argocd", message),
        ("spec.delivery.flux", message),
    ]
