"""Copies: what a consumer's object becomes, what follows it, and what is told instead."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from spokerender.findings.errors import InputError
from spokerender.kinds import catalogue
from spokerender.wings.publishing.contexts import LogicalCluster
from spokerender.wings.publishing.copies import copying, related_copies
from spokerender.wings.publishing.copies.copying import PATH_ANNOTATION, make_identity_marks
from tests.support import cases, cyaml, each, rows_of, text_of
from tests.support.counting import calls_of
from tests.wings.publishing.projects import (
    CRD,
    PUBLISHING,
    RESOURCE,
    errors,
    list_findings,
    objects,
    rendered,
    thing,
)
from tests.wings.publishing.upstream import documents

# reference 2.4 and its section 3: SHA3-256 of namespace and name, 20 digits each.
_DEFAULT = "f39597dce3aed80bee3d-117738418608722a2c08"


def test_a_copy_is_called_by_hashes_and_marked_as_the_agent_marks_it(tmp_path: Path) -> None:
    found = objects(rendered(tmp_path, {}), "eu")
    assert sorted(found) == [
        f"team-a/thing.example.com_{_DEFAULT}.yaml",
        f"team-b/thing.example.com_{_DEFAULT}.yaml",
    ]
    assert found[f"team-a/thing.example.com_{_DEFAULT}.yaml"]["metadata"] == {
        "name": _DEFAULT,
        "namespace": "team-a",
        "labels": {
            "syncagent.kcp.io/remote-object-cluster": "team-a",
            "syncagent.kcp.io/remote-object-name-hash": "8bfb4e1aa590eab8f08f837b97acf5803a5737ed",
            "syncagent.kcp.io/remote-object-namespace-hash": (
                "5042d146667518a1a5017644946b8650aafca44c"
            ),
            "syncagent.kcp.io/agent-name": "nora",
        },
        "annotations": {
            "syncagent.kcp.io/remote-object-name": "cart",
            "syncagent.kcp.io/remote-object-namespace": "shop",
        },
    }


def test_the_wish_how_an_object_is_deleted_is_not_copied(tmp_path: Path) -> None:
    """api-syncagent, pull request 180: it is for a live agent, on the consumer's side."""
    wish = "annotations: {syncagent.kcp.io/deletion-propagation-policy: foreground, a: b}"
    files = {"workspaces/team-a/things.yaml": thing("cart", metadata=wish)}
    copy = objects(rendered(tmp_path, files), "eu")[f"team-a/thing.example.com_{_DEFAULT}.yaml"]
    assert copy["metadata"]["annotations"].keys() >= {"a"}
    assert "syncagent.kcp.io/deletion-propagation-policy" not in copy["metadata"]["annotations"]


def test_a_kind_of_kubernetes_is_published_by_its_openapi(tmp_path: Path) -> None:
    resource = RESOURCE.replace(
        "{apiGroup: example.com, kind: Thing}",
        "{apiGroup: '', kind: ConfigMap}\n  projection: {group: things.example.com, kind: Setting}",
    )
    settings = "apiVersion: things.example.com/v1\nkind: Setting\n"
    text = f"{settings}metadata: {{name: cart, namespace: shop}}\ndata: {{color: blue}}\n"
    files = {"hub/published.yaml": resource, "workspaces/team-b/things.yaml": ""}
    fleet = rendered(tmp_path, {**files, "workspaces/team-a/things.yaml": text})
    assert errors(fleet) == []
    (copy,) = objects(fleet, "eu").values()
    assert (copy["apiVersion"], copy["kind"], copy["data"]) == (
        "v1",
        "ConfigMap",
        {"color": "blue"},
    )
    (schema,) = (it for it in objects(fleet, "kcp").values() if it["kind"] == "APIResourceSchema")
    assert schema["spec"]["names"]["kind"] == "Setting"
    (version,) = schema["spec"]["versions"]
    assert version["schema"]["properties"]["data"] == {
        "type": "object",
        "additionalProperties": {"type": "string"},
    }


