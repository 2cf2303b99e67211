"""CEL rules and list types in place (Kubernetes: CRDs, "Validation rules")."""

from tests.judging.validation.objects import crd, faults, schemas, thing, told
from tests.support import cases, each, rows_of

RULE = "x-kubernetes-validations"


@cases(*rows_of(__file__, "a_broken_rule_says_so_as_the_api_server_does"))
def test_a_broken_rule_says_so_as_the_api_server_does(rules: str, message: str) -> None:
    schema = f"{{type: object, properties: {{a: {{type: integer}}}}, {RULE}: {rules}}}"
    assert told(schema, "{a: 1}") == [message]


@each(*rows_of(__file__, "rules_about_a_change_do_not_refuse_a_new_object"))
def test_rules_about_a_change_do_not_refuse_a_new_object(rules: str) -> None:
    schema = f"{{type: object, properties: {{a: {{type: integer}}}}, {RULE}: {rules}}}"
    assert told(schema, "{a: 1}") == []


def test_a_rule_with_an_optional_old_self_is_evaluated() -> None:
    rules = "[{rule: oldSelf.hasValue(), optionalOldSelf: true, message: none}]"
    assert told(f"{{type: object, {RULE}: {rules}}}", "{}") == [
        'spec: Invalid value: "object": none'
    ]


@each("self.find('a') == ''", "self ==", "self.matches(")
def test_a_rule_that_cannot_be_evaluated_is_told_as_such(rule: str) -> None:
    schema = f'{{type: object, {RULE}: [{{rule: "{rule}", message: m}}]}}'
    (found,) = faults(thing("{}"), schemas(crd(schema)))
    assert found.finding.code == "SR2308"
    assert "can't be evaluated" in found.message


def test_rules_speak_of_properties_by_their_escaped_names() -> None:
    schema = f"""
      type: object
      properties: {{namespace: {{type: string}}, a-b: {{type: string}}}}
      {RULE}: [{{rule: self.__namespace__ == self.a__dash__b, message: differ}}]
    """
    assert told(schema, "{namespace: x, a-b: x}") == []
    assert told(schema, "{namespace: x, a-b: y}") == ['spec: Invalid value: "object": differ']


def test_keys_of_a_map_are_not_escaped() -> None:
    schema = f"""
      type: object
      additionalProperties: {{type: string, {RULE}: [{{rule: self == 'x', message: bad}}]}}
      {RULE}: [{{rule: "'a-b' in self", message: absent}}]
    """
    assert told(schema, "{a-b: x}") == []
    assert told(schema, "{namespace: y}") == [
        'spec: Invalid value: "object": absent',
        'spec.namespace: Invalid value: "string": bad',
    ]


def test_rules_see_defaults_and_not_unknown_fields() -> None:
    schema = f"""
      type: object
      properties: {{a: {{type: string, default: x}}}}
      {RULE}: [{{rule: "self.a == 'x' && self.size() == 1", message: no}}]
    """
    assert told(schema, "{b: 1}") == ['unknown field "spec.b"']


def test_where_the_schema_refuses_the_rules_above_it_wait() -> None:
    """Else a rule would speak of a value that is of the wrong type; others are told at once."""
    schema = f"""
      type: object
      properties:
        a: {{type: integer}}
        b: {{type: string, {RULE}: [{{rule: self == 'x', message: b is no x}}]}}
      {RULE}: [{{rule: self.a > 1, message: a is small}}]
    """
    assert told(schema, "{a: text, b: y}") == [
        'spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"',
        'spec.b: Invalid value: "string": b is no x',
    ]


def test_items_of_a_set_differ() -> None:
    schema = """
      type: object
      properties: {a: {type: array, x-kubernetes-list-type: set, items: {type: string}}}
    """
    assert told(schema, "{a: [x, y]}") == []
    assert told(schema, "{a: [x, y, x]}") == ['spec.a[2]: Duplicate value: "x"']


def test_items_of_a_map_differ_in_their_keys_defaults_included() -> None:
    schema = """
      type: object
      properties:
        a:
          type: array
          x-kubernetes-list-type: map
          x-kubernetes-list-map-keys: [name, port]
          items:
            type: object
            properties: {name: {type: string}, port: {type: integer, default: 80}}
    """
    assert told(schema, "{a: [{name: x}, {name: x, port: 81}]}") == []
    assert told(schema, "{a: [{name: x}, {name: x, port: 80}]}") == [
        'spec.a[1]: Duplicate value: {"name":"x","port":80}'
    ]


EITHER = "{x-kubernetes-int-or-string: true}"


@cases(*rows_of(__file__, "what_a_rule_can_not_ask_of_a_text_is_a_no_where_a_number_may_be"))
def test_what_a_rule_can_not_ask_of_a_text_is_a_no_where_a_number_may_be(
    value: str, expected: list[str]
) -> None:
    """Kubernetes: the type of `x-kubernetes-int-or-string` is dynamic, and errors are a no."""
    schema = (
        f"{{type: object, properties: {{a: {EITHER}}}, "
        f"{RULE}: [{{rule: self.a < 10, message: small}}]}}"
    )
    assert told(schema, f"{{a: {value}}}") == expected


def test_a_text_that_may_be_a_time_there_is_not_judged() -> None:
    times = "{type: string, format: date-time}"
    rule = "self.t > timestamp('2020-01-01T00:00:00Z')"
    schema = (
        f"{{type: object, properties: {{a: {EITHER}, t: {times}}}, "
        f'{RULE}: [{{rule: "{rule}", message: late}}]}}'
    )
    (message,) = told(schema, "{a: 1, t: '2026-01-01T00:00:00Z'}")
    assert "can't be evaluated" in message
