"""Namespaces, where the project asks for them, are protected from every engine."""

from typing import Any

from spokerender.rendering.marks import namespace_object
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.combined import all_engines
from tests.support import cases, each, manifest, rows_of
from tests.support.stages import CLASS, GATEWAY, auth, everywhere, render, route, values

PROTECTED = {
    "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}


@cases(*rows_of(__file__, "a_namespace_has_the_hubs_marks_and_its_protection"))
def test_a_namespace_has_the_hubs_marks_and_its_protection(
    hub: str | None, labels: Any, annotations: dict[str, str]
) -> None:
    source = values(f"metadata: {hub}\n")[0] if hub else None
    metadata: dict[str, Any] = {"name": "x"}
    if labels:
        metadata["labels"] = labels
    metadata["annotations"] = {**annotations, **PROTECTED}
    assert namespace_object("x", source, all_engines().marks) == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": metadata,
    }


@cases(*rows_of(__file__, "what_the_hub_says_of_synchronization_stays"))
def test_what_the_hub_says_of_synchronization_stays(own: str, merged: str) -> None:
    hub = {"metadata": {"name": "x", "annotations": {"argocd.argoproj.io/sync-options": own}}}
    annotations = namespace_object("x", hub, all_engines().marks)["metadata"]["annotations"]
    assert annotations["argocd.argoproj.io/sync-options"] == merged


NAMESPACE = manifest(
    "Namespace shop",
    "finalizers: [kubernetes]",
    metadata="uid: 1f0c, labels: {team: a, kustomize.toolkit.fluxcd.io/name: apps}, "
    "annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}', "
    "note: b}",
    status="{phase: Active}",
)
DOCUMENTS = (CLASS, GATEWAY, NAMESPACE, route("r"), auth("p", "kind: Gateway, name: web"))
MOVED = everywhere("{namespace: '{{ spoke.values.ns }}'}")


def made(found: Rendered, spoke: str) -> dict[str, Any]:
    files = found.tree.files(spoke)
    return {
        path: values(data.decode())[0]
        for path, data in files.items()
        if path.startswith("_cluster/")
    }


def test_namespaces_are_not_rendered_unless_asked_for() -> None:
    assert made(render(DOCUMENTS), "eu") == {}


@each("object", "spoke")
def test_every_namespace_of_a_spokes_objects_is_rendered_when_asked_for(layout: str) -> None:
    found = render(DOCUMENTS, MOVED, settings=f"namespaces: create\nlayout: {layout}")
    for spoke, place in (("eu", "edge-eu"), ("us", "edge-us")):
        expected = {
            "_cluster/namespace_shop.yaml": {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {
                    "name": "shop",
                    "labels": {"team": "a"},
                    "annotations": {"note": "b", **PROTECTED},
                },
            },
            f"_cluster/namespace_{place}.yaml": {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": place, "annotations": PROTECTED},
            },
        }
        if layout == "object":
            assert made(found, spoke) == expected
        else:
            text = found.tree.files(spoke)["manifests.yaml"].decode()
            documents = [item for item in values(text) if item["kind"] == "Namespace"]
            assert documents == [expected[path] for path in sorted(expected)]