def test_the_core_group_is_published_under_another_name_alone(tmp_path: Path) -> None:
    """By kcp's pkg/admission/apiresourceschema, which refuses the name of its schema."""
    resource = RESOURCE.replace("example.com, kind: Thing", "'', kind: ConfigMap")
    fleet = rendered(tmp_path, {"hub/published.yaml": resource})
    assert "does not end with .configmaps.core" in list_findings(fleet, "SR2731")[0][2]


def test_upstreams_keys(fixtures: Path) -> None:
    (table,) = documents(fixtures, "conformance/objectkey.yaml")
    assert len(table["cases"]) == 5
    for case in table["cases"]:
        home = LogicalCluster(case["clusterName"], case["workspacePath"])
        labels, annotations = make_identity_marks(home, case["namespace"], case["name"])
        annotations |= {PATH_ANNOTATION: home.path} if home.path else {}
        assert (labels, annotations) == (case["labels"], case["annotations"])


def _synced(tmp_path: Path, fixtures: Path, case: dict[str, Any], number: int) -> Any:
    """The copy of a case's remote object; None where it has none."""
    table = _syncer(fixtures)
    crd = fixtures / "api-syncagent" / table["crd"].partition(" ")[0]
    resource = {
        "apiVersion": "syncagent.kcp.io/v1alpha1",
        "kind": "PublishedResource",
        "metadata": {"name": "things"},
        **table["publishedResource"],
    }
    publishing = cyaml.safe_load(PUBLISHING)
    publishing["spec"]["agents"][0]["name"] = table["agentName"]
    publishing["spec"]["workspaces"] = [{"name": table["clusterName"]}]
    files = {
        "publishing.yaml": cyaml.safe_dump(publishing),
        "crds/things.yaml": crd.read_text(encoding="utf-8"),
        "hub/published.yaml": cyaml.safe_dump(resource),
        f"workspaces/{table['clusterName']}/a.yaml": cyaml.safe_dump(case["remote"]),
    }
    return next(iter(objects(rendered(tmp_path / str(number), files), "eu").values()), None)


def _syncer(fixtures: Path) -> Any:
    return documents(fixtures, "conformance/syncer-primary.yaml")[0]


def test_upstreams_copies(tmp_path: Path, fixtures: Path) -> None:
    sorts = []
    for number, case in enumerate(_syncer(fixtures)["cases"]):
        copy, expected = _synced(tmp_path, fixtures, case, number), case["expectedLocal"]
        if copy is None:
            sorts.append("none")
        elif copy == expected:
            sorts.append("same")
        elif _without(expected, "address") == copy:
            sorts.append("same but for what only the cluster has")
        else:
            assert "deletionTimestamp" in expected["metadata"]
            sorts.append("needs a live cluster")
    assert {sort: sorts.count(sort) for sort in sorts} == {
        "same": 7,
        "same but for what only the cluster has": 1,
        "none": 2,
        "needs a live cluster": 1,
    }


def _without(local: Any, field: str) -> Any:
    return {**local, "spec": {k: v for k, v in local["spec"].items() if k != field}}


@cases(*rows_of(__file__, "names_are_what_the_pattern_says"))
def test_names_are_what_the_pattern_says(
    naming: str, expected: list[str] | str, tmp_path: Path
) -> None:
    files = {
        "hub/published.yaml": RESOURCE + f"  naming: {naming}\n",
        "workspaces/team-a/things.yaml": thing("cart", "{big: 12345678901}"),
        "workspaces/team-b/things.yaml": "# nothing\n",
    }
    fleet = rendered(tmp_path, files)
    if isinstance(expected, str):
        assert expected in errors(fleet)
    else:
        (copy,) = objects(fleet, "eu").values()
        assert [copy["metadata"]["namespace"], copy["metadata"]["name"]] == expected


def test_two_sources_of_one_copy_are_an_error_that_names_both(tmp_path: Path) -> None:
    naming = "  naming: {namespace: all, name: '{{ .Object.metadata.name }}'}\n"
    fleet = rendered(tmp_path, {"hub/published.yaml": RESOURCE + naming})
    other = "team-a|Thing/shop/cart has already (workspaces/team-a/things.yaml:2)"
    assert list_findings(fleet, "SR2719") == [
        (
            "SR2719",
            "workspaces/team-b/things.yaml:2",
            f"its copy would be Thing all/cart, which {other}",
        )
    ]


