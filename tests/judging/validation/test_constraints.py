"""The schema's own words, as `kubectl apply` prints them (apimachinery `field.Error`)."""

import json

from tests.judging.validation.objects import crd, faults, schemas, thing, told
from tests.support import cases, cyaml, each, rows_of

P = "spec.a"


def schema(field: str) -> str:
    return f"{{type: object, properties: {{a: {field}}}}}"


@cases(*rows_of(__file__, "a_refused_value"))
def test_a_refused_value(field: str, value: str, message: str) -> None:
    assert told(schema(field), f"{{a: {value}}}") == [f"{P}: {message}"]


@cases(*rows_of(__file__, "a_value_that_is_taken"))
def test_a_value_that_is_taken(field: str, value: str) -> None:
    assert told(schema(field), f"{{a: {value}}}") == []


def test_a_missing_field_is_named_itself() -> None:
    required = "{type: object, required: [a], properties: {a: {type: string}}}"
    (found,) = faults(thing("{}"), schemas(crd(required)))
    assert (found.message, found.cure, found.field) == (
        "spec.a: Required value",
        "set a",
        ("spec", "a"),
    )


@cases(*rows_of(__file__, "quotes_are_the_cure_only_where_they_are_the_cause"))
def test_quotes_are_the_cure_only_where_they_are_the_cause(
    type_: str, value: str, cure: str
) -> None:
    (found,) = faults(thing(f"{{a: {value}}}"), schemas(crd(schema(f"{{type: {type_}}}"))))
    assert found.cure == cure


def test_of_alternatives_the_one_that_was_meant_is_told() -> None:
    """Gateway API, `spec.addresses`: the type says which of the formats holds."""
    address = """
      type: object
      oneOf:
      - properties: {type: {enum: [IP]}, value: {anyOf: [{format: ipv4}, {format: ipv6}]}}
      - properties: {type: {not: {enum: [IP]}}}
      properties: {type: {type: string}, value: {type: string}}
    """
    messages = told(
        schema(f"{{type: array, items: {json.dumps(cyaml.safe_load(address))}}}"),
        "{a: [{type: IP, value: '1.2.3.4:80'}]}",
    )
    assert messages[0] == (
        'spec.a[0].value: Invalid value: "1.2.3.4:80": '
        'spec.a[0].value in body must be of type ipv4: "1.2.3.4:80"'
    )
    assert len(messages) == 3


def test_a_pattern_that_no_engine_takes_is_told_not_passed_over() -> None:
    (found,) = faults(thing("{a: x}"), schemas(crd(schema("{type: string, pattern: '(?=a)'}"))))
    assert found.finding.code == "SR2308"
    assert "(?=a)" in found.message
    assert str(found.origin) == "crds/0.yaml:1"


def test_a_schema_that_makes_no_sense_is_a_fault_of_the_crd() -> None:
    (found,) = faults(thing("{a: x}"), schemas(crd(schema("{type: nonsense}"))))
    assert (found.finding.code, str(found.origin)) == ("SR2309", "crds/0.yaml:1")


@each("5", "1.5", "true", "null")
@each("{{anyOf: [{{enum: {}}}]}}", "{{not: {{enum: {}}}}}")
def test_an_enum_that_is_no_list_is_a_fault_of_the_crd(shape: str, enum: str) -> None:
    (found,) = faults(thing("{a: x}"), schemas(crd(schema(shape.format(enum)))))
    assert found.finding.code == "SR2309"


def test_a_pattern_takes_linear_time() -> None:
    value = "a" * 30_000 + "!"
    assert len(told(schema("{type: string, pattern: '^(a+)+$'}"), f"{{a: '{value}'}}")) == 1


def test_a_schema_with_very_many_alternatives_refuses_and_does_not_say_why() -> None:
    """The library makes every alternative's error at once: here that were 500 million."""
    wide = [{"enum": [f"{n}-{m}" for m in range(500)]} for n in range(200)]
    items = json.dumps({"type": "array", "items": {"type": "string", "oneOf": wide}})
    known = schemas(crd(schema(items)))
    (fault,) = faults(thing(json.dumps({"a": ["no"] * 5000})), known)
    assert fault.message == (
        "<root>: the schema refuses the object, and its alternatives are too many to tell which "
        "of them"
    )
    assert faults(thing(json.dumps({"a": ["7-7"]})), known) == ()
