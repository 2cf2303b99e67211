"""CEL rules and list types in place (Kubernetes: CRDs, "Validation rules")."""

import json
from typing import Any

from tests.judging.validation.objects import crd, faults, schemas, thing, told
from tests.support import cases, each, named_rows_of, rows_of

RULE = "x-kubernetes-validations"


@cases(*rows_of(__file__, "a_broken_rule_says_so_as_the_api_server_does"))
def test_a_broken_rule_says_so_as_the_api_server_does(rules: str, message: str) -> None:
    schema = f"{{type: object, properties: {{a: {{type: integer}}}}, {RULE}: {rules}}}"
    assert told(schema, "{a: 1}") == [message]


@each(*rows_of(__file__, "rules_about_a_change_do_not_refuse_a_new_object"))
def test_rules_about_a_change_do_not_refuse_a_new_object(rules: str) -> None:
    schema = f"{{type: object, properties: {{a: {{type: integer}}}}, {RULE}: {rules}}}"
    assert told(schema, "{a: 1}") == []


@cases(*named_rows_of(__file__, "rules_and_what_they_refuse"))
def test_rules_and_what_they_refuse(schema: Any, specs: list[list[Any]]) -> None:
    for spec, messages in specs:
        assert told(json.dumps(schema), json.dumps(spec)) == messages


@each("self.find('a') == ''", "self ==", "self.matches(")
def test_a_rule_that_cannot_be_evaluated_is_told_as_such(rule: str) -> None:
    schema = f'{{type: object, {RULE}: [{{rule: "{rule}", message: m}}]}}'
    (found,) = faults(thing("{}"), schemas(crd(schema)))
    assert found.finding.code == "SR2308"
    assert "can't be evaluated" in found.message


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
