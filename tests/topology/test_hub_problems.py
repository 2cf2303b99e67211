"""Everything that is wrong with the hub's files, all of it at once."""

from spokerender.kinds.catalogue import ConfiguredKind
from spokerender.kinds.merging import Merging
from spokerender.model import Origin
from spokerender.topology.hub import read_hub
from tests.support import cases, each, rows_of
from tests.support.hub_files import CONFIG, read
from tests.support.stages import told


@each(*rows_of(__file__, "an_empty_hub_is_refused"))
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
        "SR1003 AuthPolicy x/a metadata.name: already defined at hub/a.yaml:3 (keep one of the two)"
    ]
    assert hub.results[0].origin == Origin("hub/b.yaml")


@cases(*rows_of(__file__, "what_is_no_object_is_refused"))
def test_what_is_no_object_is_refused(text: str, field: str, problem: str) -> None:
    hub = read({"hub/a.yaml": CONFIG, "hub/b.yaml": f"\n{text}\n"})
    place = f"SR1002 {field}" if field else "SR1002"
    cure = "mend it, or move the file out of the hub folder"
    assert told(hub.results) == [f"{place}: {problem}, so this is no Kubernetes object ({cure})"]
    assert hub.results[0].origin == Origin("hub/b.yaml", 0, 2)


def test_a_field_that_keeps_a_document_from_being_an_object_is_told_at_its_line() -> None:
    text = "apiVersion: v1\nkind: A\nmetadata:\n  labels:\n    a: b\n    c: 5\n  name: a\n"
    hub = read({"hub/a.yaml": CONFIG, "hub/b.yaml": text})
    assert [str(r.origin) for r in hub.results] == ["hub/b.yaml:6"]


def test_an_item_of_a_list_that_is_no_object_is_told_at_its_line() -> None:
    more = "- 5\n- kind: A\n  metadata: {}\n  apiVersion: 1\n"
    hub = read(f"apiVersion: v1\nkind: List\nitems:\n- {CONFIG}\n{more}")
    assert [(str(r.origin), r.field) for r in hub.results] == [
        ("hub/a.yaml:5", ""),
        ("hub/a.yaml:8", "apiVersion"),
        ("hub/a.yaml:7", "metadata.name"),
    ]


@each("no", "n", "off", "false", "5", "1.5", "{}", "[]")
def test_each_field_that_must_be_text_and_is_not_is_told_at_its_line(value: str) -> None:
    text = """\
        apiVersion: VALUE
        kind: VALUE
        metadata:
          name: VALUE
          namespace: VALUE
          labels:
            no: VALUE
          annotations:
            a.b/c: VALUE
        """.replace("VALUE", value)
    found = read(text)
    assert found.manifests == ()
    assert [(r.code, r.field, str(r.origin)) for r in found.results] == [
        ("SR1002", "apiVersion", "hub/a.yaml:1"),
        ("SR1002", "kind", "hub/a.yaml:2"),
        ("SR1002", "metadata.name", "hub/a.yaml:4"),
        ("SR1002", "metadata.namespace", "hub/a.yaml:5"),
        ("SR1002", "metadata.labels.false", "hub/a.yaml:7"),
        ("SR1002", "metadata.annotations[a.b/c]", "hub/a.yaml:9"),
    ]


@each(*rows_of(__file__, "what_the_api_server_takes_is_taken"))
def test_what_the_api_server_takes_is_taken(text: str) -> None:
    hub = read(text)
    assert (told(hub.results), len(hub.manifests)) == ([], 1)


@cases(*rows_of(__file__, "a_name_that_the_api_server_refuses_is_refused"))
def test_a_name_that_the_api_server_refuses_is_refused(metadata: str, problem: str) -> None:
    hub = read(f"{{apiVersion: v1, kind: ConfigMap, metadata: {metadata}}}")
    assert hub.manifests == ()
    field = f"metadata.{'namespace' if 'DNS label' in problem else 'name'}"
    assert [(r.code, r.message, r.field) for r in hub.results] == [("SR1007", problem, field)]
    assert ("placeholders" in hub.results[0].cure) is ("$" in metadata)


@each("..", ".", "a/b", "a%b")
def test_a_name_of_rbac_is_a_path_segment(name: str) -> None:
    hub = read(
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, "
        f"metadata: {{name: '{name}', namespace: x}}}}"
    )
    assert [result.message for result in hub.results] == [f'name "{name}" is not a DNS name']


def test_every_problem_of_every_file_is_told_at_once() -> None:
    hub = read({"hub/b.yaml": "a: [", "hub/a.yaml": "5", "hub/c.yaml": f"{CONFIG}\n---\n{CONFIG}"})
    assert [(r.code, str(r.origin)) for r in hub.results] == [
        ("SR1002", "hub/a.yaml:1"),
        ("SR1001", "hub/b.yaml:2:1"),
        ("SR1003", "hub/c.yaml:3"),
    ]


@cases(*rows_of(__file__, "a_crd_of_what_no_api_server_has"))
def test_a_crd_of_what_no_api_server_has(group: str, kind: str, plural: str, field: str) -> None:
    spec = f"{{group: {group}, names: {{kind: {kind}, plural: {plural}}}, scope: Namespaced}}"
    hub = read(
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, "
        f"metadata: {{name: as.x.example}}, spec: {spec}}}"
    )
    assert [(r.code, r.field) for r in hub.results] == [("SR1008", field)]
    assert not hub.catalogue.known(group, kind)


ON_GATEWAY = "{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}}"


@cases(*rows_of(__file__, "a_known_kind_of_a_wrong_group_is_refused"))
def test_a_known_kind_of_a_wrong_group_is_refused(
    api_version: str, kind: str, spec: str, meant: str
) -> None:
    crd = (
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: "
        "caches.shop.example.org}, spec: {group: shop.example.org, scope: Namespaced, names: "
        "{kind: Cache, plural: caches}, versions: [{name: v2, schema: {openAPIV3Schema: "
        "{properties: {spec: {properties: {targetRef: {properties: {group: {}, kind: {}, name: {}"
        "}}}}}}}}]}}"
    )
    text = (
        f"{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: a, namespace: x}}, "
        f"spec: {spec}}}"
    )
    found = read(f"{crd}\n---\n{text}")
    group = api_version.rpartition("/")[0]
    assert [(r.code, r.field, r.message, r.cure) for r in found.results] == [
        (
            "SR1015",
            "apiVersion",
            f"no kind {kind} of {group or 'the core group'} is known",
            (
                f'did you mean "{meant}"? If there is such a kind, add its CRD to the hub, or '
                "declare it under policyKinds in fleet.yaml"
            ),
        )
        for _ in [meant]
        if meant
    ]


def test_a_kind_that_the_fleet_file_or_a_crd_has_is_no_mistake() -> None:
    text = (
        "apiVersion: kuadrant.com/v1\nkind: AuthPolicy\nmetadata: {name: a, namespace: x}\n"
        f"spec: {ON_GATEWAY}\n"
    )
    crd = (
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: authpolicies.kuadrant.com}\n"
        "spec: {group: kuadrant.com, names: {kind: AuthPolicy, plural: authpolicies}, versions: []}"
    )
    files = [("hub/a.yaml", text.encode())]
    assert [r.code for r in read_hub(files).results] == ["SR1015"]
    declared = ConfiguredKind("kuadrant.com", "AuthPolicy", Merging())
    assert read_hub(files, [declared]).results == ()
    assert read(text + crd).results == ()
