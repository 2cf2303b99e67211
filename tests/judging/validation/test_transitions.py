"""Rules of CRDs about a change (Kubernetes: CRDs, "Transition rules")."""

import json
from typing import Any

from spokerender.judging.validation.changes import check_change
from spokerender.model import Ref
from tests.judging.validation.objects import GROUP, KIND, crd, schemas, thing
from tests.support import cases, rows_of

RULE = "x-kubernetes-validations"


def told(schema: str, old: str, new: str) -> list[str]:
    """The messages about an object that had one spec and has another."""
    known = schemas(crd(f"type: object\nproperties: {schema}"))
    faults = check_change(thing(old), thing(new), Ref(GROUP, KIND, "shop", "one"), known)
    return [fault.message for fault in faults]


@cases(*rows_of(__file__, "a_change_that_is_refused"))
def test_a_change_that_is_refused(schema: Any, old: Any, new: Any, messages: list[str]) -> None:
    assert told(*map(json.dumps, (schema, old, new))) == messages


def test_with_an_optional_old_value_the_rule_has_it() -> None:
    rule = "{rule: '!oldSelf.hasValue() || self >= oldSelf.value()', optionalOldSelf: true}"
    schema = f"{{a: {{type: integer, {RULE}: [{rule}]}}}}"
    assert told(schema, "{a: 1}", "{a: 2}") == []
    (message,) = told(schema, "{a: 2}", "{a: 1}")
    assert message.startswith('spec.a: Invalid value: "integer": failed rule: ')


def test_what_is_wrong_anyhow_is_not_told_again() -> None:
    schema = f"{{a: {{type: string, maxLength: 1, {RULE}: [{{rule: self != 'yy'}}]}}}}"
    assert told(schema, "{a: x}", "{a: yy}") == []
