"""Slots: a text is compiled once and filled for each spoke."""

from typing import Any

import pytest

from spokerender.formats.yamlio import TextTemplate, compose, cut_at_marks, emit
from spokerender.formats.yamlio.emit import flow, settle_marks
from spokerender.model.shapes import Json
from spokerender.model.slots import fill, fill_text, number_slot, text_slot
from tests.support import each

A, B, N = text_slot(0), text_slot(1), number_slot(2)
OBJECT = {"metadata": {"name": A, "labels": {B: f"x-{A}-{N}"}}, "weight": N, "text": f"a\n{A}\n"}


def filled(template: TextTemplate, a: Any, b: Any = "x", number: int = 1) -> str:
    return template.fill({A: a, B: b, str(N): number}, {}).decode()


def test_a_slot_has_the_type_of_its_value() -> None:
    template = cut_at_marks(emit(OBJECT))
    assert template.constant is None
    assert filled(template, "on", "120", 120) == (
        'metadata:\n  name: "on"\n  labels:\n    "120": x-on-120\nweight: 120\ntext: "a\\non\\n"\n'
    )


@each("\U00100000\n---\nkind: Secret\n", "\U0010fffe\U0010ffff\n", '": {a: b}\n# ', "\udc02")
def test_what_is_filled_in_is_never_looked_at_again(value: str) -> None:
    text = filled(cut_at_marks(emit(OBJECT)), value, value)
    assert "\\n---" in text or "\n---" not in text
    assert text.count("\n") == 6


def test_a_text_without_slots_is_made_once() -> None:
    template = cut_at_marks(emit({"a": "é"}))
    assert template.constant == 'a: "é"\n'.encode()
    assert template.fill({A: "x"}, {}) is template.constant


def test_texts_share_what_was_written() -> None:
    memo: dict[str, bytes] = {}
    cut_at_marks(emit({"a": A, "b": {"c": A}})).fill({A: "x y"}, memo)
    assert list(memo.values()) == [b'"x y"']
    assert cut_at_marks(emit([A, B])).fill({A: "not asked", B: "1"}, memo) == b'- "x y"\n- "1"\n'


def test_a_slot_that_has_no_value_is_never_written() -> None:
    with pytest.raises(KeyError):
        cut_at_marks(emit({"a": A})).fill({}, {})
    with pytest.raises(UnicodeEncodeError):
        cut_at_marks(f"a: {A}\n")


def test_slots_in_a_text_that_is_kept() -> None:
    text = (
        "# keep\nmetadata: {name: web, labels: {a: b}}  # this\nspec:\n  hosts: ['x', y]  # too\n"
    )
    old = {"metadata": {"name": "web", "labels": {"a": "b"}}, "spec": {"hosts": ["x", "y"]}}
    new = {
        "metadata": {"name": A, "namespace": B, "labels": {"a": "b", B: "c"}},
        "spec": {"hosts": ["x", f"{A}.{B}", A]},
    }
    assert filled(cut_at_marks(compose(text, old, new).text), "web-eu", "no") == (
        '# keep\nmetadata: {name: web-eu, namespace: "no", labels: {a: b, "no": c}}  # this\n'
        "spec:\n  hosts: ['x', web-eu.no, web-eu]  # too\n"
    )


@each(A, f"x.{A}", f"x {A}", f'"{A}"', f"a\n{A}\\", f"{{{A}: 1}}", [A, f"-{B}"], {"a": N})
def test_settled_marks_are_as_if_slots_were_words(value: Json) -> None:
    values = {A: "word", B: "other", str(N): 7}
    settled = settle_marks(flow(value))
    assert fill_text(settled, values) == flow(fill(value, values))
