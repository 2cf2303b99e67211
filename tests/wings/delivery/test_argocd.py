"""What Argo CD is told: one ApplicationSet over the spokes' folders."""

from typing import Any

from spokerender.wings.delivery.settings import Delivery
from tests.support import cases, cyaml, rows_of, text_of
from tests.wings.delivery.delivering import delivered

SETTINGS = {
    "name": "shop",
    "repoURL": "https://git.example.com/shop.git",
    "targetRevision": "main",
    "project": "policies",
}


def applicationset(texts: dict[str, str], **changes: Any) -> dict[str, Any]:
    delivery = Delivery.model_validate({"argocd": SETTINGS | changes})
    documents = delivered(delivery, ["eu-west-1", "us-east-1"], "clusters/", texts)
    assert list(documents) == ["argocd/applicationset.yaml"]
    (made,) = documents["argocd/applicationset.yaml"]
    return made


def test_one_applicationset_serves_every_spoke(texts: dict[str, str]) -> None:
    assert applicationset(texts) == cyaml.safe_load(text_of(__file__, "argocd.yaml"))


@cases(*rows_of(__file__, "the_generator_looks_into_the_folder_of_the_repository"))
def test_the_generator_looks_into_the_folder_of_the_repository(
    path: str, spokes: str, fleet: str, texts: dict[str, str]
) -> None:
    (generator,) = applicationset(texts, path=path)["spec"]["generators"]
    assert generator["git"]["directories"] == [{"path": spokes}, {"path": fleet, "exclude": True}]


def test_a_setting_stays_the_string_that_it_is(texts: dict[str, str]) -> None:
    spec = applicationset(texts, targetRevision="1e3", project='on: "#')["spec"]
    assert spec["generators"][0]["git"]["revision"] == "1e3"
    assert spec["template"]["spec"]["source"]["targetRevision"] == "1e3"
    assert spec["template"]["spec"]["project"] == 'on: "#'


def test_without_automation_people_synchronize(texts: dict[str, str]) -> None:
    spec = applicationset(texts, syncPolicy={"automated": None})["spec"]
    assert spec["template"]["spec"]["syncPolicy"] == {"syncOptions": ["PruneLast=true"]}


def test_the_settings_of_the_synchronization_are_passed_on(texts: dict[str, str]) -> None:
    policy = {
        "automated": {"prune": False, "selfHeal": False},
        "syncOptions": ["ServerSideApply=true", "PruneLast=false"],
    }
    assert applicationset(texts, syncPolicy=policy)["spec"]["template"]["spec"]["syncPolicy"] == {
        "automated": {"prune": False, "selfHeal": False, "allowEmpty": False},
        "syncOptions": ["ServerSideApply=true", "PruneLast=false"],
    }


def test_spokes_come_and_go_without_a_change(texts: dict[str, str]) -> None:
    delivery = Delivery.model_validate({"argocd": SETTINGS})
    one = delivered(delivery, ["a"], "clusters", texts)
    assert one == delivered(delivery, ["b", "c"], "clusters", texts)
