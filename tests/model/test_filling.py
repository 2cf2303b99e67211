"""Slots in frozen values: found, and filled with a spoke's values."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from spokerender.findings.results import Severity
from spokerender.model import Ref
from spokerender.model.filling import filled, holds_slots
from spokerender.model.slots import has_slot, number_slot, text_slot

A, B = text_slot(0), text_slot(1)
REF = Ref("kuadrant.io", "AuthPolicy", A, f"x-{B}")


def test_a_repr_hides_slots() -> None:
    """So nobody may look for them in one: Python escapes what can't be printed."""
    assert not has_slot(repr(REF))
    assert holds_slots(REF)


@pytest.mark.parametrize(
    ("value", "held"),
    [
        (Severity.ERROR, False),
        (("a", (REF,)), True),
        (("a", (replace(REF, namespace="x", name="y"),)), False),
        ({"a": [A]}, True),
        ({"a": ["b"]}, False),
        (number_slot(0), True),
        (frozenset([("a", A)]), True),
        (5, False),
        (None, False),
    ],
    ids=["enum", "tuples", "plain", "json", "plain json", "number", "set", "five", "nothing"],
)
def test_slots_of_frozen_values(value: object, *, held: bool) -> None:
    assert holds_slots(value) is held


def test_filling_frozen_values() -> None:
    plain = ("a", Severity.ERROR, None)
    assert filled((REF, plain), {A: "ns", B: "name"}) == (
        Ref("kuadrant.io", "AuthPolicy", "ns", "x-name"),
        plain,
    )
    assert filled(plain, {A: "ns"}) is plain
    assert filled(frozenset([(A, number_slot(1))]), {A: "a", B: 5}) == {("a", 5)}
    assert filled(REF, {}) is REF
    assert filled(Severity.ERROR, {A: "ns"}) is Severity.ERROR
