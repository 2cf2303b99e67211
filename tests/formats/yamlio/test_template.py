"""Slots: a text is compiled once and filled for each spoke."""

from __future__ import annotations

from typing import Any

from render.formats.yamlio import TextTemplate, compile_text, compose, emit
from render.model.slots import slot

A, B = slot(0), slot(1)
OBJECT = {"metadata": {"name": A, "labels": {B: f"x-{A}"}}, "weight": B, "text": f"a\n{A}\n"}


def filled(template: TextTemplate, a: Any, b: Any) -> str:
    return template.fill({A: a, B: b}, {}).decode()


def test_a_slot_takes_the_type_of_its_value() -> None:
    template = compile_text(emit(OBJECT))
    assert template.constant is None
    assert filled(template, "on", 120) == (
        'metadata:\n  name: "on"\n  labels:\n    "120": x-on\nweight: 120\ntext: "a\\non\\n"\n'
    )
    assert filled(template, 1.0, True) == (
        'metadata:\n  name: 1\n  labels:\n    "True": x-1.0\nweight: true\ntext: "a\\n1.0\\n"\n'
    )


def test_a_text_without_slots_is_made_once() -> None:
    template = compile_text(emit({"a": "é"}))
    assert template.constant == 'a: "é"\n'.encode()
    assert template.fill({A: "x"}, {}) is template.constant


def test_texts_share_what_was_written() -> None:
    memo: dict[str, bytes] = {}
    compile_text(emit({"a": A, "b": {"c": A}})).fill({A: "x y"}, memo)
    assert list(memo.values()) == [b'"x y"']
    assert compile_text(emit([A, B])).fill({A: "not asked", B: 1}, memo) == b'- "x y"\n- 1\n'


def test_a_character_of_the_plane_that_is_no_slot_stays() -> None:
    assert compile_text(emit({"a": A})).fill({}, {}) == b'a: "\\U00100000"\n'


def test_slots_in_a_text_that_is_kept() -> None:
    text = (
        "# keep\nmetadata: {name: web, labels: {a: b}}  # this\nspec:\n  hosts: ['x', y]  # too\n"
    )
    old = {"metadata": {"name": "web", "labels": {"a": "b"}}, "spec": {"hosts": ["x", "y"]}}
    new = {
        "metadata": {"name": A, "namespace": B, "labels": {"a": "b", B: "c"}},
        "spec": {"hosts": ["x", f"{A}.{B}", A]},
    }
    assert filled(compile_text(compose(text, old, new)), "web-eu", "no") == (
        '# keep\nmetadata: {name: web-eu, namespace: "no", labels: {a: b, "no": c}}  # this\n'
        "spec:\n  hosts: ['x', web-eu.no, web-eu]  # too\n"
    )
