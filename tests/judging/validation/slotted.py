"""Objects with slots in them, for the CRD of which `SCHEMA` is; and values for the slots."""

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from spokerender.judging.validation.crds import Schemas
from spokerender.judging.validation.objects import SlottedObject, validate
from spokerender.model import FieldPath, Ref, slots
from tests.judging.validation.objects import ANYWHERE, GROUP, KIND, crd, schemas, thing
from tests.support import rows_of, text_of

Object = dict[str, Any]

SCHEMA = text_of(__file__, "slotted_schema.yaml")
ROOT_RULES = [{"rule": "self.metadata.name != 'forbidden'"}]
SOUND = text_of(__file__, "slotted_sound.yaml")
WITH_NULLS = """
{name: x, mode: null, count: null, share: null, none: null, marks: {k: null},
 hosts: [one.x], steps: [{name: one, number: null, inner: {a: null, b: y}}, {name: two}]}
"""
METADATA = rows_of(__file__, "metadata")
TEXTS = st.one_of(
    st.sampled_from(["", "a", "x", "y", "one", "two", "fast", "slow", "Query", "Header", "never"]),
    st.sampled_from(["bad", "x.a.b", "y.a.b", "b", "c2hvcA==", "no base64", "2020-02-30", "k"]),
    st.sampled_from(["forbidden", "UPPER", "a b", "x" * 21, "x" * 64, "x" * 300, "*.a.b", "80"]),
    st.text(st.characters(codec="utf-8"), max_size=4),
)
NUMBERS = st.sampled_from([0, 1, 2, 9, 10, -1, 443, 65536, 2**40])


def known() -> Schemas:
    made = crd(SCHEMA)
    (version,) = made["spec"]["versions"]
    version["schema"]["openAPIV3Schema"]["x-kubernetes-validations"] = ROOT_RULES
    return schemas(made)


KNOWN = known()
REF = Ref(GROUP, KIND, "shop", "one")


OBJECTS = [thing(spec, metadata=METADATA) for spec in (SOUND, WITH_NULLS, "{name: x}")]


def scalars(value: Any, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Where an object has texts and whole numbers."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from scalars(item, (*path, key))
    elif type(value) in (str, int) and path[0] not in {"apiVersion", "kind"}:
        yield path


def replaced(value: Any, path: FieldPath, new: str | int) -> Any:
    """A copy with something else at a path."""
    if not path:
        return new
    made = value.copy()
    made[path[0]] = replaced(value[path[0]], path[1:], new)
    return made


@st.composite
def slotted(draw: Any, value: Object) -> tuple[Object, dict[str, Any]]:
    """The object with slots in some places, each alone or in a text, and the values it had."""
    places = draw(
        st.lists(st.sampled_from(list(scalars(value))), min_size=1, max_size=4, unique=True)
    )
    values: dict[str, Any] = {}
    made = value
    for path in places:
        old: Any = value
        for step in path:
            old = old[step]
        slot: str | int
        if isinstance(old, str):
            cut = draw(st.integers(0, len(old)))
            slot, value_of = slots.text_slot(len(values)), old[cut:]
            made = replaced(made, path, old[:cut] + slot)
        else:
            slot, value_of = slots.number_slot(len(values)), old
            made = replaced(made, path, slot)
        values[str(slot)] = value_of
    return made, values


def of_spokes(values: Mapping[str, Any]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """The values on one spoke after the other; the old ones, which are sound, come now and then."""
    one = st.fixed_dictionaries(
        {
            slot: st.one_of(st.just(old), TEXTS if isinstance(old, str) else NUMBERS)
            for slot, old in values.items()
        }
    )
    return st.lists(st.one_of(st.just(dict(values)), one), min_size=1, max_size=6)


def agree(value: Object, ref: Ref, crds: Schemas, spokes: list[dict[str, Any]]) -> None:
    alike = SlottedObject(value, ref, crds, ANYWHERE)
    for values in spokes:
        anew = validate(slots.fill(value, values), ref, crds, ANYWHERE)
        assert alike.faults(values) == anew, values
