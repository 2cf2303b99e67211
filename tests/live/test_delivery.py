"""The API server takes all that is rendered for Argo CD, Flux and OCM, by their own CRDs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.live.cluster import Cluster, root_of
from tests.live.definitions import crds
from tests.live.trees import NAMES, rendered
from tests.rendering.delivery.engines import VARIANTS, delivered_by, fleet_files

pytestmark = pytest.mark.live

STRICTLY = "dryRun=All&fieldValidation=Strict"
"""Nothing is stored, and a field that the CRD does not have is refused."""

Resources = dict[tuple[str, str], tuple[str, bool]]


@pytest.fixture(scope="module")
def resources(api_server: Cluster, fixtures: Path) -> Resources:
    """The cluster with the CRDs of the engines."""
    folders = (fixtures / "crds" / name for name in ("argocd", "flux", "ocm"))
    api_server.install(crd for folder in folders for crd in crds(folder))
    return api_server.resources()


@pytest.mark.parametrize("name", NAMES)
def test_the_api_server_takes_every_delivery(
    name: str, api_server: Cluster, resources: Resources
) -> None:
    taken: Counter[str] = Counter()
    for settings in VARIANTS.values():
        for documents in fleet_files(delivered_by(rendered(name), settings)).values():
            for value in documents:
                told = answer(api_server, resources, value)
                assert told == (201, value["metadata"]["name"])
                taken[value["kind"]] += 1
    assert taken.keys() == {
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
    plural, _ = resources[value["apiVersion"], value["kind"]]
    place = f"{root_of(value['apiVersion'])}/namespaces/{value['metadata']['namespace']}"
    status, told = cluster.ask("POST", f"{place}/{plural}?{STRICTLY}", value)
    return status, told["metadata"]["name"] if status == 201 else told["message"]
