"""CRDs become APIResourceSchemas: names by hash, texts as the agent's and kcp's own tools."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from spokerender.wings.publishing.errors import PublishingError
from spokerender.wings.publishing.kcp.schemas import CRD_SPEC, convert_spec, make_schema
from spokerender.wings.publishing.projection import project_crd
from tests.support import cases, each, rows_of
from tests.wings.publishing.upstream import documents, published

# Computed with the types of k8s.io/apiextensions-apiserver, of a CRD without its descriptions.
NAMES = {"kuadrant.io_authpolicies": "va4106c15.authpolicies.kuadrant.io"}


def _projected(*arguments: Any) -> Any:
    """The CRD as consumers see it."""
    return project_crd(*arguments)[0]


def _schema(crd: Any, spec: dict[str, Any]) -> dict[str, Any]:
    return make_schema(_projected(crd, published(spec)), crd, "bob")


def test_the_goldens_are_made_whole(fixtures: Path) -> None:
    cases = documents(fixtures, "golden/published-resources.yaml")[0]
    assert len(cases) == 5
    for case in cases:
        (crd,) = documents(fixtures, case["crd"])
        (golden,) = documents(fixtures, f"golden/{case['golden']}")
        assert _schema(crd, case["spec"]) == golden


@each(*NAMES)
def test_real_crds_have_the_names_that_the_agent_gives_them(name: str, fixtures: Path) -> None:
    (crd,) = documents(fixtures, f"golden/inputs/{name}.yaml")
    spec = {"resource": {"apiGroup": "kuadrant.io", "kind": crd["spec"]["names"]["kind"]}}
    assert _schema(crd, spec)["metadata"]["name"] == NAMES[name]


def test_kcps_own_pairs_are_reproduced(fixtures: Path) -> None:
    crds = sorted((fixtures / "api-syncagent/kcp/crd-to-ars-pairs").glob("crd-*"))
    assert len(crds) == 7
    for path in crds:
        (crd,) = documents(fixtures, f"kcp/crd-to-ars-pairs/{path.name}")
        name = f"ars-{crd['metadata']['name']}.yaml"
        (expected,) = documents(fixtures, f"kcp/crd-to-ars-pairs/{name}")
        assert convert_spec(CRD_SPEC(crd["spec"])) == expected["spec"]


def test_kcps_snapshots_are_reproduced_but_for_a_single_versions_conversion(fixtures: Path) -> None:
    crds = documents(fixtures, "kcp/snapshot-input-crds.yaml")
    snapshots = documents(fixtures, "kcp/snapshot-expected-ars.yaml")
    assert len(crds) == len(snapshots) == 2
    for crd, snapshot in zip(crds, snapshots, strict=True):
        expected = {key: item for key, item in snapshot["spec"].items() if key != "conversion"}
        assert convert_spec(CRD_SPEC(crd["spec"])) == expected


def _projection_cases() -> list[Any]:
    return list(range(22))


@each(*_projection_cases())
def test_projections_are_upstreams(index: int, fixtures: Path) -> None:
    (table,) = documents(fixtures, "conformance/projection.yaml")
    case, crd = table["cases"][index], None
    crd = table["crds"][case["crd"]]
    spec: dict[str, Any] = {"resource": {"apiGroup": "example.com", "kind": "Thing"}}
    for key, value in case["spec"].items():
        spec[key] = {**spec.get(key, {}), **value}
    if case.get("error"):
        with pytest.raises((PublishingError, AssertionError)):
            _projected(crd, published(spec))
        return
    expected, found = case["expected"], _projected(crd, published(spec))
    assert (found["metadata"]["name"], found["spec"]["names"], found["spec"]["versions"]) == (
        expected["crdName"],
        expected["names"],
        expected["versions"],
    )
    assert found["spec"]["group"] == expected.get("group", "example.com")
    assert found["spec"]["scope"] == expected.get("scope", "Cluster")


def test_there_are_no_more_projections(fixtures: Path) -> None:
    (table,) = documents(fixtures, "conformance/projection.yaml")
    assert len(table["cases"]) == len(_projection_cases())


def test_singular_and_list_kind_are_defaulted_as_the_api_server_does(fixtures: Path) -> None:
    (table,) = documents(fixtures, "conformance/discovery.yaml")
    found = 0
    for case in table["cases"]:
        if "crd" in case:
            (crd,) = documents(fixtures, f"upstream/test-crds/{case['crd']}")
            spec = {"resource": {"apiGroup": "x", "kind": "Y"}}
            face = _projected(crd, published(spec))["spec"]
            assert face["names"] == case["names"]
            assert [version["name"] for version in face["versions"]] == case["versions"]
            found += 1
    assert found == 2


CRD: dict[str, Any] = rows_of(__file__, "crd")
SPEC = {"resource": {"apiGroup": "example.com", "kind": "Thing", "version": "v1"}}


def _name(schema: dict[str, Any]) -> str:
    crd = deepcopy(CRD)
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].update(schema)
    made = make_schema(_projected(crd, published(SPEC)), crd, "bob")
    return str(made["metadata"]["name"])


@cases(*rows_of(__file__, "what_go_leaves_out_changes_no_name"))
def test_what_go_leaves_out_changes_no_name(
    one: dict[str, Any], other: dict[str, Any], same: bool
) -> None:
    assert (_name(one) == _name(other)) is same


def test_the_approval_of_a_protected_group_is_carried() -> None:
    annotations = _schema(CRD, SPEC)["metadata"]["annotations"]
    assert annotations["api-approved.kubernetes.io"] == "x"


def test_a_schema_has_the_generation_of_its_crd() -> None:
    new = make_schema(
        _projected(CRD, published(SPEC)),
        {**CRD, "metadata": {"name": "x", "generation": 7}},
        "bob",
    )
    assert new["metadata"]["annotations"]["syncagent.kcp.io/source-generation"] == "7"


def test_a_count_that_no_int64_holds_stays_as_it_is() -> None:
    """Written as an integer it would be read back as a float: a fault of ours."""
    wanted = {"maxItems": 1e30, "maxLength": 5.0}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"a": wanted}}}
    crd = {"versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}]}
    (version,) = CRD_SPEC(crd)["versions"]
    made = version["schema"]["openAPIV3Schema"]["properties"]["a"]
    assert [repr(value) for value in made.values()] == ["5", "1e+30"]


def test_selectable_fields_are_hashed_but_not_in_the_schema() -> None:
    """The agent's schemas have no such field, and the hash is of the CRD."""
    crd = deepcopy(CRD)
    crd["spec"]["versions"][0]["selectableFields"] = [{"jsonPath": ".spec.a"}]
    made = make_schema(_projected(crd, published(SPEC)), crd, "bob")
    assert "selectableFields" not in made["spec"]["versions"][0]
    assert made["metadata"]["name"] != _name({})


@each("1" * 5000, "9" * 19)
def test_a_version_whose_number_fits_no_64_bits_is_sorted_as_any_other_name(
    number: str, fixtures: Path
) -> None:
    """apimachinery, `version.CompareKubeAwareVersionStrings`."""
    (crd,) = documents(fixtures, "golden/inputs/kuadrant.io_authpolicies.yaml")
    (stored,) = crd["spec"]["versions"]
    crd["spec"]["versions"] = [stored, {**stored, "name": "v0", "storage": False}]
    spec = {
        "resource": {
            "apiGroup": "kuadrant.io",
            "kind": "AuthPolicy",
            "versions": [stored["name"], "v0"],
        },
        "projection": {"versions": {stored["name"]: f"v{number}", "v0": "v1alpha1"}},
    }
    faces = _projected(crd, published(spec))["spec"]["versions"]
    assert [face["name"] for face in faces] == [f"v{number}", "v1alpha1"]