@cases(*rows_of(__file__, "no_workspace_object_is_passed_over_in_silence"))
def test_no_workspace_object_is_passed_over_in_silence(
    object_: str, code: str, tmp_path: Path
) -> None:
    files = {"workspaces/team-a/things.yaml": object_, "workspaces/team-b/things.yaml": "# none\n"}
    fleet = rendered(tmp_path, files)
    assert objects(fleet, "eu") == {}
    assert [found[0] for found in list_findings(fleet, "SR2722", "SR2723")] == [code]


def test_filters_look_at_the_object_and_at_its_namespace(tmp_path: Path) -> None:
    spec = "  filter: {resource: {matchLabels: {a: b}}, namespace: {matchLabels: {c: d}}}\n"
    labels = "labels: {a: b}"
    namespace = (
        "---\n{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {c: LABEL}}}\n"
    )
    files = {
        "hub/published.yaml": RESOURCE + spec,
        "workspaces/team-a/things.yaml": thing("cart", metadata=labels)
        + thing("other")
        + namespace.replace("LABEL", "d"),
        "workspaces/team-b/things.yaml": thing("cart", metadata=labels)
        + namespace.replace("LABEL", "e"),
    }
    fleet = rendered(tmp_path, files)
    assert [path.partition("/")[0] for path in objects(fleet, "eu")] == ["team-a"]
    assert len(list_findings(fleet, "SR2722")) == 2
    files["workspaces/team-b/things.yaml"] = thing("cart", metadata=labels)
    assert errors(rendered(tmp_path, files)) == ["SR2717"]


def test_the_consumers_file_is_where_findings_point(tmp_path: Path) -> None:
    (copy, _) = rendered(tmp_path, {}).contribution.copies.values()
    assert str(copy.manifest.origin) == "workspaces/team-a/things.yaml:2"
    assert copy.name == "team-a|Thing/shop/cart"


def test_workspaces_are_isolated(tmp_path: Path) -> None:
    one = objects(rendered(tmp_path / "1", {}), "eu")
    changed = {"workspaces/team-b/things.yaml": thing("other", "{a: 1}")}
    two = objects(rendered(tmp_path / "2", changed), "eu")
    of_a = {path: data for path, data in one.items() if path.startswith("team-a/")}
    assert of_a
    assert of_a == {path: data for path, data in two.items() if path.startswith("team-a/")}


def test_related_objects_follow_and_secrets_are_needed(tmp_path: Path) -> None:
    related = """\
  related:
  - identifier: texts
    origin: kcp
    version: v1
    resource: configmaps
    object: {reference: {path: spec.texts}}
  - {identifier: key, origin: kcp, kind: Secret, object: {template: {template: "KEY"}}}
""".replace("KEY", "{{ .Object.metadata.name }}-key")
    config = "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: t, namespace: shop}, DATA}\n"
    config = config.replace("DATA", "data: {a: b}")
    files = {
        "hub/published.yaml": RESOURCE + related,
        "workspaces/team-a/things.yaml": thing("cart", "{texts: t}") + config,
        "workspaces/team-b/things.yaml": thing("cart", "{texts: t}"),
    }
    fleet = rendered(tmp_path, files)
    found = objects(fleet, "eu")
    assert found["team-a/configmap_t.yaml"] == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "t", "namespace": "team-a"},
        "data": {"a": "b"},
    }
    assert not any("secret" in path for path in found)
    assert [str(secret.ref) for secret in fleet.contribution.secrets] == [
        f"Secret team-a/{_DEFAULT}-key",
        f"Secret team-b/{_DEFAULT}-key",
    ]
    assert [found[1] for found in list_findings(fleet, "SR2724")] == [
        "workspaces/team-b/things.yaml:2"
    ]


@cases(*rows_of(__file__, "bad_input_is_told_with_its_code"))
def test_bad_input_is_told_with_its_code(spec: str, code: str, tmp_path: Path) -> None:
    resource = RESOURCE.partition("spec:")[0] + f"spec: {spec}\n"
    assert code in errors(rendered(tmp_path, {"hub/published.yaml": resource}))


