"""Whatever stands in a CRD, it is told or judged by; `tests.fuzz` tries the objects of hubs."""

from typing import Any

from hypothesis import given, settings, strategies as st

from spokerender.judging.validation.crds import Schemas, read_schemas
from spokerender.judging.validation.objects import SlottedObject, validate
from spokerender.model import Origin, slots
from tests.judging.validation.objects import ANYWHERE, GROUP, KIND, crd
from tests.judging.validation.slotted import OBJECTS, REF, SCHEMA, of_spokes, slotted
from tests.property.laws import law
from tests.property.odd import VALUES, spoiled
from tests.support.profiles import examples

WORDS = (
    *("type", "properties", "items", "required", "enum", "pattern", "format", "default"),
    *("nullable", "additionalProperties", "allOf", "oneOf", "not", "minimum", "multipleOf"),
    *("maxLength", "exclusiveMinimum", "uniqueItems", "x-kubernetes-validations", "$ref"),
    *("x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-int-or-string"),
    *("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"),
)
SAYINGS: tuple[Any, ...] = (
    *VALUES,
    *("string", "integer", "object", "array", "map", "set", "(", "int32", "byte", "date", "#"),
    *({"type": "object"}, ["name", "name"], -(10**400), 10**400, [{"rule": "self"}]),
    *([{"rule": "self.a.b(1)"}], [{"rule": "true", "fieldPath": 5, "message": 7}]),
    [{"rule": "false", "messageExpression": "self.x"}],
)


@st.composite
def odd_crds(draw: Any) -> Schemas:
    """The CRD of the tests of validation, with odd things in its schema and elsewhere."""
    made = crd(SCHEMA)
    version = made["spec"]["versions"][0]
    version["schema"] = draw(spoiled(version["schema"], (), WORDS, SAYINGS))
    if draw(st.integers(0, 4)) == 0:
        made = draw(spoiled(made, (), WORDS, SAYINGS))
    return read_schemas((), [(made, Origin("crd.yaml"))], {(GROUP, KIND)})


@settings(law, max_examples=examples(400, house=20))
@given(odd_crds(), st.sampled_from(OBJECTS), st.data())
def test_an_odd_crd_is_told_or_judged_by(known: Schemas, value: Any, data: st.DataObject) -> None:
    """And by whatever it says, spokes are judged alike, at once or one by one."""
    text, values = data.draw(slotted(value))
    alike = SlottedObject(text, REF, known, ANYWHERE)
    for item in [values, *data.draw(of_spokes(values))]:
        anew = validate(slots.fill(text, item), REF, known, ANYWHERE)
        assert alike.faults(item) == anew


def test_a_format_that_is_no_text_is_none() -> None:
    """A list can't be looked up, and once ended the command."""
    known = read_schemas(
        (), [(crd("{type: object, properties: {name: {format: []}}}"), Origin(""))], {(GROUP, KIND)}
    )
    assert validate({**OBJECTS[2], "spec": {"name": "x"}}, REF, known, ANYWHERE) == ()
