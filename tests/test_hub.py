"""From files to manifests: what is read, where it was, and everything that is wrong with it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render.hub import Hub, assemble, is_local_config
from render.model import Origin
from tests.stages import told

CONFIG = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}"


def read(files: dict[str, str] | str) -> Hub:
    named = {"hub/a.yaml": files} if isinstance(files, str) else files
    return assemble([(path, dedent(text).encode()) for path, text in named.items()])


def contents(hub: Hub) -> list[tuple[str, Origin]]:
    return [(str(manifest.ref), manifest.origin) for manifest in hub.manifests]


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


@pytest.mark.parametrize("kind", ["List", "ConfigMapList"])
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


def test_the_text_is_kept_where_comments_can_survive_and_nowhere_else() -> None:
    hub = read(
        {
            "hub/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a} # mine\n",
            "hub/b.yaml": f"apiVersion: v1\nkind: List\nitems:\n- {CONFIG}\n",
            "hub/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: c}\ndata: *m\n",
        }
    )
    assert [(manifest.ref.name, manifest.text) for manifest in hub.manifests] == [
        ("a", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a} # mine\n"),
        ("c", ""),
        ("a", ""),
    ]


def test_an_object_without_namespace_is_in_default_if_its_kind_has_namespaces() -> None:
    hub = read("""\
        {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g}}
        ---
        {apiVersion: example.com/v1, kind: Unknown, metadata: {name: u, namespace: ""}}
        ---
        {apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: c}}
        ---
        {apiVersion: v1, kind: Namespace, metadata: {name: ns, namespace: nonsense}}
        """)
    assert [str(manifest.ref) for manifest in hub.manifests] == [
        "Namespace ns",
        "Unknown default/u",
        "Gateway default/g",
        "GatewayClass c",
    ]
    assert told(hub.results, "SR1006") == [
        (
            "SR1006 Gateway default/g: no metadata.namespace: taken to be in `default`, "
            "as kubectl does"
        ),
        (
            "SR1006 Unknown default/u: no metadata.namespace: taken to be in `default`, "
            "as kubectl does"
        ),
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


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"hub/a.yaml": "# nothing but a comment\n"},
        {"hub/a.yaml": "apiVersion: v1\nkind: List\nitems: []\n"},
        {"hub/kustomization.yaml": "resources: [a.yaml]\n"},
    ],
)
def test_an_empty_hub_is_refused(files: dict[str, str]) -> None:
    hub = read(files)
    assert hub.manifests == ()
    assert told(hub.results) == [
        (
            "SR1004: the hub has no object (put Gateways and policies in the folder that "
            "`spec.hub` of fleet.yaml names)"
        )
    ]


def test_a_hub_that_cannot_be_read_is_not_called_empty() -> None:
    assert [result.code for result in read("a: [").results] == ["SR1001"]


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization.yaml"])
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


def test_one_identity_twice_is_told_at_the_second_place() -> None:
    hub = read(
        {
            "hub/b.yaml": "{apiVersion: kuadrant.io/v1, kind: AuthPolicy, metadata: {name: a, "
            "namespace: x}}",
            "hub/a.yaml": f"{CONFIG}\n---\n{{apiVersion: kuadrant.io/v1beta3, kind: AuthPolicy, "
            "metadata: {name: a, namespace: x}}",
        }
    )
    assert told(hub.results) == [
        "SR1003 AuthPolicy x/a: already defined at hub/a.yaml:3 (keep one of the two)"
    ]
    assert hub.results[0].origin == Origin("hub/b.yaml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("just text", 'the text "just text" where a mapping is expected'),
        ("[a]", "a list where a mapping is expected"),
        ("{kind: A, metadata: {name: a}}", "apiVersion is missing or no text"),
        ("{apiVersion: 1, kind: A, metadata: {name: a}}", "apiVersion is missing or no text"),
        ("{apiVersion: v1, metadata: {name: a}}", "kind is missing or no text"),
        ("{apiVersion: v1, kind: '', metadata: {name: a}}", "kind is missing or no text"),
        ("{apiVersion: v1, kind: A}", "metadata is missing"),
        ("{apiVersion: v1, kind: A, metadata: []}", "metadata is missing"),
        ("{apiVersion: v1, kind: A, metadata: {}}", "metadata.name is missing or no text"),
        (
            "{apiVersion: v1, kind: A, metadata: {generateName: a-}}",
            "metadata.name is missing or no text",
        ),
        ("{apiVersion: v1, kind: A, metadata: {name: 5}}", "metadata.name is missing or no text"),
        (
            "{apiVersion: v1, kind: A, metadata: {name: a, namespace: 5}}",
            "metadata.namespace is no text",
        ),
        (
            "{apiVersion: v1, kind: A, metadata: {name: a, labels: []}}",
            "metadata.labels is no mapping",
        ),
        (
            "{apiVersion: v1, kind: A, metadata: {name: a, labels: {on-call: yes}}}",
            'metadata.labels has a value that is no text at "on-call"; put it in quotes',
        ),
        (
            "{apiVersion: v1, kind: A, metadata: {name: a, annotations: {b: 5}}}",
            'metadata.annotations has a value that is no text at "b"; put it in quotes',
        ),
        (
            "{apiVersion: v1, kind: A, metadata: {name: a}, spec: []}",
            "spec is a list, not a mapping",
        ),
        (
            "{apiVersion: v1, kind: A, metadata: {name: a}, spec: x}",
            'spec is the text "x", not a mapping',
        ),
    ],
)
def test_what_is_no_object_is_refused(text: str, problem: str) -> None:
    hub = read({"hub/a.yaml": CONFIG, "hub/b.yaml": f"\n{text}\n"})
    assert told(hub.results) == [
        (
            f"SR1002: not a Kubernetes object: {problem} (mend it, or move the file out of the hub "
            "folder)"
        )
    ]
    assert hub.results[0].origin == Origin("hub/b.yaml", 0, 2)


def test_an_item_of_a_list_that_is_no_object_is_told_at_its_line() -> None:
    hub = read(f"apiVersion: v1\nkind: List\nitems:\n- {CONFIG}\n- 5\n")
    assert [(r.message, r.origin) for r in hub.results] == [
        (
            "not a Kubernetes object: the number 5 where a mapping is expected",
            Origin("hub/a.yaml", 0, 5),
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x, labels: null}}",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: null}}",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a.b-c, namespace: x}, spec: null}",
        (
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, "
            "metadata: {name: 'system:A_b', namespace: x}}"
        ),
    ],
)
def test_what_the_api_server_takes_is_taken(text: str) -> None:
    hub = read(text)
    assert (told(hub.results), len(hub.manifests)) == ([], 1)


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ("{name: '${NAME}', namespace: x}", 'name "${NAME}" is no DNS name'),
        ("{name: Web, namespace: x}", 'name "Web" is no DNS name'),
        ("{name: ../web, namespace: x}", 'name "../web" is no DNS name'),
        ("{name: a..b, namespace: x}", 'name "a..b" is no DNS name'),
        ("{name: -a, namespace: x}", 'name "-a" is no DNS name'),
        (f"{{name: {'a' * 254}, namespace: x}}", "the name is longer than 253 characters"),
        ("{name: a, namespace: X}", 'namespace "X" is no DNS label'),
        ("{name: a, namespace: a.b}", 'namespace "a.b" is no DNS label'),
        ("{name: a, namespace: ../b}", 'namespace "../b" is no DNS label'),
        (f"{{name: a, namespace: {'a' * 64}}}", f'namespace "{"a" * 64}" is no DNS label'),
    ],
)
def test_a_name_that_the_api_server_refuses_is_refused(metadata: str, problem: str) -> None:
    hub = read(f"{{apiVersion: v1, kind: ConfigMap, metadata: {metadata}}}")
    assert hub.manifests == ()
    assert [(r.code, r.message, r.field) for r in hub.results] == [("SR1007", problem, "metadata")]


@pytest.mark.parametrize("name", ["..", ".", "a/b", "a%b"])
def test_a_name_of_rbac_is_a_path_segment(name: str) -> None:
    hub = read(
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, "
        f"metadata: {{name: '{name}', namespace: x}}}}"
    )
    assert [result.message for result in hub.results] == [f'name "{name}" is no DNS name']


def test_every_problem_of_every_file_is_told_at_once() -> None:
    hub = read({"hub/b.yaml": "a: [", "hub/a.yaml": "5", "hub/c.yaml": f"{CONFIG}\n---\n{CONFIG}"})
    assert [(r.code, str(r.origin)) for r in hub.results] == [
        ("SR1002", "hub/a.yaml:1"),
        ("SR1001", "hub/b.yaml:2"),
        ("SR1003", "hub/c.yaml:3"),
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


@pytest.mark.parametrize(
    ("annotations", "local"),
    [("{config.kubernetes.io/local-config: 'true'}", True), ("{a: b}", False), ("null", False)],
)
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
@settings(max_examples=30, deadline=None)
@given(st.permutations(sorted(FILES)))
def test_the_order_of_files_changes_nothing(order: list[str]) -> None:
    one, other = read(FILES), read({path: FILES[path] for path in order})
    assert contents(one) == contents(other)
    assert one.results == other.results
