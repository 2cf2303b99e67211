"""Patterns and paths."""

from spokerender.kinds.fields import find_mismatches, find_values, split_pattern
from tests.support import rows_of

DATA = rows_of(__file__, "data")


def test_segments() -> None:
    assert split_pattern("spec.solvers[].http01.parentRefs[]") == (
        "spec",
        "solvers",
        "[]",
        "http01",
        "parentRefs",
        "[]",
    )


def test_found_in_document_order() -> None:
    assert find_values(DATA, "spec.refs[].name") == [
        (("spec", "refs", 0, "name"), "a"),
        (("spec", "refs", 2, "name"), "b"),
    ]
    assert find_values(DATA, "spec.rules.*.when[]") == [
        (("spec", "rules", "x", "when", 0), 1),
        (("spec", "rules", "x", "when", 1), 2),
        (("spec", "rules", "y", "when", 0), 3),
    ]


def test_found_at_any_depth() -> None:
    assert find_values(DATA, "spec.**.name") == find_values(DATA, "spec.refs[].name")
    assert find_values(DATA, "spec.**.when[]") == find_values(DATA, "spec.rules.*.when[]")
    assert find_values(DATA, "spec.**.absent") == find_values(DATA, "none.**.name") == []


def test_nothing_is_found_in_what_is_absent_null_or_of_another_type() -> None:
    for pattern in ("spec.none", "spec.absent.x", "spec.refs.x", "spec.rules[]", "spec.refs.*"):
        assert find_values(DATA, pattern) == []
    assert find_values(None, "spec") == []


def test_mismatches() -> None:
    assert find_mismatches(DATA, "spec.refs[]") == [(("spec", "refs", 1), "mapping")]
    assert find_mismatches(DATA, "spec.refs") == [(("spec", "refs"), "mapping")]
    assert find_mismatches(DATA, "spec.rules[]") == [(("spec", "rules"), "list")]
    assert find_mismatches(DATA, "spec.none.x") == []
    assert find_mismatches(5, "spec.x") == [((), "mapping")]
