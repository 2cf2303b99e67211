"""Defaults, nulls and unknown fields (Kubernetes: CRDs, "Defaulting and Nullable")."""

from typing import Any

from tests.judging.validation.objects import completed_object, crd, faults, schemas, thing, told
from tests.support import cases, cyaml, rows_of, text_of

SCHEMA = text_of(__file__, "completing.yaml")


def complete(spec: str) -> Any:
    return completed_object(thing(spec), schemas(crd(SCHEMA)))["spec"]


@cases(*rows_of(__file__, "the_object_is_completed_as_the_api_server_does"))
def test_the_object_is_completed_as_the_api_server_does(spec: str, made: str) -> None:
    assert complete(spec) == cyaml.safe_load(made)


def test_what_was_read_is_not_changed() -> None:
    value = thing("{o: {}, l: [{}]}")
    completed_object(value, schemas(crd(SCHEMA)))
    assert value == thing("{o: {}, l: [{}]}")


@cases(*rows_of(__file__, "an_unknown_field_is_told_with_what_was_meant"))
def test_an_unknown_field_is_told_with_what_was_meant(spec: str, field: str, cure: str) -> None:
    (found,) = faults(thing(spec), schemas(crd(SCHEMA)))
    assert (found.finding.code, found.message, found.cure) == (
        "SR2302",
        f'unknown field "{field}"',
        cure,
    )


def test_nothing_is_unknown_where_unknown_fields_are_preserved() -> None:
    assert told(SCHEMA, "{open: {anything: {goes: 1}}}") == []


def test_a_bare_object_has_no_fields() -> None:
    assert told("{type: object, properties: {a: {type: object}}}", "{a: {b: 1}}") == [
        'unknown field "spec.a.b"'
    ]