def test_every_published_resource_has_exactly_one_agent(tmp_path: Path) -> None:
    two = PUBLISHING.replace("  workspaces:", "  - {name: oskar}\n  workspaces:")
    assert errors(rendered(tmp_path, {"publishing.yaml": two})) == ["SR2701"]
    none = PUBLISHING.replace("name: nora,", "name: nora, selector: {matchLabels: {a: b}},")
    assert errors(rendered(tmp_path, {"publishing.yaml": none})) == ["SR2701"]


def test_unknown_names_are_told(tmp_path: Path) -> None:
    text = PUBLISHING.replace("workspace: kcp", "workspace: kpc").replace(
        "{name: team-a}", "{name: team-a, agents: [norah]}"
    )
    assert errors(rendered(tmp_path, {"publishing.yaml": text})) == ["SR2702", "SR2703"]


def _mutating(step: str) -> str:
    return RESOURCE + f"  mutation: {{spec: [{step}]}}\n"


@cases(*rows_of(__file__, "what_a_mutation_breaks_is_told_and_nothing_is_copied"))
def test_what_a_mutation_breaks_is_told_and_nothing_is_copied(
    step: str, code: str, tmp_path: Path
) -> None:
    fleet = rendered(tmp_path, {"hub/published.yaml": _mutating(step)})
    assert set(errors(fleet)) == {code}
    assert objects(fleet, "eu") == {}


@each("metadata.labels", "apiVersion", "kind")
def test_what_the_agent_writes_itself_can_not_be_taken_away(step: str, tmp_path: Path) -> None:
    delete = _mutating(f"{{delete: {{path: {step}}}}}")
    fleet = rendered(tmp_path, {"hub/published.yaml": delete})
    assert errors(fleet) == []
    assert {(d["apiVersion"], d["kind"]) for d in objects(fleet, "eu").values()} == {
        ("example.com/v1", "Thing")
    }


@cases(*rows_of(__file__, "names_and_marks_that_a_mutation_loses_are_refused"))
def test_names_and_marks_that_a_mutation_loses_are_refused(
    step: str, message: str, tmp_path: Path
) -> None:
    first = "{regex: {path: metadata.labels.team, replacement: a}}, "
    fleet = rendered(tmp_path, {"hub/published.yaml": _mutating(first + step)})
    assert set(errors(fleet)) <= {"SR2718", "SR2735"}
    assert objects(fleet, "eu") == {}
    refusal = next(result for result in fleet.results if result.severity == "error")
    assert message in refusal.message
    assert refusal.field.startswith("spec.mutation.spec")
    assert refusal.cure


@each(*rows_of(__file__, "odd_crds_are_told"))
def test_odd_crds_are_told(crd: str, tmp_path: Path) -> None:
    assert errors(rendered(tmp_path, {"crds/things.yaml": crd})) == ["SR2705"]


def test_a_related_name_that_no_server_takes_is_an_error(tmp_path: Path) -> None:
    related = """\
  related:
  - {identifier: key, origin: kcp, kind: Secret, object: {template: {template: "No Name"}}}
"""
    assert set(errors(rendered(tmp_path, {"hub/published.yaml": RESOURCE + related}))) == {"SR2718"}


def refused(folder: Path, files: dict[str, str]) -> None:
    with pytest.raises(InputError) as error:
        rendered(folder, files)
    (result,) = error.value.results
    assert result.code == "SR2737"


def test_workspaces_that_share_a_folder_copy_it_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = calls_of(monkeypatch, copying, "copy_object")
    many = ", ".join(f"{{name: w{i}, objects: [shared]}}" for i in range(150))
    publishing = f"{PUBLISHING.partition('  workspaces:')[0]}  workspaces: [{many}]\n"
    things = "".join(thing(f"thing-{i}") for i in range(150))
    refused(tmp_path, {"publishing.yaml": publishing, "shared/things.yaml": things})
    assert 1_000 < len(copied) < 150 * 150


