"""What a spoke's own values break is told on that spoke, and what they mend is told no more."""

from typing import Any

import pytest

from spokerender.judging.validation import objects
from spokerender.judging.validation.objects import SlottedObject
from spokerender.model import Ref, slots
from tests.judging.validation.objects import ANYWHERE, crd, faults, of_release, schemas, thing
from tests.judging.validation.slotted import KNOWN, METADATA, OBJECTS, REF, SOUND, Object, agree
from tests.support import cases, each, rows_of
from tests.support.counting import calls_of


def test_the_objects_to_begin_with_are_sound() -> None:
    assert [faults(value, KNOWN) for value in OBJECTS] == [(), (), ()]


SLOT = slots.text_slot(0)


def one(spec: str, **metadata: Any) -> Object:
    """An object with these fields; § is the slot, and # one for a number."""
    value = thing(spec, metadata={**METADATA, **metadata})
    value["spec"].setdefault("name", "a.b")
    made: Object = held(value)
    return made


def held(data: Any) -> Any:
    """The data with the slots in it; what reads YAML refuses them."""
    if isinstance(data, dict):
        return {held(key): held(value) for key, value in data.items()}
    if isinstance(data, list):
        return [held(item) for item in data]
    if data == "#":
        return slots.number_slot(0)
    return data.replace("§", SLOT) if isinstance(data, str) else data


def told(value: Object, *spokes: Any) -> list[tuple[str, ...]]:
    """The messages for one value of the slot after the other."""
    alike = SlottedObject(value, REF, KNOWN, ANYWHERE)
    found = [alike.faults({SLOT: each}) for each in spokes]
    return [tuple(fault.message for fault in each) for each in found]


@cases(*rows_of(__file__, "what_a_value_breaks_is_told"))
def test_what_a_value_breaks_is_told(spec: str, good: Any, bad: Any, field: str) -> None:
    """Whether it comes first or not, and no longer when it has gone."""
    before, after, again = told(one(spec), good, bad, good)
    assert (before, again) == ((), ())
    assert after != ()
    assert field in after[-1]
    assert told(one(spec), bad, good, bad) == [after, (), after]


@cases(*rows_of(__file__, "what_a_value_breaks_in_the_metadata_is_told"))
def test_what_a_value_breaks_in_the_metadata_is_told(
    metadata: dict[str, Any], good: Any, bad: Any
) -> None:
    before, after, again = told(one("{}", **metadata), good, bad, good)
    assert (before, bool(after), again) == ((), True, ())


def test_a_sound_object_is_judged_as_a_whole_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls_of(monkeypatch, objects, "validate")
    assert told(one("{name: §}"), "x", "y", "z", "X", "y") == [(), (), (), told_of("X"), ()]
    assert len(asked) == 3  # the first, X, and X again for what is expected


def told_of(name: str) -> tuple[str, ...]:
    (found,) = told(one("{name: §}"), name)
    return found


def test_an_object_of_a_kind_that_nobody_knows_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = calls_of(monkeypatch, objects, "validate")
    agree(one("{name: §}"), REF, schemas(), [{SLOT: text} for text in ("x", "X", "y")])
    assert len(asked) == 1


def test_a_slot_in_a_key_is_always_judged_as_a_whole() -> None:
    assert told(one("{marks: {§: v}}"), "k", "v", "k")[1] != ()
    assert told(one("{§: 1}"), "count", "cuont")[1] != ()


@each("example.com/§", "§/v1", "example.com/v§", "§")
def test_a_slot_in_the_api_version(version: str) -> None:
    value = {**thing(SOUND), "apiVersion": version.replace("§", SLOT)}
    spokes: list[dict[str, Any]] = [
        {SLOT: text} for text in ("v1", "example.com", "1", "example.com/v1", "v2")
    ]
    agree(value, REF, KNOWN, [*spokes, *spokes])


def test_a_kind_without_a_crd_and_one_with_too_many() -> None:
    spokes: list[dict[str, Any]] = [{SLOT: text} for text in ("x", "X", "bad")]
    agree(one("{name: §}"), REF, schemas(), spokes)
    agree(one("{name: §}"), REF, schemas(of_release("v1.0.0", "standard"), crd()), spokes)


@cases(*rows_of(__file__, "kubernetes_own_kinds"))
def test_kubernetes_own_kinds(kind: str, fields: Object) -> None:
    value = held({"apiVersion": "v1", "kind": kind, **fields})
    spokes: list[dict[str, Any]] = [{SLOT: each} for each in ("x", "X y", "1", "x")]
    agree(value, Ref("", kind, "", "x"), schemas(), spokes)
