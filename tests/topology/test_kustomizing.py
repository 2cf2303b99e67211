"""A hub's files are read as they are: what a kustomization beside them would change is an error."""

from spokerender.topology.hub import Hub, read_hub
from tests.support import cases, each, rows_of
from tests.support.stages import told

GATEWAY = """\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: infra}
"""
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: infra}\n"
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: infra}\n"
LISTED = "resources: [web.yaml]\n"
PATCH = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: web}\nspec: {}\n"


def read(**files: str) -> Hub:
    texts = {f"hub/{name.replace('__', '/')}.yaml": text for name, text in files.items()}
    return read_hub([(path, text.encode()) for path, text in texts.items()])


def changes(hub: Hub) -> list[str]:
    return [line.partition(" (take what")[0] for line in told(hub.results, "SR1012")]


@each(
    *("namePrefix: a-", "nameSuffix: -a", "namespace: other", "labels: [{pairs: {a: b}}]"),
    *("commonLabels: {a: b}", "commonAnnotations: {a: b}", "components: [../c]"),
    *("replacements: [{path: r.yaml}]", "transformers: [t.yaml]", "vars: [{name: A}]"),
    "patches: [{path: patch.yaml}]",
    "patches: [{patch: '[]', target: {name: web}}]",
    "patches: [{patch: '[]', target: {kind: Gateway}}]",
    "patchesStrategicMerge: [patch.yaml]",
    'patchesStrategicMerge: ["kind: Gateway\\n"]',
    "patchesJson6902: [{path: j.json, target: {kind: Gateway, name: web}}]",
)
def test_what_changes_a_file_of_the_hub_is_an_error_with_the_command(text: str) -> None:
    hub = read(kustomization=LISTED + text, web=GATEWAY, patch=PATCH)
    field = "patches" if text.startswith("patches") else text.partition(":")[0]
    assert changes(hub) == [
        (
            "SR1012: nobody applies 1 kustomization that would change objects: "
            f"hub/kustomization.yaml ({field})"
        )
    ]
    (result,) = (item for item in hub.results if item.code == "SR1012")
    assert result.cure.endswith(": kustomize build hub | spokerender import -")


@cases(*rows_of(__file__, "what_changes_none_is_passed_over"))
def test_what_changes_none_is_passed_over(text: str, web: str) -> None:
    hub = read(kustomization=text, web=web, patch=PATCH)
    assert changes(hub) == []
    assert "SR1005" in {item.code for item in hub.results}


def test_workloads_have_images() -> None:
    hub = read(kustomization=LISTED + "images: [{name: a, newTag: b}]", web=DEPLOYMENT)
    assert len(changes(hub)) == 1


def test_folders_are_followed_and_circles_end() -> None:
    """All are told at once: the folder's own, and another that lists it by a third."""
    hub = read(
        a__kustomization="resources: [../b]\nnamePrefix: a-",
        b__kustomization="resources: [../a, ../c]",
        c__kustomization="resources: [web.yaml]\nnameSuffix: -c",
        c__web=GATEWAY,
    )
    assert changes(hub) == [
        (
            "SR1012: nobody applies 2 kustomizations that would change objects: "
            "hub/a/kustomization.yaml (namePrefix), hub/c/kustomization.yaml (nameSuffix)"
        )
    ]


def test_a_patch_is_no_object() -> None:
    """Its file has a part of one, which would be the same object twice."""
    hub = read(kustomization=LISTED + "patches: [{path: patch.yaml}]", web=GATEWAY, patch=PATCH)
    assert [item.ref.name for item in hub.manifests] == ["web"]
    assert told(hub.results, "SR1003") == []
