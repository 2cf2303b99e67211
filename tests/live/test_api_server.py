"""kube-apiserver: it takes every spoke's folder, and has what we wrote."""

from pathlib import Path
from typing import Any

import pytest

from tests.live.cluster import Cluster, root_of
from tests.live.definitions import of_examples
from tests.live.trees import NAMES, meant, written
from tests.support.cases import each

pytestmark = pytest.mark.live

Resources = dict[tuple[str, str], tuple[str, bool]]


@pytest.fixture(scope="module")
def resources(api_server: Cluster) -> Resources:
    """The cluster with the CRDs of every kind that the examples have."""
    api_server.install(of_examples())
    return api_server.resources()


@each(*(name for name in NAMES if name != "mesh"))  # has Linkerd's kinds, whose CRDs are not here
def test_every_folder_is_applied_and_stays(
    name: str, api_server: Cluster, resources: Resources, tmp_path: Path
) -> None:
    """As `kubectl apply --server-side -k` does it; what is read back is what was written.

    To apply it again changes nothing. A Gateway alone is stored once more, with the status that
    its CRD gives it by default, which makes another version of it; the third time nothing is. The
    CPU seconds are those of kubectl.
    """
    for spoke, folder in written(name, tmp_path).items():
        wanted = meant(name, spoke)
        for value in wanted.values():
            if "namespace" in value["metadata"]:
                api_server.ensure_namespace(value["metadata"]["namespace"])
        apply = ("apply", "--server-side", "-k", folder)
        api_server.kubectl(*apply)
        first = {key: read(api_server, resources, value) for key, value in wanted.items()}
        for key, value in wanted.items():
            assert missing(value, first[key]) == [], key
        api_server.kubectl(*apply)
        second = {key: read(api_server, resources, value) for key, value in wanted.items()}
        assert {key: unversioned(value) for key, value in second.items()} == {
            key: unversioned(value) for key, value in first.items()
        }
        api_server.kubectl(*apply)
        for key, value in wanted.items():
            assert read(api_server, resources, value) == second[key]
        api_server.kubectl("delete", "--wait=false", "-k", folder)


def read(cluster: Cluster, resources: Resources, value: dict[str, Any]) -> dict[str, Any]:
    """An object as the API server has it."""
    plural, has_namespace = resources[value["apiVersion"], value["kind"]]
    metadata = value["metadata"]
    place = f"/namespaces/{metadata['namespace']}" if has_namespace else ""
    path = f"{root_of(value['apiVersion'])}{place}/{plural}/{metadata['name']}"
    status, found = cluster.ask("GET", path)
    assert status == 200, found
    return dict(found)


def unversioned(value: dict[str, Any]) -> dict[str, Any]:
    metadata = {k: v for k, v in value["metadata"].items() if k != "resourceVersion"}
    return {**value, "metadata": metadata}


def missing(wanted: Any, found: Any, path: str = "") -> list[str]:
    """The places at which what was written is not there; what is added are defaults."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [
            place
            for key, value in wanted.items()
            for place in (
                missing(value, found[key], f"{path}.{key}") if key in found else [f"{path}.{key}"]
            )
        ]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(wanted, found, strict=True))
        return [place for i, (w, f) in pairs for place in missing(w, f, f"{path}[{i}]")]
    return [] if (type(wanted), wanted) == (type(found), found) else [path]
