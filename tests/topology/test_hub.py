"""From files to manifests: what is read, and where it was."""

import pytest
from hypothesis import given, strategies as st

from spokerender.model import Origin
from spokerender.topology.hub import is_local_config
from tests.support import cases, each
from tests.support.hub_files import CONFIG, contents, read
from tests.support.stages import told


def test_several_documents_keep_file_document_and_line() -> None:
    hub = read(
        {
            "hub/b.yml": """\
                # a comment before everything
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: second, namespace: x}
                ---
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: first, namespace: x}
                """,
            "hub/a.json": '{"apiVersion": "v1", "kind": "Service", '
            '"metadata": {"name": "svc", "namespace": "x"}}',
        }
    )
    assert hub.results == ()
    assert contents(hub) == [
        ("ConfigMap x/first", Origin("hub/b.yml", 1, 7)),
        ("ConfigMap x/second", Origin("hub/b.yml", 0, 2)),
        ("Service x/svc", Origin("hub/a.json", 0, 1)),
    ]


@each("List", "ConfigMapList")
def test_items_of_a_list_are_objects_each_with_its_line(kind: str) -> None:
    hub = read(f"""\
        apiVersion: v1
        kind: {kind}
        metadata: {{resourceVersion: ""}}
        items:
        - apiVersion: v1
          kind: ConfigMap
          metadata: {{name: a, namespace: x}}
        - apiVersion: v1
          kind: ConfigMap
          metadata: {{name: b, namespace: x}}
        """)
    assert hub.results == ()
    assert contents(hub) == [
        ("ConfigMap x/a", Origin("hub/a.yaml", 0, 5)),
        ("ConfigMap x/b", Origin("hub/a.yaml", 0, 8)),
    ]


def test_the_text_is_spliced_where_comments_can_survive_and_nowhere_else() -> None:
    hub = read(
        {
            "hub/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a} # mine\n",
            "hub/b.yaml": f"apiVersion: v1\nkind: List\nitems:\n- {CONFIG}\n",
            "hub/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: c}\ndata: *m\n",
        }
    )
    assert [(m.ref.name, m.written.is_spliced) for m in hub.manifests if m.written] == [
        ("a", True),
        ("c", False),
        ("a", False),
    ]


def test_an_object_without_namespace_is_in_default_if_its_kind_has_namespaces() -> None:
    hub = read("""\
        {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g}}
        ---
        {apiVersion: example.com/v1, kind: Unknown, metadata: {name: u, namespace: ""}}
        ---
        {apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: c}}
        ---
        {apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: r}}
        ---
        {apiVersion: v1, kind: Namespace, metadata: {name: ns, namespace: nonsense}}
        """)
    assert [str(manifest.ref) for manifest in hub.manifests] == [
        "Namespace ns",
        "Unknown default/u",
        "Gateway default/g",
        "GatewayClass c",
        "HTTPRoute default/r",
    ]
    assert told(hub.results, "SR1006") == [
        (
            "SR1006 Gateway default/g metadata.namespace: not set: taken to be in `default`, as "
            "kubectl does; so are HTTPRoute default/r (set it; where a kustomization sets it, take "
            "what that makes: kustomize build hub | spokerender import -)"
        )
    ]


def test_a_crd_of_the_hub_says_whether_its_kind_has_namespaces() -> None:
    hub = read("""\
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: worlds.example.com}
        spec:
          group: example.com
          scope: Cluster
          names: {kind: World, plural: worlds}
          versions: [{name: v1, served: true, storage: true}]
        ---
        {apiVersion: example.com/v1, kind: World, metadata: {name: w}}
        """)
    assert hub.results == ()
    assert [str(m.ref) for m in hub.manifests] == [
        "CustomResourceDefinition worlds.example.com",
        "World w",
    ]


@each("kustomization.yaml", "kustomization.yml", "Kustomization.yaml")
def test_a_kustomization_is_passed_over_and_told(name: str) -> None:
    hub = read({f"hub/x/{name}": "resources: [../base]\n", "hub/a.yaml": CONFIG})
    assert [str(manifest.ref) for manifest in hub.manifests] == ["ConfigMap x/a"]
    assert [(r.code, r.message, r.origin) for r in hub.results] == [
        (
            "SR1005",
            "kustomization files are not applied; the files beside it are read as they are",
            Origin(f"hub/x/{name}"),
        )
    ]


def test_namespaces_are_those_among_the_objects() -> None:
    hub = read(
        "{apiVersion: v1, kind: Namespace, metadata: {name: x, labels: {a: b}}}\n---\n"
        "{apiVersion: example.com/v1, kind: Namespace, metadata: {name: z, namespace: x}}\n"
    )
    assert hub.namespaces == {
        "x": {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "x", "labels": {"a": "b"}},
        }
    }


@cases(("{config.kubernetes.io/local-config: 'true'}", True), ("{a: b}", False), ("null", False))
def test_local_config_is_for_tools(annotations: str, local: bool) -> None:
    hub = read(
        "{apiVersion: v1, kind: ConfigMap, "
        f"metadata: {{name: a, namespace: x, annotations: {annotations}}}}}"
    )
    assert is_local_config(hub.manifests[0]) is local


FILES = {
    "hub/a.yaml": f"{CONFIG}\n---\n5\n",
    "hub/b.yaml": CONFIG,
    "hub/c.yaml": "{apiVersion: v1, kind: Service, metadata: {name: s}}",
    "hub/kustomization.yaml": "resources: []",
    "hub/sub/a.yaml": "a: [",
}


@pytest.mark.property
@given(st.permutations(sorted(FILES)))
def test_the_order_of_files_changes_nothing(order: list[str]) -> None:
    one, other = read(FILES), read({path: FILES[path] for path in order})
    assert contents(one) == contents(other)
    assert one.results == other.results
