"""Rules of CRDs about a change (Kubernetes: CRDs, "Transition rules")."""

from spokerender.judging.validation.changes import check_change
from spokerender.model import Ref
from tests.judging.validation.objects import GROUP, KIND, crd, schemas, thing
from tests.support import cases

RULE = "x-kubernetes-validations"
SAME = f"{RULE}: [{{rule: self == oldSelf, message: immutable}}]"
TEXT = f"{{type: string, {SAME}}}"

DELEGATING = f"""
  d:
    type: object
    properties: {{delegate: {{type: boolean}}}}
    {RULE}: [{{rule: "!has(oldSelf.delegate) || has(self.delegate)", message: set}}]
"""
ENTRIES = f"""
  l:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [id]
    items: {{type: object, properties: {{id: {{type: string}}, a: {TEXT}}}}}
"""


def told(schema: str, old: str, new: str) -> list[str]:
    """The messages about an object that had one spec and has another."""
    known = schemas(crd(f"type: object\nproperties: {schema}"))
    faults = check_change(thing(old), thing(new), Ref(GROUP, KIND, "shop", "one"), known)
    return [fault.message for fault in faults]


@cases(
    (f"{{a: {TEXT}}}", "{a: x}", "{a: y}", ['spec.a: Invalid value: "string": immutable']),
    (f"{{a: {TEXT}}}", "{a: x}", "{a: x}", []),
    # Without an old value, or a new one, there is nothing to compare.
    (f"{{a: {TEXT}}}", "{}", "{a: y}", []),
    (f"{{a: {TEXT}}}", "{a: x}", "{}", []),
    # A default counts as written.
    (f"{{a: {{type: string, default: x, {SAME}}}}}", "{}", "{a: y}",
     ['spec.a: Invalid value: "string": immutable']),
    # kuadrant-operator, DNSPolicy: what is set stays set.
    (DELEGATING, "{d: {delegate: true}}", "{d: {}}", ['spec.d: Invalid value: "object": set']),
    # An entry of a list of maps is the old one of its keys, wherever it stands.
    (ENTRIES, "{l: [{id: one, a: x}, {id: two, a: y}]}",
     "{l: [{id: two, a: y}, {id: one, a: z}, {id: new, a: z}]}",
     ['spec.l[1].a: Invalid value: "string": immutable']),
    # Items of another list have no old value, and neither do keys that are new.
    (f"{{l: {{type: array, items: {TEXT}}}}}", "{l: [x]}", "{l: [y]}", []),
    (f"{{m: {{type: object, additionalProperties: {TEXT}}}}}", "{m: {a: x, b: x}}",
     "{m: {a: y, c: z}}", ['spec.m.a: Invalid value: "string": immutable']),
)  # fmt: skip
def test_a_change_that_is_refused(schema: str, old: str, new: str, messages: list[str]) -> None:
    assert told(schema, old, new) == messages


def test_with_an_optional_old_value_the_rule_has_it() -> None:
    rule = "{rule: '!oldSelf.hasValue() || self >= oldSelf.value()', optionalOldSelf: true}"
    schema = f"{{a: {{type: integer, {RULE}: [{rule}]}}}}"
    assert told(schema, "{a: 1}", "{a: 2}") == []
    (message,) = told(schema, "{a: 2}", "{a: 1}")
    assert message.startswith('spec.a: Invalid value: "integer": failed rule: ')


def test_what_is_wrong_anyhow_is_not_told_again() -> None:
    schema = f"{{a: {{type: string, maxLength: 1, {RULE}: [{{rule: self != 'yy'}}]}}}}"
    assert told(schema, "{a: x}", "{a: yy}") == []
