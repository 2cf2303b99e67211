"""What goes to kcp: its CRDs take it, kustomize carries it, its admission's rules are held."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from spokerender.formats import yamlio
from spokerender.judging.validation.crds import read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.model import Ref
from spokerender.wings.publishing import kcp
from spokerender.wings.publishing.kcp import exports
from tests.conftest import ROOT
from tests.support import cases, cyaml, rows_of, text_of
from tests.support.end_to_end import tree
from tests.support.project import rendered_folder
from tests.wings.publishing.projects import (
    CRD,
    RESOURCE,
    errors,
    list_findings,
    objects,
    rendered,
    write,
)

_KINDS = {("apis.kcp.io", "APIExport"), ("apis.kcp.io", "APIResourceSchema")}


def _schemas(fixtures: Path) -> Any:
    folder = fixtures / "api-syncagent/kcp"
    files = [(path.name, path.read_bytes()) for path in sorted(folder.glob("crd-*.yaml"))]
    return read_schemas(files, (), _KINDS)


def _faults(data: Any, fixtures: Path) -> list[str]:
    ref = Ref("apis.kcp.io", data["kind"], "", data["metadata"]["name"])
    return [fault.message for fault in validate(data, ref, _schemas(fixtures))]


def test_kcps_crds_take_all_that_is_rendered(tmp_path: Path, fixtures: Path) -> None:
    made = [
        *objects(rendered_folder(ROOT / "examples/tenants"), "kcp-shop").values(),
        *objects(rendered(tmp_path / "main", {}), "kcp").values(),
    ]
    versions = {data["apiVersion"] for data in made if data["kind"] == "APIExport"}
    assert versions == {"apis.kcp.io/v1alpha2"}
    assert len(made) == 3 + 2
    assert [fault for data in made for fault in _faults(data, fixtures)] == []


@pytest.mark.kubectl
def test_kustomize_carries_schemas_and_exports_unchanged(tmp_path: Path, kubectl: str) -> None:
    fleet = rendered(tmp_path, {})
    for path, data in tree(fleet).items():
        place = tmp_path / "out" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    folder = str(tmp_path / "out/kcp")
    answer = subprocess.run([kubectl, "kustomize", folder], check=True, capture_output=True)
    carried = [document.value for document in yamlio.read(answer.stdout, "x.yaml")[0]]
    expected = list(objects(fleet, "kcp").values())
    assert sorted(carried, key=str) == sorted(expected, key=str)


def test_the_hubs_own_export_keeps_what_it_has(tmp_path: Path) -> None:
    own = text_of(__file__, "kcp_export.yaml")
    fleet = rendered(tmp_path, {"hub/export.yaml": own})
    (export,) = (d for d in objects(fleet, "kcp").values() if d["kind"] == "APIExport")
    assert export["metadata"]["labels"] == {"a": "b"}
    assert [entry["name"] for entry in export["spec"]["resources"]] == ["others", "things"]
    assert export["spec"]["permissionClaims"] == [
        {"resource": "events", "verbs": ["*"]},
        {"resource": "secrets", "verbs": ["get"]},
    ]


def _entries(*names: str) -> list[exports.ExportEntry]:
    return [exports.make_entry(name) for name in names]


def test_an_entry_replaces_the_older_one_of_its_resource() -> None:
    older = _entries("v1.b.g.io", "v1.a.g.io", "v1.c.core")
    current = _entries("v2.a.g.io")
    assert [e.schema for e in exports.merge_entries(older, current)] == [
        "v2.a.g.io",
        "v1.b.g.io",
        "v1.c.core",
    ]


def test_one_resource_is_in_an_export_once(tmp_path: Path) -> None:
    twice = RESOURCE + "---\n" + RESOURCE.replace("name: things", "name: again")
    assert "SR2710" in errors(rendered(tmp_path, {"hub/published.yaml": twice}))


GOOD: dict[str, Any] = rows_of(__file__, "good")


def _with_list(said: dict[str, Any]) -> dict[str, Any]:
    """The version of GOOD with a list in its schema."""
    listed = {"type": "array", "items": {"type": "string"}, **said}
    schema = {"type": "object", "properties": {"list": listed}}
    return {**GOOD["spec"]["versions"][0], "schema": schema}


def test_a_bound_that_no_integer_holds_is_written_as_it_is_read_and_refused(tmp_path: Path) -> None:
    crd = CRD.replace("{type: object, x-", f"{{type: object, maxProperties: 1{'0' * 30}, x-")
    assert crd != CRD
    fleet = rendered(tmp_path, {"crds/things.yaml": crd})
    refused = "maxProperties is 1e+30, but must be an integer of 64 bits"
    assert any(refused in message for *_, message in list_findings(fleet, "SR2731"))


def test_what_kcp_takes_has_no_fault() -> None:
    assert list(kcp.check_schema(GOOD)) == []
    largest = _with_list({"maxItems": 2**63 - 1, "default": [{"maxItems": 1e30}]})
    named_like_a_bound = _with_list({"items": {"properties": {"maxItems": {"type": "integer"}}}})
    for version in (largest, named_like_a_bound):
        assert (
            list(kcp.check_schema({**GOOD, "spec": {**GOOD["spec"], "versions": [version]}})) == []
        )


@cases(*rows_of(__file__, "what_kcp_refuses_is_told_with_its_source"))
def test_what_kcp_refuses_is_told_with_its_source(key: str, value: Any, words: str) -> None:
    found = list(kcp.check_schema({**GOOD, "spec": {**GOOD["spec"], key: value}}))
    assert any(words in fault.message for fault in found)
    assert all(
        ".go" in fault.cure or "apiextensions" in fault.cure or ".yaml" in fault.cure
        for fault in found
    )


def test_a_schema_that_client_side_apply_cannot_carry_is_a_warning(tmp_path: Path) -> None:
    crd = cyaml.safe_load(CRD)
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["description"] = "x" * 262_144
    fleet = rendered(tmp_path, {"crds/things.yaml": cyaml.safe_dump(crd)})
    assert [found[0] for found in list_findings(fleet, "SR2732")] == ["SR2732"]
    assert errors(fleet) == []


def test_a_related_kind_of_others_needs_an_identity_hash(tmp_path: Path) -> None:
    related = """\
  related:
  - {identifier: x, origin: service, group: other.io, version: v1, resource: things,
     object: {template: {template: a}}}
"""
    fleet = rendered(tmp_path, {"hub/published.yaml": RESOURCE + related})
    assert [found[0] for found in list_findings(fleet, "SR2731")] == ["SR2731"]
    with_hash = related.replace("group: other.io", "group: other.io, identityHash: abc")
    assert errors(rendered(tmp_path, {"hub/published.yaml": RESOURCE + with_hash})) == []


def test_without_publishing_nothing_changes(tmp_path: Path) -> None:
    fleet = (
        "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec: {policiesToSync: [{kind: A}]}\n"
    )
    write(tmp_path, {"fleet.yaml": fleet})
    found = rendered_folder(tmp_path)
    assert not found.contribution.copies
    assert objects(found, "kcp") == objects(found, "eu") == {}
