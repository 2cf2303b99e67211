"""Kinds read off CRDs; the real ones have to agree with the table."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.crds import read_crd_kind
from spokerender.kinds.fields import split_pattern
from spokerender.kinds.kind import NamespaceRule, ReferencePath, Role
from spokerender.kinds.rows import ASSUMED
from spokerender.kinds.table import all_rows
from tests.support import cases, each, rows_of
from tests.support.carried import carried

TABLE = tuple(all_rows().values())

CATALOGUE = Catalogue.of([])
ATTACHING = (Role.TARGET, Role.PARENT, Role.SELECTOR)
# Fields of the experimental channel before Gateway API v1.5, of which there is no CRD here.
GONE = {
    "spec.backendTLS.clientCertificateRef",
    "spec.listeners[].tls.frontendValidation.caCertificateRefs[]",
}


@pytest.fixture(scope="module")
def crds() -> list[dict[str, Any]]:
    crds = carried("gateway-api@v1.4.1/standard", "gateway-api@v1.6.1", "kuadrant@1.5.2")
    assert len(crds) > 30
    return crds


def test_real_crds_agree_with_the_table(crds: list[dict[str, Any]]) -> None:
    for crd in crds:
        read = read_crd_kind(crd)
        assert read is not None
        row = CATALOGUE.kind(read.group, read.kind)
        assert CATALOGUE.known(read.group, read.kind), read
        assert (read.plural, read.namespaced) == (row.plural, row.namespaced)
        assert set(read.versions) <= set(row.versions), read.kind
        attaching = [rule for rule in row.references if rule.role in ATTACHING]
        # Which entries may stand beside each other is in CEL, which is not read.
        named = [rule for rule in read.references if rule.role in ATTACHING]
        assert named == [replace(rule, unique=False) for rule in attaching]


def test_a_catalogue_of_real_crds_is_that_of_the_table(crds: list[dict[str, Any]]) -> None:
    catalogue = Catalogue.of(crds)
    for identity, row in CATALOGUE.all_kinds().items():
        assert catalogue.kind(*identity).references == row.references


def test_every_need_is_a_field_of_some_crd(crds: list[dict[str, Any]]) -> None:
    schemas: dict[tuple[str, str], list[Any]] = {}
    for crd in crds:
        identity = (crd["spec"]["group"], crd["spec"]["names"]["kind"])
        versions = crd["spec"]["versions"]
        schemas.setdefault(identity, []).extend(v["schema"]["openAPIV3Schema"] for v in versions)
    paths = {
        (row.kind, path): any(leads(schema, path) for schema in schemas[row.group, row.kind])
        for row in TABLE
        if (row.group, row.kind) in schemas
        for path in (*(need.path for need in row.needs), *(rule.path for rule in row.references))
        if not path.startswith("metadata.")
    }
    assert len(paths) > 50
    assert {path for (_, path), there in paths.items() if not there} == GONE


def leads(schema: Any, pattern: str) -> bool:
    schemas = [schema]
    for segment in split_pattern(pattern):
        schemas = [found for each in schemas for found in below(each, segment)]
    return bool(schemas)


def below(schema: Any, segment: str) -> list[Any]:
    fields = schema.get("properties", {})
    if segment == "**":
        inside = (*fields.values(), schema.get("items"), schema.get("additionalProperties"))
        return [
            schema,
            *(at for each in inside if isinstance(each, dict) for at in below(each, "**")),
        ]
    key = {"[]": "items", "*": "additionalProperties"}.get(segment)
    found = schema.get(key) if key else fields.get(segment)
    return [found] if isinstance(found, dict) else []


def definition(**fields: Any) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"properties": {"spec": {"properties": fields}}}}
    return {
        "spec": {
            "group": "example.com",
            "names": {"kind": "Cache", "plural": "caches"},
            "versions": [
                {"name": "v1alpha1", "served": True},
                {"name": "v1", "served": True, "storage": True, "schema": schema},
                {"name": "v0", "served": False},
            ],
        }
    }


def fields(*names: str, **more: Any) -> dict[str, Any]:
    return {"properties": {**{name: {"type": "string"} for name in names}, **more}}


def rules(**spec: Any) -> Iterator[ReferencePath]:
    kind = read_crd_kind(definition(**spec))
    assert kind is not None
    assert kind.versions == ("v1", "v1alpha1")
    yield from kind.references


@cases(*rows_of(__file__, "policies_that_are_labelled_direct_are_not_merged"))
def test_policies_that_are_labelled_direct_are_not_merged(
    label: str, spec: dict[str, Any], is_direct: bool
) -> None:
    labels = {"gateway.networking.k8s.io/policy": label}
    kind = read_crd_kind({**definition(**spec), "metadata": {"labels": labels}})
    assert kind is not None
    assert kind.merged.is_known is is_direct


def test_fields_that_references_are_in() -> None:
    spec, expected = rows_of(__file__, "fields_that_references_are_in")
    assert [
        {name: value for name, value in to_builtins(rule).items() if value not in ("", None, False)}
        for rule in rules(**spec)
    ] == expected


def test_a_target_without_a_group_is_none_of_ours() -> None:
    assert (
        list(rules(targetRef=fields("apiVersion", "kind", "name"), gatewayRef=fields("name"))) == []
    )


def test_a_namespace_that_has_to_be_empty() -> None:
    namespace = {"x-kubernetes-validations": [{"rule": "self.size() == 0"}]}
    (rule,) = rules(targetRef=fields("group", "kind", "name", namespace=namespace))
    assert rule.namespace is NamespaceRule.EMPTY


OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def at_root(schema: Any) -> dict[str, Any]:
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    return {
        "spec": {
            "group": "example.com",
            "names": {"kind": "Cache", "plural": "caches"},
            "versions": [version],
        }
    }


def in_spec(spec: Any) -> dict[str, Any]:
    return at_root({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}})


@each(*rows_of(__file__, "a_schema_that_takes_anything_is_as_good_as_none"))
def test_a_schema_that_takes_anything_is_as_good_as_none(schema: Any) -> None:
    kind = read_crd_kind(at_root(schema))
    assert kind is not None
    assert sorted(kind.references, key=str) == sorted(ASSUMED, key=str)


@cases(*rows_of(__file__, "a_target_of_which_the_schema_says_nothing_is_assumed"))
def test_a_target_of_which_the_schema_says_nothing_is_assumed(
    spec: dict[str, Any], assumed: list[str]
) -> None:
    kind = read_crd_kind(in_spec({"type": "object", "properties": spec}))
    assert kind is not None
    assert [rule.path for rule in kind.references if rule.assumed] == assumed


def test_a_row_takes_nothing_from_a_schema_that_says_nothing() -> None:
    crd = at_root({"openAPIV3Schema": OPEN})
    crd["spec"] |= {"group": "kuadrant.io", "names": {"kind": "AuthPolicy", "plural": "p"}}
    row = CATALOGUE.kind("kuadrant.io", "AuthPolicy")
    assert Catalogue.of([crd]).kind("kuadrant.io", "AuthPolicy").references == row.references
