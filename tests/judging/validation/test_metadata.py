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


@cases(
    (None, "SR2305 metadata"),
    ({"namespace": "shop"}, "SR2305 metadata.name"),
    ({**GOOD, "name": "One"}, "SR2305 metadata.name"),
    ({**GOOD, "name": "x" * 254}, "SR2305 metadata.name"),
    ({"generateName": "One-", "namespace": "shop"}, "SR2305 metadata.generateName"),
    ({"name": "one"}, "SR2305 metadata.namespace"),
    ({**GOOD, "namespace": "a.b"}, "SR2305 metadata.namespace"),
    ({**GOOD, "labels": {"a": "b c"}}, "SR2305 metadata.labels.a"),
    ({**GOOD, "labels": {"a": "x" * 64}}, "SR2305 metadata.labels.a"),
    ({**GOOD, "labels": {"a": 1}}, "SR2305 metadata.labels.a"),
    ({**GOOD, "labels": {"a/b/c": "x"}}, "SR2305 metadata.labels"),
    ({**GOOD, "labels": {"/a": "x"}}, "SR2305 metadata.labels"),
    ({**GOOD, "labels": {"x" * 64: "x"}}, "SR2305 metadata.labels"),
    ({**GOOD, "labels": []}, "SR2305 metadata.labels"),
    ({**GOOD, "annotations": {"a b": "x"}}, "SR2305 metadata.annotations"),
    ({**GOOD, "annotations": {"a": "x" * 262_144}}, "SR2305 metadata.annotations"),
    ({**GOOD, "finalizers": "x"}, "SR2305 metadata.finalizers"),
    ({**GOOD, "lables": {}}, 'SR2302 unknown field "metadata.lables"'),
)
def test_metadata_that_is_refused(metadata: Any, where: str) -> None:
    assert told(metadata) == [where]


def test_a_cluster_scoped_object_has_no_namespace() -> None:
    assert told({"name": "one"}, namespaced=False) == []
    assert told(GOOD, namespaced=False) == ["SR2305 metadata.namespace"]


def test_names_of_rbac_are_path_segments() -> None:
    assert told({**GOOD, "name": "system:View"}, "rbac.authorization.k8s.io") == []
    assert told({**GOOD, "name": "a/b"}, "rbac.authorization.k8s.io") == ["SR2305 metadata.name"]
