"""Hostnames with wildcards: what meets, and what is within."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.model.slots import fill_text, recording, text_slot
from spokerender.topology.hostnames import Listening, intersects, is_covered, is_within
from tests.support import cases, rows_of
from tests.support.profiles import examples
from tests.support.stages import values

# Gateway API, HTTPRoute `hostnames`: the listener's, the route's, whether they meet.
MEETING = rows_of(__file__, "meeting")


@cases(*MEETING)
def test_meeting(listener: str, hostname: str, meet: bool) -> None:
    assert intersects(listener, hostname) is meet


def test_within_as_kuadrant_has_it(fixtures: Path) -> None:
    text = (fixtures / "cases" / "kuadrant" / "hostname_subset.yaml").read_text(encoding="utf-8")
    cases = values(text)[0]["cases"]
    assert len(cases) == 14
    found = [[hostname, other, is_within(hostname, other)] for hostname, other, _ in cases]
    assert found == cases


@cases(*rows_of(__file__, "within"))
def test_within(hostname: str, listener: str, within: bool) -> None:
    assert is_within(hostname, listener) is within


@cases(*MEETING)
def test_what_is_within_meets(listener: str, hostname: str, meet: bool) -> None:
    """A name within the listener's meets it; the reverse does not hold."""
    if listener and is_within(hostname, listener):
        assert meet


LABELS = st.sampled_from(["a", "b", "a.b", "b.a", "x.a.b", "*.a", "*.b", "*.a.b", "*.b.a", "", "*"])


@settings(max_examples=examples(200, house=20))
@given(st.lists(LABELS), LABELS)
def test_looked_up_as_compared_one_by_one(listeners: list[str], hostname: str) -> None:
    met = {listener for listener in listeners if intersects(listener, hostname)}
    assert Listening(listeners).met_by(hostname) == met


def test_slots_are_asked_one_by_one() -> None:
    slot = text_slot(0)
    listening = Listening(["*.a.b", f"*.{slot}", slot])
    with recording() as record:
        assert listening.met_by("x.a.b") == {"*.a.b"}
        assert listening.met_by(f"y.{slot}") == {f"*.{slot}"}
    assert record.is_true_of({slot: "c"})
    assert not record.is_true_of({slot: "b"})


SLOT = text_slot(0)
SLOTTED = LABELS | st.sampled_from(
    [SLOT, *(name.replace("?", SLOT) for name in ("a.?", "b.?", "x.a.?", "*.?", "?.a", "a?.b"))]
)


@settings(max_examples=examples(200, house=20))
@given(st.lists(SLOTTED), SLOTTED, st.sampled_from(["a", "b", "a.b", ".a", "*", "*.a", "x.a"]))
def test_what_slots_answer_is_true_of_each_value_for_which_the_record_is(
    listeners: list[str], hostname: str, value: str
) -> None:
    with recording() as record:
        met = Listening(listeners).met_by(hostname)
        covered = is_covered(hostname, listeners)
    values = {SLOT: value}
    if record.is_true_of(values):
        name, others = fill_text(hostname, values), [fill_text(each, values) for each in listeners]
        assert {fill_text(each, values) for each in met} == {
            other for other in others if intersects(other, name)
        }
        assert covered is is_covered(name, others)


def test_names_that_begin_otherwise_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand routes below each spoke's own domain are no million questions."""
    asked: list[tuple[str, str]] = []

    def count(listener: str, hostname: str) -> bool:
        asked.append((listener, hostname))
        return intersects(listener, hostname)

    monkeypatch.setattr("spokerender.topology.hostnames.intersects", count)
    names = [f"service-{number}.{SLOT}" for number in range(1_000)]
    listening = Listening([*names, f"*.{SLOT}"])
    for name in names:
        assert listening.met_by(name) >= {name}
    assert len(asked) == 2 * len(names)
