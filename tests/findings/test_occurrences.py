"""What is found on many spokes is told once."""

from __future__ import annotations

from spokerender.findings.codes.shipping import FREE_STRING
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Result
from spokerender.model.slots import text_slot


def said(text: str) -> Result:
    return FREE_STRING.result(text)


def told(*found: Occurrence) -> list[tuple[str, tuple[str, ...]]]:
    return [(result.message, result.spokes) for result in merge_occurrences(found)]


def test_equal_findings_are_one_with_all_spokes_sorted() -> None:
    assert told(
        Occurrence(said("b"), ("us", "eu")),
        Occurrence(said("a"), ("eu",)),
        Occurrence(said("b"), ("ap", "eu")),
    ) == [("b", ("ap", "eu", "us")), ("a", ("eu",))]


def test_a_key_joins_what_differs() -> None:
    key = said("of …")
    assert told(
        Occurrence(said("of eu"), ("eu",), key),
        Occurrence(said("of all"), ("eu",)),
        Occurrence(said("of us"), ("us",), key),
    ) == [("of eu", ("eu", "us")), ("of all", ("eu",))]


def test_slots_are_filled_and_what_is_equal_then_is_one() -> None:
    slot = text_slot(0)
    assert told(
        Occurrence(said(f"at {slot}"), ("eu",), values={slot: "x"}),
        Occurrence(said(f"at {slot}"), ("us",), values={slot: "y"}),
        Occurrence(said("at x"), ("ap",)),
    ) == [("at x", ("ap", "eu", "us"))]


def test_what_concerns_no_spoke_is_told() -> None:
    assert told(Occurrence(said("a"), ())) == [("a", ())]
    assert told() == []
