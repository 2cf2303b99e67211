"""`metadata`, for every kind alike (apimachinery, `ValidateObjectMeta`)."""

from typing import Any

from spokerender.judging.validation.metadata import check_metadata
from tests.support import cases, each, rows_of

GOOD = {"name": "one", "namespace": "shop"}


def told(metadata: Any, group: str = "example.com", *, namespaced: bool = True) -> list[str]:
    found = check_metadata(metadata, group, namespaced=namespaced)
    return [f"{fault.finding.code} {fault.message.partition(':')[0]}" for fault in found]


@each(*rows_of(__file__, "metadata_that_is_taken"))
def test_metadata_that_is_taken(metadata: Any) -> None:
    assert told(metadata) == []


@cases(*rows_of(__file__, "metadata_that_is_refused"))
def test_metadata_that_is_refused(metadata: Any, where: str) -> None:
    assert told(metadata) == [where]


def test_a_cluster_scoped_object_has_no_namespace() -> None:
    assert told({"name": "one"}, namespaced=False) == []
    assert told(GOOD, namespaced=False) == ["SR2305 metadata.namespace"]


def test_names_of_rbac_are_path_segments() -> None:
    assert told({**GOOD, "name": "system:View"}, "rbac.authorization.k8s.io") == []
    assert told({**GOOD, "name": "a/b"}, "rbac.authorization.k8s.io") == ["SR2305 metadata.name"]
