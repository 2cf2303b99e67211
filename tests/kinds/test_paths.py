"""Patterns and paths."""

from __future__ import annotations

from spokerender.kinds import found
from spokerender.kinds.paths import mismatches, segments

DATA = {
    "spec": {
        "refs": [{"name": "a"}, 5, {"name": "b"}],
        "rules": {"x": {"when": [1, 2]}, "y": {"when": [3]}, "z": None},
        "none": None,
    }
}


def test_segments() -> None:
    assert segments("spec.solvers[].http01.parentRefs[]") == (
        "spec",
        "solvers",
        "[]",
        "http01",
        "parentRefs",
        "[]",
    )


def test_found_in_document_order() -> None:
    assert found(DATA, "spec.refs[].name") == [
        (("spec", "refs", 0, "name"), "a"),
        (("spec", "refs", 2, "name"), "b"),
    ]
    assert found(DATA, "spec.rules.*.when[]") == [
        (("spec", "rules", "x", "when", 0), 1),
        (("spec", "rules", "x", "when", 1), 2),
        (("spec", "rules", "y", "when", 0), 3),
    ]


def test_nothing_is_found_in_what_is_absent_null_or_of_another_type() -> None:
    for pattern in ("spec.none", "spec.absent.x", "spec.refs.x", "spec.rules[]", "spec.refs.*"):
        assert found(DATA, pattern) == []
    assert found(None, "spec") == []


def test_mismatches() -> None:
    assert mismatches(DATA, "spec.refs[]") == [(("spec", "refs", 1), "mapping")]
    assert mismatches(DATA, "spec.refs") == [(("spec", "refs"), "mapping")]
    assert mismatches(DATA, "spec.rules[]") == [(("spec", "rules"), "list")]
    assert mismatches(DATA, "spec.none.x") == []
    assert mismatches(5, "spec.x") == [((), "mapping")]
