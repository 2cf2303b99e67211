"""The API server takes all that is rendered for the delivery engines, by their own CRDs."""

from pathlib import Path
from typing import Any

import pytest

from tests.live.cluster import Cluster, root_of
from tests.live.definitions import crds
from tests.live.trees import NAMES, rendered
from tests.support.cases import each
from tests.wings.delivery.engines import VARIANTS, delivered_by, engines_folders, of_engines

pytestmark = pytest.mark.live

STRICTLY = "dryRun=All&fieldValidation=Strict"
"""Nothing is stored, and a field that the CRD does not have is refused."""

Resources = dict[tuple[str, str], tuple[str, bool]]


@pytest.fixture(scope="module")
def resources(api_server: Cluster, fixtures: Path) -> Resources:
    """The cluster with the CRDs of the engines."""
    api_server.install(crd for folder in engines_folders(fixtures) for crd in crds(folder))
    return api_server.resources()


@each(*NAMES)
def test_the_api_server_takes_every_delivery(
    name: str, api_server: Cluster, resources: Resources
) -> None:
    taken = set()
    for settings in VARIANTS.values():
        for value in of_engines(delivered_by(rendered(name), settings)):
            told = answer(api_server, resources, value)
            assert told == (201, value["metadata"]["name"])
            taken.add(value["kind"])
    assert taken >= {
        "AppProject",
        "Application",
        "ApplicationSet",
        "GitRepository",
        "Kustomization",
        "ManifestWork",
        "OCIRepository",
    }


def answer(cluster: Cluster, resources: Resources, value: dict[str, Any]) -> tuple[int, str]:
    """The status that a request to make the object gets; the object's name, or what is wrong."""
    plural, has_namespace = resources[value["apiVersion"], value["kind"]]
    place = f"/namespaces/{value['metadata']['namespace']}" if has_namespace else ""
    path = f"{root_of(value['apiVersion'])}{place}/{plural}?{STRICTLY}"
    status, told = cluster.ask("POST", path, value)
    return status, told["metadata"]["name"] if status == 201 else told["message"]