def test_steps_of_many_mutations_are_carried_out_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried_out = calls_of(monkeypatch, copying, "mutate_object")
    steps = ", ".join(
        f"{{regex: {{path: metadata.labels.a{i}, pattern: '', replacement: x}}}}"
        for i in range(300)
    )
    things = "".join(thing(f"thing-{i}") for i in range(1_000))
    files = {
        "hub/published.yaml": f"{RESOURCE}  mutation: {{spec: [{steps}]}}\n",
        "workspaces/team-a/things.yaml": things,
    }
    refused(tmp_path, files)
    assert 10 < len(carried_out) < 1_000


def test_what_is_related_to_each_object_has_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = calls_of(monkeypatch, related_copies, "pair_related_names")
    selector = "selector: {matchLabels: {a: b}, rewrite: {template: {template: x}}}"
    related = ", ".join(
        f"{{identifier: i{i}, origin: kcp, version: v1, resource: configmaps,"
        f" object: {{{selector}}}}}"
        for i in range(40)
    )
    maps = "".join(
        "---\napiVersion: v1\nkind: ConfigMap\n"
        f"metadata: {{name: m{i}, namespace: shop, labels: {{a: b}}}}\n"
        for i in range(40)
    )
    things = "".join(thing(f"thing-{i}") for i in range(40))
    files = {
        "hub/published.yaml": f"{RESOURCE}  related: [{related}]\n",
        "workspaces/team-a/things.yaml": things + maps,
    }
    refused(tmp_path, files)
    assert 10 < len(found) < 40 * 40


def test_kinds_that_are_published_again_and_again_are_read_once_by_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = calls_of(monkeypatch, catalogue, "read_crd_kind")
    many = ", ".join(f"{{name: w{i}}}" for i in range(30))
    files = {
        "publishing.yaml": f"{PUBLISHING.partition('  workspaces:')[0]}  workspaces: [{many}]\n",
        "hub/published.yaml": "---\n".join(
            RESOURCE.replace("name: things", f"name: things-{i}") for i in range(30)
        ),
        **{f"workspaces/w{i}/things.yaml": thing("cart") for i in range(30)},
    }
    rendered(tmp_path, files)
    assert 30 < len(read) < 30 * 30


def test_the_value_of_a_rewrite_is_a_text(tmp_path: Path) -> None:
    related = """\
  related:
  - identifier: texts
    origin: kcp
    version: v1
    resource: configmaps
    object:
      selector: {matchLabels: {a: b}, rewrite: {template: {template: "TEMPLATE"}}}
"""
    metadata = "{name: t-x, namespace: shop, labels: {a: b}}"
    config = f"---\n{{apiVersion: v1, kind: ConfigMap, metadata: {metadata}}}\n"
    template = "{{ .Value | replace `-` `.` }}-{{ .Value | sha256sum | trunc 4 }}"
    files = {
        "hub/published.yaml": RESOURCE + related.replace("TEMPLATE", template),
        "workspaces/team-a/things.yaml": thing("cart") + config,
        "workspaces/team-b/things.yaml": "# nobody\n",
    }
    names = [data["metadata"]["name"] for data in objects(rendered(tmp_path, files), "eu").values()]
    assert f"t.x-{hashlib.sha256(b't-x').hexdigest()[:4]}" in names
    files["hub/published.yaml"] = RESOURCE + related.replace("TEMPLATE", "{{ .Value.String }}")
    assert errors(rendered(tmp_path / "old", files)) == ["SR2711"]


def test_the_crd_of_a_related_kind_may_be_outside_the_hub(tmp_path: Path) -> None:
    related = text_of(__file__, "copies_published_crd.yaml")
    part = "---\n{apiVersion: parts.io/v1, kind: Part, metadata: {name: p, namespace: shop}}\n"
    files = {
        "hub/published.yaml": RESOURCE + related,
        "crds/parts.yaml": CRD.replace("example.com", "parts.io")
        .replace("thing", "part")
        .replace("Thing", "Part"),
        "workspaces/team-a/things.yaml": thing("cart", "{part: p}") + part,
        "workspaces/team-b/things.yaml": "# nobody\n",
    }
    fleet = rendered(tmp_path, files)
    assert errors(fleet) == []
    assert "Part" in {data["kind"] for data in objects(fleet, "eu").values()}
