"""What a spoke's own values break is told on that spoke, and what they mend is told no more."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from render.findings.faults import Fault
from render.judging.validation import Alike, validate
from render.model import Ref, slots
from tests.judging.validation.objects import ANYWHERE, crd, faults, of_release, schemas, thing
from tests.judging.validation.slotted import KNOWN, METADATA, OBJECTS, REF, SOUND, Object, agree


def test_the_objects_to_begin_with_are_sound() -> None:
    assert [faults(value, KNOWN) for value in OBJECTS] == [(), (), ()]


def one(spec: str, **metadata: Any) -> Object:
    """An object with these fields; § is the slot."""
    value = thing(spec.replace("§", slots.slot(0)), metadata={**METADATA, **metadata})
    value["spec"].setdefault("name", "a.b")
    return value


def told(value: Object, *spokes: Any) -> list[tuple[str, ...]]:
    """The messages for one value of the slot after the other."""
    alike = Alike(value, REF, KNOWN, ANYWHERE)
    found = [alike.faults({slots.slot(0): each}) for each in spokes]
    return [tuple(fault.message for fault in each) for each in found]


@pytest.mark.parametrize(
    ("spec", "good", "bad", "field"),
    [
        ("{name: §}", "x", "X", "spec.name"),
        ("{name: a.§}", "x", "X", "spec.name"),
        ("{mode: §}", "fast", "quick", "spec.mode"),
        ("{mode: §, count: 5}", "fast", "slow", "spec"),
        ("{mode: slow, count: §}", 2, 3, "spec"),
        ("{count: §}", 1, "1", "spec.count"),
        ("{count: §}", 1, True, "spec.count"),
        ("{open: §}", True, 1, "spec.open"),
        ("{port: §}", "http", True, "spec.port"),
        ("{namespace: §}", "aGVsbG8=", "c2hvcA==", "spec"),
        ("{when: §}", "2020-02-02", "yesterday", "spec.when"),
        ("{marks: {k: §}}", "v", "k", "spec.marks"),
        ("{hosts: [§, x.a.b]}", "y.a.b", "x.a.b", "spec.hosts[1]"),
        ("{hosts: [§]}", "y.a.b", "a.b.c", "spec"),
        ("{steps: [{name: §}, {name: one, number: 1}]}", "two", "one", "spec.steps[1]"),
        ("{steps: [{name: one, number: §}]}", 1, 0, "spec.steps[0].number"),
        ("{steps: [{name: one, inner: {b: §}}]}", "y", "x", "spec.steps[0].inner"),
        ("{either: {type: §, header: x}}", "Header", "Query", "spec.either"),
    ],
)
def test_what_a_value_breaks_is_told(spec: str, good: Any, bad: Any, field: str) -> None:
    """Whether it comes first or not, and no longer when it has gone."""
    before, after, again = told(one(spec), good, bad, good)
    assert (before, again) == ((), ())
    assert after != ()
    assert field in after[-1]
    assert told(one(spec), bad, good, bad) == [after, (), after]


@pytest.mark.parametrize(
    ("metadata", "good", "bad"),
    [
        ({"name": "§"}, "one", "One"),
        ({"name": "§"}, "one", "forbidden"),
        ({"namespace": "shop-§"}, "eu", "EU"),
        ({"labels": {"app": "§"}}, "web", "a b"),
        ({"labels": {"app": "§"}}, "web", 1),
        ({"annotations": {"note": "§"}}, "a b", True),
    ],
)
def test_what_a_value_breaks_in_the_metadata_is_told(
    metadata: dict[str, Any], good: Any, bad: Any
) -> None:
    filled = slots.fill({"§": metadata}, {})["§"]
    with_slots = yaml.safe_load(
        yaml.safe_dump(filled, allow_unicode=True).replace("§", slots.slot(0))
    )
    before, after, again = told(one("{}", **with_slots), good, bad, good)
    assert (before, bool(after), again) == ((), True, ())


def test_a_sound_object_is_judged_as_a_whole_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(*judge: Any) -> tuple[Fault, ...]:
        asked.append(judge)
        return validate(*judge)

    monkeypatch.setattr("render.judging.validation.alike.validate", counted)
    assert told(one("{name: §}"), "x", "y", "z", "X", "y") == [(), (), (), told_of("X"), ()]
    assert len(asked) == 3  # the first, X, and X again for what is expected


def told_of(name: str) -> tuple[str, ...]:
    (found,) = told(one("{name: §}"), name)
    return found


def test_a_slot_in_a_key_is_always_judged_as_a_whole() -> None:
    value = one("{marks: {§: v}}")
    assert told(value, "k", "v", "k")[1] != ()
    assert told(one("{§: 1}"), "count", "cuont")[1] != ()


def test_a_default_that_uses_the_slots_plane_is_no_slot() -> None:
    """A CRD file may have any character; only the hub's and the placement's are looked at."""
    mark = slots.slot(0)
    schema = "{type: object, properties: {a: {type: string}, b: {enum: [§], default: §}}}"
    value = {**thing(), "spec": {"a": mark}}
    alike = Alike(value, REF, schemas(crd(schema.replace("§", mark))), ANYWHERE)
    assert [alike.faults({mark: text}) for text in ("x", "y")] == [(), ()]
    assert alike._quick is not None
    assert alike._quick.is_sound({mark: "z"})


@pytest.mark.parametrize("version", ["example.com/§", "§/v1", "example.com/v§", "§"])
def test_a_slot_in_the_api_version(version: str) -> None:
    value = {**thing(SOUND), "apiVersion": version.replace("§", slots.slot(0))}
    spokes: list[dict[str, Any]] = [
        {slots.slot(0): text} for text in ("v1", "example.com", 1, "1", "example.com/v1", "v2")
    ]
    agree(value, REF, KNOWN, [*spokes, *spokes])


def test_a_kind_without_a_crd_and_one_with_too_many() -> None:
    spokes: list[dict[str, Any]] = [{slots.slot(0): text} for text in ("x", "X", "bad")]
    agree(one("{name: §}"), REF, schemas(), spokes)
    agree(one("{name: §}"), REF, schemas(of_release("v1.0.0", "standard"), crd()), spokes)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("Namespace", {"metadata": {"name": "§", "labels": {"a": "§"}}}),
        ("ConfigMap", {"metadata": {"name": "x", "namespace": "y"}, "data": {"a": "§"}}),
    ],
)
def test_kubernetes_own_kinds(kind: str, fields: Object) -> None:
    text = yaml.safe_dump({"apiVersion": "v1", "kind": kind, **fields}, allow_unicode=True)
    value = yaml.safe_load(text.replace("§", slots.slot(0)))
    spokes: list[dict[str, Any]] = [{slots.slot(0): each} for each in ("x", "X y", 1, True, "x")]
    agree(value, Ref("", kind, "", "x"), schemas(), spokes)
