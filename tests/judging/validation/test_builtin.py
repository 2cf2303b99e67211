"""Kubernetes' own kinds, by the schemas that we carry."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spokerender.judging import validation
from spokerender.judging.validation.builtin import SCHEMAS, define_builtin
from spokerender.judging.validation.crds import read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.kinds.table import vendor_rows
from spokerender.model import Ref
from tests.judging.validation.kubernetes_schemas import carried
from tests.support import cases, cyaml, each, rows_of

NOTHING = read_schemas((), (), set())


def told(text: str) -> list[str]:
    value: dict[str, Any] = cyaml.safe_load(text)
    metadata = value["metadata"]
    group = value["apiVersion"].rpartition("/")[0]
    ref = Ref(group, value["kind"], metadata.get("namespace", ""), metadata.get("name", ""))
    return [f"{f.finding.code} {f.message}" for f in validate(value, ref, NOTHING)]


@each(*rows_of(__file__, "an_object_that_is_taken"))
def test_an_object_that_is_taken(text: str) -> None:
    assert told(text) == []


@cases(*rows_of(__file__, "an_object_that_is_refused"))
def test_an_object_that_is_refused(text: str, message: str) -> None:
    assert told(text) == [message]


@cases(*rows_of(__file__, "what_is_no_kind_of_kubernetes_is_told_to_have_no_crd"))
def test_what_is_no_kind_of_kubernetes_is_told_to_have_no_crd(api_version: str, kind: str) -> None:
    value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}}
    found = validate(value, Ref(api_version.rpartition("/")[0], kind, "", "a"), NOTHING)
    assert [fault.finding.code for fault in found] == ["SR2307"]


@pytest.mark.golden
def test_the_schemas_are_those_of_the_library(*, update_golden: bool) -> None:
    path = Path(validation.__file__).parent / SCHEMAS
    if update_golden:
        path.write_text(carried(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == carried()


def test_a_crd_in_the_place_of_each_kind_takes_what_the_kind_takes() -> None:
    """Structural: types without null, no references, and list maps by required keys alone."""
    kinds = [kind for kind in vendor_rows("kubernetes").values() if define_builtin(kind)]
    assert len(kinds) > 30
    for kind in kinds:
        crd = define_builtin(kind)
        assert crd is not None
        for version in crd["spec"]["versions"]:
            for schema in parts(version["schema"]["openAPIV3Schema"]):
                assert isinstance(schema.get("type", ""), str), kind.kind
                assert not {"$ref", "oneOf"} & schema.keys(), kind.kind
                keys = schema.get("x-kubernetes-list-map-keys", [])
                assert {*keys} <= {*schema.get("items", {}).get("required", [])}, kind.kind


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all below it."""
    yield schema
    for key in ("items", "additionalProperties"):
        if key in schema:
            yield from parts(schema[key])
    for below in schema.get("properties", {}).values():
        yield from parts(below)
